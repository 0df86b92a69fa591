// SPDX-License-Identifier: BSD-3-Clause
// Trim: parse the list of --solve, solve for the values, print them and write the model.
#include "cli/commands/cmd_equilibrium_trim.h"

#include "cli/commands/commands.h"
#include "cli/support/output_files.h"
#include "cli/report/text_table.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "cli/report/value_text.h"
#include "core/memory.h"
#include "io/format.h"

#include <cardan/analyse.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWNS_MAX = 50, NAME_SIZE = 512 };

// Unknown of the trim: a parameter of the model file, or all tunables that match a pattern.
typedef struct unknown {
    const char* word;
    bool        is_parameter;
    int         nmatch; // tunables that match
    double      initial;
    const char* unit; // of a tunable; the unit of a parameter is defined by the file
} unknown;

typedef struct trim_problem {
    cd_loaded_model* mechanism;
    int              n;
    unknown          unknown[UNKNOWNS_MAX];
    double           value[UNKNOWNS_MAX];
    char*            list_copy; // split into words
} trim_problem;

// Names accepted by --solve.
typedef struct name_candidates {
    const cd_loaded_model* mechanism;
    char (*quantity)[NAME_SIZE];
    int nquantity;
} name_candidates;

static const char* candidate(void* user, int i)
{
    const name_candidates* k = user;
    if (i < k->mechanism->view.nparameter) return k->mechanism->view.parameter[i].name;
    i -= k->mechanism->view.nparameter;
    return i < k->nquantity ? k->quantity[i] : NULL;
}

static int report_unknown(const cd_loaded_model* mechanism, const char* word)
{
    name_candidates k = {.mechanism = mechanism, .nquantity = cardan_description_tunable_count(mechanism->description)};
    k.quantity        = cd_allocate((size_t)k.nquantity + 1, sizeof *k.quantity);
    if (!k.quantity) return cd_report_no_memory();
    for (int i = 0; i < k.nquantity; ++i)
        cardan_description_tunable_name(mechanism->description, i, k.quantity[i], NAME_SIZE);
    const int code =
        cd_report_unknown_name("parameter, force or joint value", word, candidate, &k,
                               "--solve takes parameters of the model file, SPRING.length, .preload, .stiffness, "
                               "and JOINT.rest, .stiffness of joints with a spring");
    free(k.quantity);
    return code;
}

// Match a word with a parameter, or with tunables; all of these start from the value of the first.
static bool resolve_unknown(trim_problem* b, unknown* u)
{
    const cd_loaded_model* m = b->mechanism;
    const int              p = cardan_description_find_parameter(m->description, u->word);
    if (p != CARDAN_NONE) {
        u->is_parameter = true;
        u->initial      = m->view.parameter[p].value;
        return true;
    }
    char name[NAME_SIZE];
    for (int i = 0; cardan_description_tunable_name(m->description, i, name, NAME_SIZE); ++i)
        if (strcmp(u->word, name) == 0 || fnmatch(u->word, name, 0) == 0)
            if (u->nmatch++ == 0) {
                cardan_description_get_tunable(m->description, name, &u->initial);
                u->unit = cardan_description_tunable_unit(m->description, name);
            }
    return u->nmatch > 0;
}

static bool matches_name(const unknown* u, const char* name)
{
    return !u->is_parameter && (strcmp(u->word, name) == 0 || fnmatch(u->word, name, 0) == 0);
}

// Reject a tunable that matches two words: it would have two values.
static int check_no_overlap(const trim_problem* b)
{
    char name[NAME_SIZE];
    for (int i = 0; cardan_description_tunable_name(b->mechanism->description, i, name, NAME_SIZE); ++i) {
        const unknown* first = NULL;
        for (int k = 0; k < b->n; ++k) {
            if (!matches_name(&b->unknown[k], name)) continue;
            if (first)
                return cd_report_error(CARDAN_CODE_USAGE, "--solve: '%s' and '%s' both match %s", first->word,
                                       b->unknown[k].word, name),
                       CD_EXIT_USAGE;
            first = &b->unknown[k];
        }
    }
    return CD_EXIT_DONE;
}

static int read_list(trim_problem* b)
{
    b->list_copy = cd_copy_string(b->mechanism->options->solve);
    if (!b->list_copy) return cd_report_no_memory();
    for (char* word = strtok(b->list_copy, ", "); word; word = strtok(NULL, ", ")) {
        if (b->n == UNKNOWNS_MAX)
            return cd_report_error(CARDAN_CODE_USAGE, "--solve takes up to %d values", UNKNOWNS_MAX), CD_EXIT_USAGE;
        unknown* u = &b->unknown[b->n];
        *u         = (unknown){.word = word};
        if (!resolve_unknown(b, u)) return report_unknown(b->mechanism, word);
        for (int i = 0; i < b->n; ++i)
            if (strcmp(b->unknown[i].word, word) == 0)
                return cd_report_error(CARDAN_CODE_USAGE, "--solve: '%s' is given twice", word), CD_EXIT_USAGE;
        b->value[b->n++] = u->initial;
    }
    return b->n > 0 ? check_no_overlap(b)
                    : (cd_report_error(CARDAN_CODE_USAGE, "--solve: the list is empty"), CD_EXIT_USAGE);
}

static cardan_status make_variant(void* user, const double* value, cardan_description** description,
                                  cardan_report* report)
{
    const trim_problem*       b                = user;
    const cd_options*         options          = b->mechanism->options;
    const int                 setting_capacity = options->nsetting + b->n;
    cardan_parameter_setting* setting          = cd_allocate((size_t)setting_capacity + 1, sizeof *setting);
    char                      text[UNKNOWNS_MAX][40];
    if (!setting)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory");
    cardan_load_options load = {.setting = setting, .strict = options->strict, .floating_base = options->floating_base};
    for (int i = 0; i < options->nsetting; ++i) {
        bool solved = false;
        for (int k = 0; k < b->n; ++k)
            solved =
                solved || (b->unknown[k].is_parameter && strcmp(b->unknown[k].word, options->setting[i].name) == 0);
        if (!solved) setting[load.nsetting++] = options->setting[i];
    }
    for (int k = 0; k < b->n; ++k) {
        if (!b->unknown[k].is_parameter) continue;
        snprintf(text[k], sizeof text[k], "%.17g", value[k]);
        setting[load.nsetting++] = (cardan_parameter_setting){.name = b->unknown[k].word, .value = text[k]};
    }
    cardan_report warnings = {0};
    cardan_status status   = cardan_description_load(options->operand[0], &load, description, &warnings);
    if (status != CARDAN_OK && report) *report = warnings;
    free(setting);
    if (status != CARDAN_OK) return status;
    char name[NAME_SIZE];
    for (int i = 0; cardan_description_tunable_name(*description, i, name, NAME_SIZE); ++i)
        for (int k = 0; k < b->n; ++k)
            if (matches_name(&b->unknown[k], name)) cardan_description_set_tunable(*description, name, value[k]);
    return CARDAN_OK;
}

static void print_summary(const trim_problem* b, const cardan_trim* found)
{
    cd_text_table table = {.align = "lrrll"};
    cd_print("%s: values for which the start is the equilibrium, %s\n", b->mechanism->view.name,
             cd_plural_text(found->iterations, "iteration", "iterations").text);
    cd_print("  relative residual of forces %s, %s before\n", cd_two_digit_text(found->residual_after).text,
             cd_two_digit_text(found->residual_before).text);
    if (found->residual_description[0])
        cd_print("  residual along %s: these values cannot balance it\n", found->residual_description);
    if (found->rank < b->n)
        cd_print("  %d of %d values are determined, the others have no independent effect; the relative change of all "
                 "values is minimal\n",
                 found->rank, b->n);
    static const char* const head[] = {"value", "before", "found", "", ""};
    for (int i = 0; i < 5; ++i) cd_text_table_add(&table, "%s", head[i]);
    bool all = true;
    for (int k = 0; k < b->n; ++k) {
        const unknown* u = &b->unknown[k];
        cd_text_table_add(&table, "%s", u->word);
        cd_text_table_add(&table, "%s", cd_five_digit_text(u->initial).text);
        cd_text_table_add(&table, "%.9g", b->value[k]);
        cd_text_table_add(&table, "%s", u->unit ? u->unit : "");
        cd_text_table_add(&table, "%s", u->nmatch > 1 ? cd_plural_text(u->nmatch, "match", "matches").text : "");
        all = all && u->is_parameter;
    }
    cd_text_table_print(&table);
    if (!all && !b->mechanism->options->model_output) cd_print("--write FILE writes the model with these values\n");
    if (!all) return;
    cd_print("run with");
    for (int k = 0; k < b->n; ++k) cd_print(" --set %s=%.12g", b->unknown[k].word, b->value[k]);
    cd_print("\n");
}

static int print_json(const trim_problem* b, const cardan_trim* found)
{
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "status", "ok");
    cd_json_boolean(&json, "balanced", found->residual_description[0] == 0);
    cd_json_number(&json, "residual", found->residual_after);
    cd_json_number(&json, "residual_before", found->residual_before);
    cd_json_integer(&json, "iterations", found->iterations);
    cd_json_integer(&json, "rank", found->rank);
    cd_json_string(&json, "unbalanced_motions", found->residual_description);
    cd_json_begin_object(&json, "values");
    for (int k = 0; k < b->n; ++k) cd_json_number(&json, b->unknown[k].word, b->value[k]);
    cd_json_end(&json);
    cd_json_end(&json);
    return cd_print_and_free_text(&text);
}

// Write the model with the computed values.
static int write_model(trim_problem* b)
{
    const cd_options*   options     = b->mechanism->options;
    cardan_description* description = NULL;
    cd_text             text        = {0};
    char*               written     = NULL;
    cardan_status       status      = make_variant(b, b->value, &description, &b->mechanism->report);
    if (status == CARDAN_OK) status = cd_save_text(description, &written, &b->mechanism->report);
    cardan_description_destroy(description);
    if (status != CARDAN_OK) return cd_report_failure(&b->mechanism->report, status);
    cd_text_add(&text, written);
    free(written);
    return cd_write_text(options->model_output, &text, options->force);
}

int cd_equilibrium_trim(cd_loaded_model* mechanism, int formulation)
{
    const cd_options* options = mechanism->options;
    trim_problem      b       = {.mechanism = mechanism};
    cardan_trim       found;
    if (options->state || options->output) {
        cd_report_error(CARDAN_CODE_USAGE,
                        "--solve keeps the start of the model file: --%s cannot be combined with it%s",
                        options->state ? "state" : "output", options->state ? "" : "; --write writes the model");
        return CD_EXIT_USAGE;
    }
    int code = read_list(&b);
    if (code == CD_EXIT_DONE) {
        const double        t = isnan(options->time) ? 0 : options->time;
        const cardan_status status =
            cardan_trim_solve(make_variant, &b, formulation, t, b.n, b.value, &found, &mechanism->report);
        code = status == CARDAN_OK ? CD_EXIT_DONE : cd_report_failure(&mechanism->report, status);
    }
    if (code == CD_EXIT_DONE && options->model_output) code = write_model(&b);
    if (code == CD_EXIT_DONE && options->json)
        code = print_json(&b, &found);
    else if (code == CD_EXIT_DONE && !options->quiet)
        print_summary(&b, &found);
    free(b.list_copy);
    return code;
}
