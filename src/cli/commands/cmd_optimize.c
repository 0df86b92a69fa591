// SPDX-License-Identifier: BSD-3-Clause
// cardan optimize: optimal control.
#include "cli/report/result_columns.h"
#include "cli/cli_tolerances.h"
#include "cli/commands/commands.h"
#include "cli/support/output_files.h"
#include "cli/support/messages.h"
#include "cli/report/ocp_output.h"
#include "cli/support/terminal_print.h"
#include "cli/support/progress.h"
#include "io/results/results.h"
#include "study/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct search_display {
    bool is_shown;
} search_display;

// Show the iteration on one line of the terminal. Ctrl-C stops the search; the best iterate is returned.
static bool on_iteration(void* user, int iteration, double objective, double violation)
{
    const search_display* w = user;
    if (w->is_shown)
        cd_print_error("\r%5d iterations   cost %-14.8g   violation %-9.2e", iteration, objective, violation);
    return !cd_is_interrupted();
}

// ---- files

static bool any_exists(const cd_ocp_files* files)
{
    return access(files->csv, F_OK) == 0 || access(files->svg, F_OK) == 0 || access(files->picture, F_OK) == 0;
}

static void free_files(cd_ocp_files* files)
{
    free(files->csv);
    free(files->svg);
    free(files->picture);
    *files = (cd_ocp_files){0};
}

// Set the file names before the computation. With --json and without --output existing results are not overwritten,
// which a note reports.
static int name_files(const cd_options* options, const cardan_task* task, cd_ocp_files* files)
{
    *files = (cd_ocp_files){.stream = cd_is_standard_output(options->output)};
    if (files->stream) return CD_EXIT_DONE;
    files->csv = options->output ? cd_copy_string(options->output) : cd_result_path(cardan_task_name(task), ".csv");
    if (files->csv)
        files->svg     = cd_results_sibling_path(files->csv, ".svg"),
        files->picture = cd_results_sibling_path(files->csv, "-mechanism.svg");
    if (!files->csv || !files->svg || !files->picture) return cd_report_no_memory();
    if (strcmp(files->svg, files->csv) == 0)
        return cd_report_error(CARDAN_CODE_USAGE, "--output must name the CSV file; the curves get the ending .svg"),
               CD_EXIT_USAGE;
    if (options->json && !options->output && !options->force && any_exists(files)) {
        if (!options->quiet)
            cd_print_error("note: '%s' exists and is not overwritten; --force overwrites it\n", files->csv);
        free_files(files);
        return CD_EXIT_DONE;
    }
    const bool good = cd_can_write(files->csv, options->force) && cd_can_write(files->svg, options->force) &&
                      cd_can_write(files->picture, options->force);
    return good ? CD_EXIT_DONE : CD_EXIT_INPUT;
}

// ---- solution

static int report_outcome(cd_ocp_outcome* o, cardan_report* report)
{
    const cd_options* options = o->options;
    if (o->status == CARDAN_NO_MEMORY) return cd_report_failure(report, o->status);
    if (o->multistart.ncrashed > 0 && o->multistart.selected < 0)
        return cd_report_failure(report, o->status), CD_EXIT_INPUT;
    int code = o->files.csv || o->files.stream ? cd_ocp_write_files(o) : CD_EXIT_DONE;
    if (code == CD_EXIT_DONE && options->json)
        code = cd_ocp_print_json(o);
    else if (code == CD_EXIT_DONE && !options->quiet && !o->files.stream)
        cd_ocp_print_summary(o);
    if (code != CD_EXIT_DONE) return code;
    if (o->status == CARDAN_STOPPED) return cd_print_report_as_notes(report), CD_EXIT_STOPPED;
    if (o->status != CARDAN_OK) {
        code = cd_report_failure(report, o->status);
        return o->multistart.ncrashed > 0 ? CD_EXIT_INPUT : code; // as if the solver ends this process (main.c)
    }
    if (!options->quiet) cd_print_report(report);
    return CD_EXIT_DONE;
}

static int search(cd_ocp_outcome* o, cardan_ocp* ocp, cardan_report* report)
{
    const bool several = o->multistart.count > 1;
    o->ocp             = ocp;
    o->status          = several ? cd_multistart_search(&o->multistart, cardan_task_name(o->task), ocp, report)
                                 : cardan_ocp_solve(ocp, report);
    o->view            = cardan_ocp_get_view(ocp);
    o->violations      = cardan_ocp_violations(ocp);
    if (!several && !o->options->quiet && isatty(STDERR_FILENO)) cd_print_error("\r%*s\r", 60, "");
    if (o->status == CARDAN_OK) {
        o->simulation_status = cardan_ocp_verify(ocp, &o->q_error, &o->v_error, report);
        o->status            = o->simulation_status;
        if (o->simulation_status == CARDAN_OK &&
            (o->q_error > cd_coarse_position_error || o->v_error > cd_coarse_velocity_error))
            cardan_warn(report, CARDAN_CODE_COARSE_TRANSCRIPTION, cardan_location_none(),
                        "a simulation with the same controls ends with errors of %.2g in q and %.2g in v: the "
                        "intervals are too long for this motion; increase --intervals",
                        o->q_error, o->v_error);
    }
    return report_outcome(o, report);
}

// Check that files may be written first: compiling the functions may take some seconds.
static int solve(const cd_options* options, cardan_task* task, const cardan_optimize_options* ocp_options,
                 cardan_report* report)
{
    cd_ocp_outcome o    = {.options           = options,
                           .task              = task,
                           .simulation_status = CARDAN_NOT_CONVERGED,
                           .multistart        = {.count   = options->starts > 0 ? options->starts : 1,
                                                 .seed    = options->seed > 0 ? options->seed : 1,
                                                 .workers = options->workers > 0 ? options->workers : cd_available_cores(),
                                                 .quiet   = options->quiet}};
    cardan_ocp*    ocp  = NULL;
    int            code = name_files(options, task, &o.files);
    if (code == CD_EXIT_DONE) {
        cd_catch_interrupts();
        const cardan_status status = cardan_ocp_create(task, ocp_options, &ocp, report);
        if (cd_is_interrupted())
            cd_print_error("note: stopped before the search began; no file was written\n"), code = CD_EXIT_STOPPED;
        else
            code = status == CARDAN_OK ? search(&o, ocp, report) : cd_report_failure(report, status);
    }
    cardan_ocp_destroy(ocp);
    free_files(&o.files);
    cd_multistart_free(&o.multistart);
    return code;
}

static int report_sizes(const cd_options* options, cardan_task* task, const cardan_optimize_options* ocp_options,
                        cardan_report* report)
{
    cardan_ocp*         ocp    = NULL;
    const cardan_status status = cardan_ocp_create(task, ocp_options, &ocp, report);
    int                 code   = status == CARDAN_OK ? CD_EXIT_DONE : cd_report_failure(report, status);
    if (code == CD_EXIT_DONE) {
        const cardan_ocp_view view = cardan_ocp_get_view(ocp);
        cd_text               text = {0};
        cd_json_writer        json = cd_json_writer_to(&text);
        if (!options->quiet) cd_print_report(report);
        cd_json_begin_object(&json, NULL);
        cd_ocp_write_sizes_json(&view, &json);
        cd_json_end(&json);
        if (options->json)
            code = cd_print_and_free_text(&text);
        else
            cd_ocp_print_sizes(&view), cd_text_free(&text);
    }
    cardan_ocp_destroy(ocp);
    return code;
}

static int run(const cd_options* options)
{
    cardan_report  report;
    cardan_task*   task    = NULL;
    search_display display = {.is_shown = !options->quiet && options->starts <= 1 && isatty(STDERR_FILENO)};
    cardan_report_clear(&report);
    const cardan_load_options load = {
        .nsetting = options->nsetting, .setting = options->setting, .strict = options->strict};
    const cardan_optimize_options ocp_options = {.dynamics_form  = options->form,
                                                 .transcription  = options->transcription,
                                                 .layout         = options->layout,
                                                 .compiled_code  = options->generated,
                                                 .build_only     = options->sizes,
                                                 .guess          = options->guess,
                                                 .intervals      = options->intervals,
                                                 .degree         = options->degree,
                                                 .max_iterations = options->iterations,
                                                 .tolerance      = isnan(options->tolerance) ? 0 : options->tolerance,
                                                 .user           = &display,
                                                 .iteration_callback = on_iteration};
    cardan_status                 status      = cardan_task_load(options->operand[0], &load, &task, &report);
    int                           code        = status == CARDAN_OK ? CD_EXIT_DONE : cd_report_failure(&report, status);
    if (code == CD_EXIT_DONE) code = (options->sizes ? report_sizes : solve)(options, task, &ocp_options, &report);
    cardan_task_destroy(task);
    return code;
}

const cd_command cd_command_optimize = {
    .name              = "optimize",
    .operands          = "TASK",
    .noperand_min      = 1,
    .noperand_max      = 1,
    .part              = "IPOPT",
    .summary           = "optimal control: the motion of least cost",
    .text              = "A task is a YAML file that refers to a model: horizon, controlled joints, conditions at\n"
                         "the start, at the end and along the motion, cost (docs/optimize.md). Dynamics and all\n"
                         "derivatives are generated; IPOPT solves the nonlinear program. Writes\n"
                         "  results/TASK.csv            the motion in the format of `run`, and the controls\n"
                         "  results/TASK.svg            positions, velocities and efforts over time\n"
                         "  results/TASK-mechanism.svg  snapshots of the motion\n"
                         "  results/TASK.manifest.json  model, settings and outcome\n"
                         "  results/TASK.solution.json  unknowns and multipliers, for --guess\n"
                         "and simulates the same controls as a check. Ctrl-C ends the search; the best motion found\n"
                         "is written. A search converges to a local minimum near its guess: --starts N searches from\n"
                         "N guesses.\n"
                         "\n" CD_COLUMNS_HELP,
    .examples          = "cardan optimize models/arm_pendulum/reach.yaml                      # results/reach.csv\n"
                         "cardan optimize models/arm_pendulum/reach.yaml --set phi=0.5        # another target\n"
                         "cardan optimize models/arm_pendulum/reach.yaml --starts 16          # best of 16 searches\n"
                         "cardan optimize models/arm_pendulum/reach.yaml --layout full --sizes --json\n",
    .needs_output_file = true,
    CD_OPTIONS(CD_OPTION_OPTIMIZE_FORM, CD_OPTION_TRANSCRIPTION, CD_OPTION_LAYOUT, CD_OPTION_OPTIMIZE_GENERATED,
               CD_OPTION_INTERVALS, CD_OPTION_DEGREE, CD_OPTION_OPTIMIZE_TOLERANCE, CD_OPTION_OPTIMIZE_ITERATIONS,
               CD_OPTION_GUESS, CD_OPTION_STARTS, CD_OPTION_SEED, CD_OPTION_START_WORKERS, CD_OPTION_SIZES,
               CD_OPTION_OPTIMIZE_COLUMNS, CD_OPTION_OPTIMIZE_OUTPUT, CD_OPTION_OPTIMIZE_STROBE, CD_OPTION_VIEW,
               CD_OPTION_NAMES, CD_OPTION_TITLE, CD_OPTION_FORCE, CD_OPTION_SET_TASK, CD_OPTION_STRICT, CD_OPTION_JSON,
               CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
