// SPDX-License-Identifier: BSD-3-Clause
// cardan suspension: sweeps of wheel travel and steering travel.
#include "cli/commands/commands.h"
#include "cli/support/output_files.h"
#include "cli/report/text_table.h"
#include "cli/support/loaded_model.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "cli/report/suspension_table.h"
#include "cli/report/value_text.h"
#include "core/file.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One sweep with its output.
typedef struct sweep_output {
    bool                     is_selected;
    cardan_suspension_sweep* sweep;
    cd_suspension_table      table;
    char *                   csv, *svg;
} sweep_output;

typedef struct job {
    const cd_options*        options;
    cd_loaded_model          mechanism;
    cardan_suspension_study* study;
    bool                     steering_is_angle; // steering input is an angle
    sweep_output             output[CARDAN_SWEEP_KIND_COUNT];
} job;

// ---- selection of sweeps

static const char* sweep_at(void* user, int i)
{
    (void)user;
    return cardan_suspension_sweep_name(i);
}

static int select_sweeps(job* j)
{
    const char* list = j->options->sweeps;
    if (!list) {
        for (int k = 0; k < CARDAN_SWEEP_KIND_COUNT; ++k)
            j->output[k].is_selected = cardan_suspension_study_has_sweep(j->study, (cardan_suspension_sweep_kind)k);
        return CD_EXIT_DONE;
    }
    char* copy      = cd_copy_string(list);
    char* remainder = copy;
    int   code      = copy ? CD_EXIT_DONE : cd_report_no_memory();
    for (char* word; code == CD_EXIT_DONE && (word = strsep(&remainder, ","));) {
        int k = 0;
        while (k < CARDAN_SWEEP_KIND_COUNT && strcmp(cardan_suspension_sweep_name(k), word) != 0) ++k;
        if (k == CARDAN_SWEEP_KIND_COUNT)
            code = cd_report_unknown_name("sweep", word, sweep_at, NULL,
                                          "--sweeps takes parallel, opposite, single and steering");
        else
            j->output[k].is_selected = true;
    }
    free(copy);
    return code;
}

static int nselected(const job* j)
{
    int n = 0;
    for (int k = 0; k < CARDAN_SWEEP_KIND_COUNT; ++k) n += j->output[k].is_selected;
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
    return cd_text_detach(&text);
}

// File name "results/NAME-parallel.csv", or a name in the folder --output, or derived from the file --output.
static bool name_files(job* j, int kind)
{
    sweep_output* t = &j->output[kind];
    char          ending[60];
    const char*   base = j->options->output;
    if (base && cd_is_standard_output(base)) return (t->csv = cd_copy_string("/dev/stdout")) != NULL;
    snprintf(ending, sizeof ending, "-%s.csv", cardan_suspension_sweep_name(kind));
    const bool folder = base && base[strlen(base) - 1] == '/';
    char*      inside = folder ? inside_folder(base, j->mechanism.view.name) : NULL;
    if (folder && !inside) return false;
    t->csv =
        base ? cd_results_sibling_path(inside ? inside : base, ending) : cd_result_path(j->mechanism.view.name, ending);
    free(inside);
    if (!t->csv) return false;
    t->svg = cd_results_sibling_path(t->csv, ".svg");
    return t->svg != NULL;
}

static int check_files(job* j)
{
    if (j->options->output && cd_is_standard_output(j->options->output) && nselected(j) != 1) {
        cd_report_error(CARDAN_CODE_USAGE,
                        "standard output takes one sweep, and there are %d: select one with --sweeps", nselected(j));
        return CD_EXIT_USAGE;
    }
    for (int k = 0; k < CARDAN_SWEEP_KIND_COUNT; ++k) {
        sweep_output* t = &j->output[k];
        if (!t->is_selected) continue;
        if (!name_files(j, k)) {
            cd_report_no_memory();
            return CD_EXIT_INPUT;
        }
        if (t->svg && (!cd_can_write(t->csv, j->options->force) || !cd_can_write(t->svg, j->options->force)))
            return CD_EXIT_INPUT;
    }
    return CD_EXIT_DONE;
}

// ---- files

static cardan_status write_files(job* j, int kind)
{
    sweep_output*  t      = &j->output[kind];
    cardan_report* report = &j->mechanism.report;
    cd_text        svg    = {0};
    cardan_status  status = cd_suspension_table_write_csv(&t->table, t->csv, j->options->force || !t->svg, report);
    if (status != CARDAN_OK || !t->svg) return status;
    static const char* const what[] = {"all wheels together", "left wheels up, right wheels down", "first wheel only",
                                       "steering"};
    status = cd_suspension_table_draw(&t->table, j->study, j->mechanism.view.name, what[kind], &svg, report);
    if (svg.failed)
        status =
            cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(), "out of memory");
    if (status == CARDAN_OK) status = cd_file_write(t->svg, svg.data, svg.length, j->options->force, report);
    cd_text_free(&svg);
    return status;
}

static cardan_status run_sweep(job* j, int kind)
{
    sweep_output* t = &j->output[kind];
    cardan_status status =
        cardan_suspension_study_sweep(j->study, (cardan_suspension_sweep_kind)kind, &t->sweep, &j->mechanism.report);
    if (status != CARDAN_OK) return status;
    if (!cd_suspension_table_create(j->study, t->sweep, j->steering_is_angle, &t->table)) return CARDAN_NO_MEMORY;
    return write_files(j, kind);
}

// ---- text

// Maximum number of wheels with columns of their own in the text table.
enum { WHEELS_SHOWN = 2 };

// Column of a measure for wheel w; -1: none.
static int find_measure(const cd_suspension_table* t, const char* measure, int w)
{
    for (int c = 1; c < t->ncolumn; ++c)
        if (t->wheel[c] == w && strcmp(t->measure[c], measure) == 0) return c;
    return -1;
}

static void add_value(cd_text_table* text_table, double value)
{
    const double size = fabs(value);
    if (isfinite(value))
        cd_text_table_add(text_table, "%.*f", size < 10 ? 3 : size < 1000 ? 2 : 1, size < 5e-4 ? 0.0 : value);
    else
        cd_text_table_add(text_table, "-");
}

// Print the plotted measures at both ends and in the design configuration.
static void print_table(const job* j, const sweep_output* t)
{
    const cardan_suspension*   u          = cardan_suspension_study_suspension(j->study);
    const cd_suspension_table* table      = &t->table;
    const int                  wheels     = u->nwheel < WHEELS_SHOWN ? u->nwheel : WHEELS_SHOWN;
    const int                  point[3]   = {0, t->sweep->design_point, table->npoint - 1};
    cd_text_table              text_table = {.align = wheels > 1 ? "llrrrrrr" : "llrrr"};
    cd_text_table_add(&text_table, "%s", table->column[0].name);
    cd_text_table_add(&text_table, "%s", table->column[0].unit);
    for (int w = 0; w < wheels; ++w)
        for (int k = 0; k < 3; ++k)
            cd_text_table_add(&text_table, "%s%s%g", k == 0 ? u->wheel[w].name : "", k == 0 ? "  " : "",
                              table->value[0][point[k]]);
    for (int c = 1; c < table->ncolumn; ++c) {
        const bool axle = table->wheel[c] < 0;
        if (!table->is_plotted[c] || table->wheel[c] > 0) continue;
        cd_text_table_add(&text_table, "%s", table->measure[c]);
        cd_text_table_add(&text_table, "%s", strcmp(table->column[c].unit, "1") == 0 ? "" : table->column[c].unit);
        for (int w = 0; w < wheels; ++w) {
            const int at = axle ? (w == 0 ? c : -1) : find_measure(table, table->measure[c], w);
            for (int k = 0; k < 3; ++k) {
                if (at >= 0)
                    add_value(&text_table, table->value[at][point[k]]);
                else
                    cd_text_table_add(&text_table, "%s", "");
            }
        }
    }
    cd_text_table_print(&text_table);
    if (u->nwheel > wheels) cd_print("  the files have all wheels\n");
}

static void print_end(const job* j, const sweep_output* t, const cardan_suspension_sweep_end* end)
{
    const bool steering = t->sweep->kind == CARDAN_SWEEP_STEERING;
    if (!end->locked) return;
    cd_print("  mechanism locks at %.5g %s: %s\n",
             end->position * (steering && j->steering_is_angle ? 57.29577951308232 : 1e3),
             steering && j->steering_is_angle ? "deg" : "mm", end->reason);
}

static void print_summary(const job* j, int kind)
{
    const sweep_output* t = &j->output[kind];
    const double*       x = t->table.value[0];
    cd_print("%s, %s: %s from %.6g to %.6g %s, %s\n", j->mechanism.view.name, cardan_suspension_sweep_name(kind),
             t->table.column[0].name, x[0], x[t->table.npoint - 1], t->table.column[0].unit,
             cd_plural_text(t->table.npoint, "position", "positions").text);
    print_end(j, t, &t->sweep->low);
    print_end(j, t, &t->sweep->high);
    print_table(j, t);
    cd_print("  %s   %s\n", t->csv, t->svg);
}

// ---- JSON

static void write_end_json(cd_json_writer* json, const char* key, const cardan_suspension_sweep_end* end, double last)
{
    cd_json_begin_object(json, key);
    cd_json_boolean(json, "locked", end->locked);
    cd_json_number(json, "position", end->locked ? end->position : last);
    if (end->locked) cd_json_string(json, "reason", end->reason);
    cd_json_end(json);
}

static int print_json(const job* j)
{
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "status", "ok");
    cd_json_string(&json, "name", j->mechanism.view.name);
    cd_json_begin_object(&json, "sweeps");
    for (int k = 0; k < CARDAN_SWEEP_KIND_COUNT; ++k) {
        const sweep_output* t = &j->output[k];
        if (!t->sweep) continue;
        cd_json_begin_object(&json, cardan_suspension_sweep_name(k));
        cd_json_integer(&json, "points", t->table.npoint);
        cd_json_integer(&json, "design", t->sweep->design_point);
        write_end_json(&json, "low", &t->sweep->low, t->sweep->point[0].position);
        write_end_json(&json, "high", &t->sweep->high, t->sweep->point[t->sweep->npoint - 1].position);
        cd_json_string(&json, "output", t->csv);
        cd_json_string(&json, "curves", t->svg);
        cd_json_begin_object(&json, "units");
        for (int c = 0; c < t->table.ncolumn; ++c)
            cd_json_string(&json, t->table.column[c].name, t->table.column[c].unit);
        cd_json_end(&json);
        cd_json_begin_object(&json, "columns");
        for (int c = 0; c < t->table.ncolumn; ++c)
            cd_json_numbers(&json, t->table.column[c].name, t->table.npoint, t->table.value[c]);
        cd_json_end(&json);
        cd_json_end(&json);
    }
    cd_json_end(&json);
    cd_json_end(&json);
    return cd_print_and_free_text(&text);
}

// ---- the command

static int run_study(job* j)
{
    cardan_report* report = &j->mechanism.report;
    cardan_status  status =
        cardan_suspension_study_create(j->mechanism.description, CARDAN_TREE_BREADTH_FIRST, &j->study, report);
    if (status != CARDAN_OK) return cd_report_failure(report, status);
    j->mechanism.view    = cardan_description_get_view(j->mechanism.description);
    const int steering   = cardan_suspension_study_suspension(j->study)->steering;
    j->steering_is_angle = steering >= 0 && strcmp(j->mechanism.view.joint[steering].type, "prismatic") != 0;
    int code             = select_sweeps(j);
    if (code == CD_EXIT_DONE) code = check_files(j);
    for (int k = 0; k < CARDAN_SWEEP_KIND_COUNT && code == CD_EXIT_DONE; ++k) {
        if (!j->output[k].is_selected) continue;
        status = run_sweep(j, k);
        if (status != CARDAN_OK) return cd_report_failure(report, status);
        cd_loaded_model_warn(&j->mechanism);
        if (!j->options->json && !j->options->quiet && j->output[k].svg) print_summary(j, k);
    }
    return code == CD_EXIT_DONE && j->options->json ? print_json(j) : code;
}

static int run(const cd_options* options)
{
    job j    = {.options = options};
    int code = cd_loaded_model_open(&j.mechanism, options);
    if (code != CD_EXIT_DONE) return code;
    cd_loaded_model_warn(&j.mechanism);
    code = run_study(&j);
    for (int k = 0; k < CARDAN_SWEEP_KIND_COUNT; ++k) {
        cardan_suspension_sweep_destroy(j.output[k].sweep);
        cd_suspension_table_free(&j.output[k].table);
        free(j.output[k].csv);
        free(j.output[k].svg);
    }
    cardan_suspension_study_destroy(j.study);
    cd_loaded_model_close(&j.mechanism);
    return code;
}

const cd_command cd_command_suspension = {
    .name              = "suspension",
    .operands          = "MODEL",
    .noperand_min      = 1,
    .noperand_max      = 1,
    .summary           = "suspension kinematics: camber, toe, wheel rate, roll centre over travel and steering",
    .text              = "Moves the wheels of the section `suspension` of the model file through their travel, and\n"
                         "the steering through its range, with fixed chassis; bodies on bushings are in equilibrium\n"
                         "at every position. Writes results/NAME-SWEEP.csv and .svg for each of these sweeps:\n"
                         "  parallel   all wheels up and down together\n"
                         "  opposite   left wheels up, right wheels down: roll\n"
                         "  single     first wheel only\n"
                         "  steering   steering only, wheel centres at constant height\n"
                         "If a wheel cannot move further, position and reason are printed. docs/suspension.md has\n"
                         "signs and definitions.",
    .units             = "those of the model file for input, mm, degrees and N/mm in curves and report",
    .examples          = "cardan suspension models/hmmwv/front_axle.yaml                    # all sweeps\n"
                         "cardan suspension front.yaml --sweeps parallel -o - > camber.csv  # CSV on standard output\n"
                         "cardan suspension front.yaml --set rod_z=0.32 --json              # with another tie rod\n",
    .needs_output_file = true,
    CD_OPTIONS(CD_OPTION_SWEEPS, CD_OPTION_SUSPENSION_OUTPUT, CD_OPTION_FORCE, CD_OPTION_SET, CD_OPTION_STRICT,
               CD_OPTION_JSON, CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
