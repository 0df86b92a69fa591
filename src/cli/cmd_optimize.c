// SPDX-License-Identifier: BSD-3-Clause
// cardan optimize: the motion that costs least.
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/messages.h"
#include "cli/plan_output.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/values.h"
#include "io/results.h"
#include "study/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct watching {
    bool shown;
} watching;

static const double far_in_q = 0.01, far_in_v = 0.1; // [rad, m], [1/s]: a plan that ends elsewhere is no plan

// One line that is overwritten, where there is a terminal; Ctrl-C ends the search with the best motion seen.
static bool watch(void* user, int iteration, double objective, double violation)
{
    const watching* w = user;
    if (w->shown) cd_print_error("\r%5d iterations   cost %-14.8g   violation %-9.2e", iteration, objective, violation);
    return !cd_interrupted();
}

// ---- files

static bool any_exists(const cd_plan_files* files)
{
    return access(files->csv, F_OK) == 0 || access(files->svg, F_OK) == 0 || access(files->picture, F_OK) == 0;
}

static void free_files(cd_plan_files* files)
{
    free(files->csv);
    free(files->svg);
    free(files->picture);
    *files = (cd_plan_files){0};
}

// Their names, before anything is computed. A report as JSON whose results nobody named leaves earlier results alone,
// and says so.
static int name_files(const cd_options* options, const cardan_task* task, cd_plan_files* files)
{
    *files = (cd_plan_files){.stream = cd_is_standard_output(options->output)};
    if (files->stream) return CD_EXIT_DONE;
    files->csv = options->output ? cd_copy_string(options->output) : cd_result_path(cardan_task_name(task), ".csv");
    if (files->csv)
        files->svg     = cd_results_sibling(files->csv, ".svg"),
        files->picture = cd_results_sibling(files->csv, "-mechanism.svg");
    if (!files->csv || !files->svg || !files->picture) return cd_say_no_memory();
    if (strcmp(files->svg, files->csv) == 0)
        return cd_say_error(CARDAN_CODE_USAGE, "--output names the CSV file; its curves get the ending .svg"),
               CD_EXIT_USAGE;
    if (options->json && !options->output && !options->force && any_exists(files)) {
        if (!options->quiet)
            cd_print_error("note: '%s' exists and is left as it is; --force overwrites it\n", files->csv);
        free_files(files);
        return CD_EXIT_DONE;
    }
    const bool good = cd_may_write(files->csv, options->force) && cd_may_write(files->svg, options->force) &&
                      cd_may_write(files->picture, options->force);
    return good ? CD_EXIT_DONE : CD_EXIT_INPUT;
}

// ---- the search

static int conclude(cd_plan_outcome* o, cardan_report* report)
{
    const cd_options* options = o->options;
    if (o->status == CARDAN_NO_MEMORY) return cd_say_failure(report, o->status);
    int code = o->files.csv || o->files.stream ? cd_plan_write(o) : CD_EXIT_DONE;
    if (code == CD_EXIT_DONE && options->json)
        code = cd_plan_json(o);
    else if (code == CD_EXIT_DONE && !options->quiet && !o->files.stream)
        cd_plan_words(o);
    if (code != CD_EXIT_DONE) return code;
    if (o->status == CARDAN_STOPPED) return cd_say_notes(report), CD_EXIT_STOPPED;
    if (o->status != CARDAN_OK) {
        code = cd_say_failure(report, o->status);
        return o->starts.nlost > 0 ? CD_EXIT_INPUT : code; // as where the solver ends this process (main.c)
    }
    if (!options->quiet) cd_say_report(report);
    return CD_EXIT_DONE;
}

static int search(cd_plan_outcome* o, cardan_plan* plan, cardan_report* report)
{
    const bool several = o->starts.count > 1;
    o->plan            = plan;
    o->status          = several ? cd_starts_search(&o->starts, cardan_task_name(o->task), plan, report)
                                 : cardan_plan_solve(plan, report);
    o->view            = cardan_plan_look(plan);
    o->violations      = cardan_plan_violations(plan);
    if (!several && !o->options->quiet && isatty(STDERR_FILENO)) cd_print_error("\r%*s\r", 60, "");
    if (o->status == CARDAN_OK) {
        o->checked = cardan_plan_check(plan, &o->q_off, &o->v_off, report);
        o->status  = o->checked;
        if (o->checked == CARDAN_OK && (o->q_off > far_in_q || o->v_off > far_in_v))
            cardan_warn(report, CARDAN_CODE_COARSE_TRANSCRIPTION, cardan_nowhere(),
                        "simulated, the same controls end %.2g off in q and %.2g in v: intervals are too long for this "
                        "motion; give more of them",
                        o->q_off, o->v_off);
    }
    return conclude(o, report);
}

// Whether files may be written is looked at first: functions may take a compiler some seconds.
static int solve(const cd_options* options, cardan_task* task, const cardan_optimize_options* wish,
                 cardan_report* report)
{
    cd_plan_outcome o    = {.options = options,
                            .task    = task,
                            .checked = CARDAN_NOT_CONVERGED,
                            .starts  = {.count   = options->starts > 0 ? options->starts : 1,
                                        .seed    = options->seed > 0 ? options->seed : 1,
                                        .workers = options->workers > 0 ? options->workers : cd_cores(),
                                        .quiet   = options->quiet}};
    cardan_plan*    plan = NULL;
    int             code = name_files(options, task, &o.files);
    if (code == CD_EXIT_DONE) {
        cd_note_interrupts();
        const cardan_status status = cardan_plan_create(task, wish, &plan, report);
        if (cd_interrupted())
            cd_print_error("note: stopped before the search began; nothing was written\n"), code = CD_EXIT_STOPPED;
        else
            code = status == CARDAN_OK ? search(&o, plan, report) : cd_say_failure(report, status);
    }
    cardan_plan_destroy(plan);
    free_files(&o.files);
    cd_starts_free(&o.starts);
    return code;
}

static int tell_sizes(const cd_options* options, cardan_task* task, const cardan_optimize_options* wish,
                      cardan_report* report)
{
    cardan_plan*        plan   = NULL;
    const cardan_status status = cardan_plan_create(task, wish, &plan, report);
    int                 code   = status == CARDAN_OK ? CD_EXIT_DONE : cd_say_failure(report, status);
    if (code == CD_EXIT_DONE) {
        const cardan_plan_view view = cardan_plan_look(plan);
        cd_text                text = {0};
        cd_json                json = cd_json_to(&text);
        if (!options->quiet) cd_say_report(report);
        cd_json_object(&json, NULL);
        cd_plan_sizes(&view, &json);
        cd_json_end(&json);
        if (options->json)
            code = cd_print_text(&text);
        else
            cd_plan_sizes_words(&view), cd_text_free(&text);
    }
    cardan_plan_destroy(plan);
    return code;
}

static int run(const cd_options* options)
{
    cardan_report report;
    cardan_task*  task = NULL;
    watching      look = {.shown = !options->quiet && options->starts <= 1 && isatty(STDERR_FILENO)};
    cardan_report_clear(&report);
    const cardan_load_options load = {
        .nsetting = options->nsetting, .setting = options->setting, .strict = options->strict};
    const cardan_optimize_options wish   = {.form          = options->form,
                                            .transcription = options->transcription,
                                            .layout        = options->layout,
                                            .generated     = options->generated,
                                            .unsolved      = options->sizes,
                                            .guess         = options->guess,
                                            .intervals     = options->intervals,
                                            .degree        = options->degree,
                                            .iterations    = options->iterations,
                                            .tolerance     = isnan(options->tolerance) ? 0 : options->tolerance,
                                            .user          = &look,
                                            .watch         = watch};
    cardan_status                 status = cardan_task_load(options->operand[0], &load, &task, &report);
    int                           code   = status == CARDAN_OK ? CD_EXIT_DONE : cd_say_failure(&report, status);
    if (code == CD_EXIT_DONE) code = (options->sizes ? tell_sizes : solve)(options, task, &wish, &report);
    cardan_task_destroy(task);
    return code;
}

const cd_command cd_command_optimize = {
    .name     = "optimize",
    .operands = "TASK",
    .least    = 1,
    .most     = 1,
    .summary  = "the motion that costs least: optimal control of a mechanism",
    .text =
        "A task is a YAML file beside a mechanism: horizon, joints that are driven, conditions at the start, at the\n"
        "end and on the way, cost (docs/optimize.md). Dynamics and all derivatives come from the generator, the\n"
        "nonlinear program goes to IPOPT. Writes\n"
        "  results/TASK.csv            the motion as `run` writes it, and the controls\n"
        "  results/TASK.svg            positions, velocities and efforts over time\n"
        "  results/TASK-mechanism.svg  a strobe of the motion\n"
        "  results/TASK.manifest.json  what produced them\n"
        "  results/TASK.solution.json  unknowns and multipliers, for searches that start from it (--guess)\n"
        "and flies the same controls on the runtime as a check. Ctrl-C ends the search; the best motion seen is\n"
        "written. A search ends in the minimum nearest to its guess: --starts N searches from N guesses.\n"
        "\n" CD_COLUMNS_HELP,
    .examples   = "cardan optimize models/arm_pendulum/reach.yaml                      # results/reach.csv\n"
                  "cardan optimize models/arm_pendulum/reach.yaml --set phi=0.5        # another target\n"
                  "cardan optimize models/arm_pendulum/reach.yaml --starts 16          # the best of 16 searches\n"
                  "cardan optimize models/arm_pendulum/reach.yaml --layout full --sizes --json\n",
    .needs_file = true,
    CD_OPTIONS(CD_OPTION_OPTIMIZE_FORM, CD_OPTION_TRANSCRIPTION, CD_OPTION_LAYOUT, CD_OPTION_OPTIMIZE_GENERATED,
               CD_OPTION_INTERVALS, CD_OPTION_DEGREE, CD_OPTION_OPTIMIZE_TOLERANCE, CD_OPTION_OPTIMIZE_ITERATIONS,
               CD_OPTION_GUESS, CD_OPTION_STARTS, CD_OPTION_SEED, CD_OPTION_START_WORKERS, CD_OPTION_SIZES,
               CD_OPTION_OPTIMIZE_COLUMNS, CD_OPTION_OPTIMIZE_OUTPUT, CD_OPTION_STROBE_PLAN, CD_OPTION_LOOK,
               CD_OPTION_NAMES, CD_OPTION_TITLE, CD_OPTION_FORCE, CD_OPTION_SET_TASK, CD_OPTION_STRICT, CD_OPTION_JSON,
               CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
