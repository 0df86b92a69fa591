// SPDX-License-Identifier: BSD-3-Clause
// cardan suspension: wheels through their travel, the steering through its stroke.
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/grid.h"
#include "cli/mechanism.h"
#include "cli/messages.h"
#include "cli/print.h"
#include "cli/sweep_table.h"
#include "cli/values.h"
#include "core/file.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One sweep with all that is told of it.
typedef struct told {
    bool           wanted;
    cardan_sweep*  sweep;
    cd_sweep_table table;
    char *         csv, *svg;
} told;

typedef struct job {
    const cd_options* options;
    cd_mechanism      mechanism;
    cardan_study*     study;
    bool              turns; // the steering is an angle
    told              of[CARDAN_SWEEP_KINDS];
} job;

// ---- which sweeps

static const char* sweep_at(void* user, int i)
{
    (void)user;
    return cardan_sweep_name(i);
}

static int choose(job* j)
{
    const char* list = j->options->sweeps;
    if (!list) {
        for (int k = 0; k < CARDAN_SWEEP_KINDS; ++k) j->of[k].wanted = cardan_study_has(j->study, (cardan_sweep_kind)k);
        return CD_EXIT_DONE;
    }
    char* copy = cd_copy_string(list);
    char* rest = copy;
    int   code = copy ? CD_EXIT_DONE : cd_say_no_memory();
    for (char* word; code == CD_EXIT_DONE && (word = strsep(&rest, ","));) {
        int k = 0;
        while (k < CARDAN_SWEEP_KINDS && strcmp(cardan_sweep_name(k), word) != 0) ++k;
        if (k == CARDAN_SWEEP_KINDS)
            code = cd_say_unknown("sweep", word, sweep_at, NULL, "they are parallel, opposite, single and steering");
        else
            j->of[k].wanted = true;
    }
    free(copy);
    return code;
}

static int wanted(const job* j)
{
    int n = 0;
    for (int k = 0; k < CARDAN_SWEEP_KINDS; ++k) n += j->of[k].wanted;
    return n;
}

// "FOLDER/NAME.csv"
static char* inside_folder(const char* folder, const char* name)
{
    char*   path = cd_result_path(name, ".csv");
    cd_text text = {0};
    if (!path) return NULL;
    const char* last = strrchr(path, '/');
    cd_text_format(&text, "%s%s", folder, last ? last + 1 : path);
    free(path);
    return cd_text_take(&text);
}

// "results/NAME-parallel.csv", in the folder that --output names, or beside what --output names.
static bool name_files(job* j, int kind)
{
    told*       t = &j->of[kind];
    char        ending[60];
    const char* base = j->options->output;
    if (base && cd_is_standard_output(base)) return (t->csv = cd_copy_string("/dev/stdout")) != NULL;
    snprintf(ending, sizeof ending, "-%s.csv", cardan_sweep_name(kind));
    const bool folder = base && base[strlen(base) - 1] == '/';
    char*      inside = folder ? inside_folder(base, j->mechanism.view.name) : NULL;
    if (folder && !inside) return false;
    t->csv = base ? cd_results_sibling(inside ? inside : base, ending) : cd_result_path(j->mechanism.view.name, ending);
    free(inside);
    if (!t->csv) return false;
    t->svg = cd_results_sibling(t->csv, ".svg");
    return t->svg != NULL;
}

static int check_files(job* j)
{
    if (j->options->output && cd_is_standard_output(j->options->output) && wanted(j) != 1) {
        cd_say_error(CARDAN_CODE_USAGE, "one sweep fits on standard output, and there are %d: choose one with --sweeps",
                     wanted(j));
        return CD_EXIT_USAGE;
    }
    for (int k = 0; k < CARDAN_SWEEP_KINDS; ++k) {
        told* t = &j->of[k];
        if (!t->wanted) continue;
        if (!name_files(j, k)) {
            cd_say_no_memory();
            return CD_EXIT_INPUT;
        }
        if (t->svg && (!cd_may_write(t->csv, j->options->force) || !cd_may_write(t->svg, j->options->force)))
            return CD_EXIT_INPUT;
    }
    return CD_EXIT_DONE;
}

// ---- files

static cardan_status write_files(job* j, int kind)
{
    told*          t      = &j->of[kind];
    cardan_report* report = &j->mechanism.report;
    cd_text        svg    = {0};
    cardan_status  status = cd_sweep_write_csv(&t->table, t->csv, j->options->force || !t->svg, report);
    if (status != CARDAN_OK || !t->svg) return status;
    static const char* const what[] = {"all wheels together", "left wheels up, right ones down",
                                       "the first wheel alone", "steering"};
    status = cd_sweep_draw(&t->table, j->study, j->mechanism.view.name, what[kind], &svg, report);
    if (svg.failed)
        status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(), "out of memory");
    if (status == CARDAN_OK) status = cd_file_write(t->svg, svg.data, svg.length, j->options->force, report);
    cd_text_free(&svg);
    return status;
}

static cardan_status one_sweep(job* j, int kind)
{
    told*         t      = &j->of[kind];
    cardan_status status = cardan_study_sweep(j->study, (cardan_sweep_kind)kind, &t->sweep, &j->mechanism.report);
    if (status != CARDAN_OK) return status;
    if (!cd_sweep_table_make(j->study, t->sweep, j->turns, &t->table)) return CARDAN_NO_MEMORY;
    return write_files(j, kind);
}

// ---- words

// Most wheels that have columns of their own in the table.
enum { WHEELS_SHOWN = 2 };

// Column of the same measure for wheel w; -1 where it has none.
static int find_measure(const cd_sweep_table* t, const char* measure, int w)
{
    for (int c = 1; c < t->ncolumn; ++c)
        if (t->wheel[c] == w && strcmp(t->measure[c], measure) == 0) return c;
    return -1;
}

static void add_value(cd_grid* grid, double value)
{
    const double size = fabs(value);
    if (isfinite(value))
        cd_grid_add(grid, "%.*f", size < 10 ? 3 : size < 1000 ? 2 : 1, size < 5e-4 ? 0.0 : value);
    else
        cd_grid_add(grid, "-");
}

// What the picture shows, at both ends and in the design position.
static void print_table(const job* j, const told* t)
{
    const cardan_suspension* u      = cardan_study_look(j->study);
    const cd_sweep_table*    table  = &t->table;
    const int                wheels = u->nwheel < WHEELS_SHOWN ? u->nwheel : WHEELS_SHOWN;
    const int                row[3] = {0, t->sweep->design, table->nrow - 1};
    cd_grid                  grid   = {.align = wheels > 1 ? "llrrrrrr" : "llrrr"};
    cd_grid_add(&grid, "%s", table->column[0].name);
    cd_grid_add(&grid, "%s", table->column[0].unit);
    for (int w = 0; w < wheels; ++w)
        for (int k = 0; k < 3; ++k)
            cd_grid_add(&grid, "%s%s%g", k == 0 ? u->wheel[w].name : "", k == 0 ? "  " : "", table->value[0][row[k]]);
    for (int c = 1; c < table->ncolumn; ++c) {
        const bool axle = table->wheel[c] < 0;
        if (!table->shown[c] || table->wheel[c] > 0) continue;
        cd_grid_add(&grid, "%s", table->measure[c]);
        cd_grid_add(&grid, "%s", strcmp(table->column[c].unit, "1") == 0 ? "" : table->column[c].unit);
        for (int w = 0; w < wheels; ++w) {
            const int at = axle ? (w == 0 ? c : -1) : find_measure(table, table->measure[c], w);
            for (int k = 0; k < 3; ++k) {
                if (at >= 0)
                    add_value(&grid, table->value[at][row[k]]);
                else
                    cd_grid_add(&grid, "%s", "");
            }
        }
    }
    cd_grid_print(&grid);
    if (u->nwheel > wheels) cd_print("  the files tell of the other wheels\n");
}

static void print_end(const job* j, const told* t, const cardan_sweep_end* end)
{
    const bool steering = t->sweep->kind == CARDAN_SWEEP_STEERING;
    if (!end->locked) return;
    cd_print("  it locks at %.5g %s: %s\n", end->at * (steering && j->turns ? 57.29577951308232 : 1e3),
             steering && j->turns ? "deg" : "mm", end->why);
}

static void print_words(const job* j, int kind)
{
    const told*   t = &j->of[kind];
    const double* x = t->table.value[0];
    cd_print("%s, %s: %s from %.6g to %.6g %s, %s\n", j->mechanism.view.name, cardan_sweep_name(kind),
             t->table.column[0].name, x[0], x[t->table.nrow - 1], t->table.column[0].unit,
             cd_plural(t->table.nrow, "position", "positions").text);
    print_end(j, t, &t->sweep->low);
    print_end(j, t, &t->sweep->high);
    print_table(j, t);
    cd_print("  %s   %s\n", t->csv, t->svg);
}

// ---- JSON

static void json_end(cd_json* json, const char* key, const cardan_sweep_end* end, double last)
{
    cd_json_object(json, key);
    cd_json_boolean(json, "locked", end->locked);
    cd_json_number(json, "at", end->locked ? end->at : last);
    if (end->locked) cd_json_string(json, "why", end->why);
    cd_json_end(json);
}

static int print_json(const job* j)
{
    cd_text text = {0};
    cd_json json = cd_json_to(&text);
    cd_json_object(&json, NULL);
    cd_json_string(&json, "status", "ok");
    cd_json_string(&json, "name", j->mechanism.view.name);
    cd_json_object(&json, "sweeps");
    for (int k = 0; k < CARDAN_SWEEP_KINDS; ++k) {
        const told* t = &j->of[k];
        if (!t->sweep) continue;
        cd_json_object(&json, cardan_sweep_name(k));
        cd_json_integer(&json, "rows", t->table.nrow);
        cd_json_integer(&json, "design", t->sweep->design);
        json_end(&json, "low", &t->sweep->low, t->sweep->row[0].at);
        json_end(&json, "high", &t->sweep->high, t->sweep->row[t->sweep->nrow - 1].at);
        cd_json_string(&json, "output", t->csv);
        cd_json_string(&json, "curves", t->svg);
        cd_json_object(&json, "units");
        for (int c = 0; c < t->table.ncolumn; ++c)
            cd_json_string(&json, t->table.column[c].name, t->table.column[c].unit);
        cd_json_end(&json);
        cd_json_object(&json, "columns");
        for (int c = 0; c < t->table.ncolumn; ++c)
            cd_json_numbers(&json, t->table.column[c].name, t->table.nrow, t->table.value[c]);
        cd_json_end(&json);
        cd_json_end(&json);
    }
    cd_json_end(&json);
    cd_json_end(&json);
    return cd_print_text(&text);
}

// ---- the command

static int study(job* j)
{
    cardan_report* report = &j->mechanism.report;
    cardan_status  status = cardan_study_create(j->mechanism.description, CARDAN_TREE_SHALLOW, &j->study, report);
    if (status != CARDAN_OK) return cd_say_failure(report, status);
    j->mechanism.view  = cardan_description_view(j->mechanism.description);
    const int steering = cardan_study_look(j->study)->steering;
    j->turns           = steering >= 0 && strcmp(j->mechanism.view.joint[steering].type, "prismatic") != 0;
    int code           = choose(j);
    if (code == CD_EXIT_DONE) code = check_files(j);
    for (int k = 0; k < CARDAN_SWEEP_KINDS && code == CD_EXIT_DONE; ++k) {
        if (!j->of[k].wanted) continue;
        status = one_sweep(j, k);
        if (status != CARDAN_OK) return cd_say_failure(report, status);
        cd_mechanism_warn(&j->mechanism);
        if (!j->options->json && !j->options->quiet && j->of[k].svg) print_words(j, k);
    }
    return code == CD_EXIT_DONE && j->options->json ? print_json(j) : code;
}

static int run(const cd_options* options)
{
    job j    = {.options = options};
    int code = cd_mechanism_open(&j.mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_mechanism_warn(&j.mechanism);
    code = study(&j);
    for (int k = 0; k < CARDAN_SWEEP_KINDS; ++k) {
        cardan_sweep_destroy(j.of[k].sweep);
        cd_sweep_table_free(&j.of[k].table);
        free(j.of[k].csv);
        free(j.of[k].svg);
    }
    cardan_study_destroy(j.study);
    cd_mechanism_close(&j.mechanism);
    return code;
}

const cd_command cd_command_suspension = {
    .name       = "suspension",
    .operands   = "MODEL",
    .least      = 1,
    .most       = 1,
    .summary    = "curves of a suspension: camber, toe, wheel rate, roll centre over travel and steering",
    .text       = "Moves the wheels that the section `suspension` of the model file names through their travel, and\n"
                  "the steering through its stroke, with the chassis held; what bushings hold comes to rest at every\n"
                  "position. Writes results/NAME-SWEEP.csv and .svg for each of these sweeps:\n"
                  "  parallel   all wheels up and down together\n"
                  "  opposite   left wheels up while right ones go down: roll\n"
                  "  single     the first wheel alone\n"
                  "  steering   the steering alone, wheel centres at their heights\n"
                  "Where a wheel cannot go on it is said where, and why. Signs and definitions are in docs/suspension.md.",
    .units      = "those of the model file where it is read, mm, degrees and N/mm in curves and report",
    .examples   = "cardan suspension models/hmmwv/front_axle.yaml                    # all sweeps\n"
                  "cardan suspension front.yaml --sweeps parallel -o - > camber.csv  # CSV of one on standard output\n"
                  "cardan suspension front.yaml --set rod_z=0.32 --json              # with another tie rod\n",
    .needs_file = true,
    CD_OPTIONS(CD_OPTION_SWEEPS, CD_OPTION_SUSPENSION_OUTPUT, CD_OPTION_FORCE, CD_OPTION_SET, CD_OPTION_STRICT,
               CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
