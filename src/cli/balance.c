// SPDX-License-Identifier: BSD-3-Clause
#include "cli/balance.h"

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/grid.h"
#include "cli/messages.h"
#include "cli/print.h"
#include "cli/values.h"
#include "core/memory.h"
#include "io/format.h"

#include <cardan/analyse.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 50, NAME = 512 };

// One value: a parameter of the model file, or all quantities that match its pattern.
typedef struct unknown {
    const char* word;
    bool        parameter;
    int         count; // quantities that match
    double      before;
    const char* unit; // of a quantity; of a parameter the file decides
} unknown;

typedef struct balance {
    cd_mechanism* mechanism;
    int           n;
    unknown       unknown[MOST];
    double        value[MOST];
    char*         words; // copy of the list, cut into words
} balance;

// Names that --solve knows.
typedef struct known {
    const cd_mechanism* mechanism;
    char (*quantity)[NAME];
    int nquantity;
} known;

static const char* candidate(void* user, int i)
{
    const known* k = user;
    if (i < k->mechanism->view.nparameter) return k->mechanism->view.parameter[i].name;
    i -= k->mechanism->view.nparameter;
    return i < k->nquantity ? k->quantity[i] : NULL;
}

static int say_unknown(const cd_mechanism* mechanism, const char* word)
{
    known k    = {.mechanism = mechanism, .nquantity = cardan_quantity_count(mechanism->description)};
    k.quantity = cd_allocate((size_t)k.nquantity + 1, sizeof *k.quantity);
    if (!k.quantity) return cd_say_no_memory();
    for (int i = 0; i < k.nquantity; ++i) cardan_quantity_name(mechanism->description, i, k.quantity[i], NAME);
    const int code = cd_say_unknown("parameter, force or joint value", word, candidate, &k,
                                    "--solve takes parameters of the model file, SPRING.length, .preload, .stiffness, "
                                    "and JOINT.rest, .stiffness of joints with a spring");
    free(k.quantity);
    return code;
}

// Where the word is a parameter or matches quantities; all that match get the value of the first as guess.
static bool recognize(balance* b, unknown* u)
{
    const cd_mechanism* m = b->mechanism;
    const int           p = cardan_find_parameter(m->description, u->word);
    if (p != CARDAN_NONE) {
        u->parameter = true;
        u->before    = m->view.parameter[p].value;
        return true;
    }
    char name[NAME];
    for (int i = 0; cardan_quantity_name(m->description, i, name, NAME); ++i)
        if (strcmp(u->word, name) == 0 || fnmatch(u->word, name, 0) == 0)
            if (u->count++ == 0) {
                cardan_quantity_get(m->description, name, &u->before);
                u->unit = cardan_quantity_unit(m->description, name);
            }
    return u->count > 0;
}

static bool names(const unknown* u, const char* name)
{
    return !u->parameter && (strcmp(u->word, name) == 0 || fnmatch(u->word, name, 0) == 0);
}

// A quantity that two words name would have two values.
static int refuse_twice(const balance* b)
{
    char name[NAME];
    for (int i = 0; cardan_quantity_name(b->mechanism->description, i, name, NAME); ++i) {
        const unknown* first = NULL;
        for (int k = 0; k < b->n; ++k) {
            if (!names(&b->unknown[k], name)) continue;
            if (first)
                return cd_say_error(CARDAN_CODE_USAGE, "--solve: '%s' and '%s' both name %s", first->word,
                                    b->unknown[k].word, name),
                       CD_EXIT_USAGE;
            first = &b->unknown[k];
        }
    }
    return CD_EXIT_DONE;
}

static int read_list(balance* b)
{
    b->words = cd_copy_string(b->mechanism->options->solve);
    if (!b->words) return cd_say_no_memory();
    for (char* word = strtok(b->words, ", "); word; word = strtok(NULL, ", ")) {
        if (b->n == MOST) return cd_say_error(CARDAN_CODE_USAGE, "--solve takes up to %d values", MOST), CD_EXIT_USAGE;
        unknown* u = &b->unknown[b->n];
        *u         = (unknown){.word = word};
        if (!recognize(b, u)) return say_unknown(b->mechanism, word);
        for (int i = 0; i < b->n; ++i)
            if (strcmp(b->unknown[i].word, word) == 0)
                return cd_say_error(CARDAN_CODE_USAGE, "--solve names '%s' twice", word), CD_EXIT_USAGE;
        b->value[b->n++] = u->before;
    }
    return b->n > 0 ? refuse_twice(b) : (cd_say_error(CARDAN_CODE_USAGE, "--solve names no value"), CD_EXIT_USAGE);
}

static cardan_status make(void* user, const double* value, cardan_description** description, cardan_report* report)
{
    const balance*    b       = user;
    const cd_options* options = b->mechanism->options;
    const int         most    = options->nsetting + b->n;
    cardan_setting*   setting = cd_allocate((size_t)most + 1, sizeof *setting);
    char              text[MOST][40];
    if (!setting)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(), "out of memory");
    cardan_load_options load = {.setting = setting, .strict = options->strict, .floating_base = options->floating_base};
    for (int i = 0; i < options->nsetting; ++i) {
        bool solved = false;
        for (int k = 0; k < b->n; ++k)
            solved = solved || (b->unknown[k].parameter && strcmp(b->unknown[k].word, options->setting[i].name) == 0);
        if (!solved) setting[load.nsetting++] = options->setting[i];
    }
    for (int k = 0; k < b->n; ++k) {
        if (!b->unknown[k].parameter) continue;
        snprintf(text[k], sizeof text[k], "%.17g", value[k]);
        setting[load.nsetting++] = (cardan_setting){.name = b->unknown[k].word, .value = text[k]};
    }
    cardan_report warnings = {0};
    cardan_status status   = cardan_load(options->operand[0], &load, description, &warnings);
    if (status != CARDAN_OK && report) *report = warnings;
    free(setting);
    if (status != CARDAN_OK) return status;
    char name[NAME];
    for (int i = 0; cardan_quantity_name(*description, i, name, NAME); ++i)
        for (int k = 0; k < b->n; ++k)
            if (names(&b->unknown[k], name)) cardan_quantity_set(*description, name, value[k]);
    return CARDAN_OK;
}

static void print_words(const balance* b, const cardan_balance* found)
{
    cd_grid grid = {.align = "lrrll"};
    cd_print("%s: values for which the start is the equilibrium, in %s\n", b->mechanism->view.name,
             cd_plural(found->iterations, "iteration", "iterations").text);
    cd_print("  forces left: %s of those at work, %s before\n", cd_small_word(found->after).text,
             cd_small_word(found->before).text);
    if (found->left_words[0]) cd_print("  left along %s: these values alone cannot balance it\n", found->left_words);
    if (found->rank < b->n)
        cd_print("  %d of %d values are determined; the others have no effect of their own; relative to "
                 "their sizes all changed least\n",
                 found->rank, b->n);
    static const char* const head[] = {"value", "before", "found", "", ""};
    for (int i = 0; i < 5; ++i) cd_grid_add(&grid, "%s", head[i]);
    bool all = true;
    for (int k = 0; k < b->n; ++k) {
        const unknown* u = &b->unknown[k];
        cd_grid_add(&grid, "%s", u->word);
        cd_grid_add(&grid, "%s", cd_number_word(u->before).text);
        cd_grid_add(&grid, "%.9g", b->value[k]);
        cd_grid_add(&grid, "%s", u->unit ? u->unit : "");
        cd_grid_add(&grid, "%s", u->count > 1 ? cd_plural(u->count, "place", "places").text : "");
        all = all && u->parameter;
    }
    cd_grid_print(&grid);
    if (!all && !b->mechanism->options->model_output) cd_print("--write FILE writes the model with them\n");
    if (!all) return;
    cd_print("run with");
    for (int k = 0; k < b->n; ++k) cd_print(" --set %s=%.12g", b->unknown[k].word, b->value[k]);
    cd_print("\n");
}

static int print_json(const balance* b, const cardan_balance* found)
{
    cd_text text = {0};
    cd_json json = cd_json_to(&text);
    cd_json_object(&json, NULL);
    cd_json_string(&json, "status", "ok");
    cd_json_boolean(&json, "balanced", found->left_words[0] == 0);
    cd_json_number(&json, "residual", found->after);
    cd_json_number(&json, "residual_before", found->before);
    cd_json_integer(&json, "iterations", found->iterations);
    cd_json_integer(&json, "determined", found->rank);
    cd_json_string(&json, "left", found->left_words);
    cd_json_object(&json, "values");
    for (int k = 0; k < b->n; ++k) cd_json_number(&json, b->unknown[k].word, b->value[k]);
    cd_json_end(&json);
    cd_json_end(&json);
    return cd_print_text(&text);
}

// The model with the values, as a file.
static int write_model(balance* b)
{
    const cd_options*   options     = b->mechanism->options;
    cardan_description* description = NULL;
    cd_text             text        = {0};
    char*               written     = NULL;
    cardan_status       status      = make(b, b->value, &description, &b->mechanism->report);
    if (status == CARDAN_OK) status = cd_save_text(description, &written, &b->mechanism->report);
    cardan_description_destroy(description);
    if (status != CARDAN_OK) return cd_say_failure(&b->mechanism->report, status);
    cd_text_add(&text, written);
    free(written);
    return cd_write_text(options->model_output, &text, options->force);
}

int cd_balance(cd_mechanism* mechanism, int formulation)
{
    const cd_options* options = mechanism->options;
    balance           b       = {.mechanism = mechanism};
    cardan_balance    found;
    if (options->state || options->output) {
        cd_say_error(CARDAN_CODE_USAGE, "--solve keeps the start of the model file: --%s has no place beside it%s",
                     options->state ? "state" : "output", options->state ? "" : "; --write writes the model");
        return CD_EXIT_USAGE;
    }
    int code = read_list(&b);
    if (code == CD_EXIT_DONE) {
        const double        t = isnan(options->time) ? 0 : options->time;
        const cardan_status status =
            cardan_balance_find(make, &b, formulation, t, b.n, b.value, &found, &mechanism->report);
        code = status == CARDAN_OK ? CD_EXIT_DONE : cd_say_failure(&mechanism->report, status);
    }
    if (code == CD_EXIT_DONE && options->model_output) code = write_model(&b);
    if (code == CD_EXIT_DONE && options->json)
        code = print_json(&b, &found);
    else if (code == CD_EXIT_DONE && !options->quiet)
        print_words(&b, &found);
    free(b.words);
    return code;
}
