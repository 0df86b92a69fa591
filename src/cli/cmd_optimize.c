// SPDX-License-Identifier: BSD-3-Clause
// cardan optimize: the motion that costs least.
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/messages.h"
#include "cli/plan_output.h"
#include "cli/progress.h"
#include "cli/values.h"
#include "core/json.h"

#include <cardan/optimize.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct watching {
    bool shown;
} watching;

// One line that is overwritten, where there is a terminal; Ctrl-C ends the search with the last motion seen.
static bool watch(void* user, int iteration, double objective, double violation)
{
    const watching* w = user;
    if (w->shown) fprintf(stderr, "\r%5d iterations   cost %-14.8g   violation %-9.2e", iteration, objective, violation);
    return !cd_interrupted();
}

static void sizes_json(cd_json* json, const cardan_plan_view* v)
{
    cd_json_string(json, "form", v->form);
    cd_json_string(json, "transcription", v->transcription);
    cd_json_string(json, "layout", v->layout);
    cd_json_integer(json, "unknowns", v->unknowns);
    cd_json_integer(json, "rows", v->rows);
    cd_json_integer(json, "jacobian_nonzeros", v->jacobian);
    cd_json_integer(json, "hessian_nonzeros", v->hessian);
}

static void sizes_text(const cardan_plan_view* v)
{
    printf("%s, %s, %s layout: %d unknowns, %d rows, %d entries in the Jacobian, %d in the Hessian\n", v->form, v->transcription, v->layout, v->unknowns, v->rows,
           v->jacobian, v->hessian);
}

// What the controls do on the runtime.
typedef struct flown {
    cardan_status status;
    double        q, v;
} flown;

static int report_json(const cardan_task* task, const cardan_plan_view* v, const flown* check, cardan_status status, const char* file)
{
    cd_text text = {0};
    cd_json json = cd_json_to(&text);
    char    word[32];
    cd_json_object(&json, NULL);
    cd_json_string(&json, "task", cardan_task_name(task));
    cd_json_string(&json, "status", cd_status_word(status, word));
    sizes_json(&json, v);
    cd_json_integer(&json, "iterations", v->iterations);
    cd_json_number(&json, "cost", v->objective);
    cd_json_number(&json, "horizon", v->horizon);
    cd_json_number(&json, "violation", v->violation);
    cd_json_number(&json, "seconds", v->seconds);
    cd_json_number(&json, "seconds_functions", v->seconds_functions);
    cd_json_boolean(&json, "compiled", v->compiled);
    if (check->status == CARDAN_OK) {
        cd_json_number(&json, "simulated_q_off", check->q);
        cd_json_number(&json, "simulated_v_off", check->v);
    }
    if (file) cd_json_string(&json, "file", file);
    cd_json_end(&json);
    cd_say_reported();
    return cd_print_text(&text);
}

static void report_text(const cardan_task* task, const cardan_plan_view* v, const flown* check, cardan_status status, const char* file)
{
    if (status == CARDAN_OK) printf("%s: cost %.10g after %d iterations\n", cardan_task_name(task), v->objective, v->iterations);
    else printf("%s: no optimum; the last motion has cost %.10g after %d iterations\n", cardan_task_name(task), v->objective, v->iterations);
    printf("  horizon      %g s\n  violation    %.2e\n", v->horizon, v->violation);
    printf("  time         %.2f s, %.2f s of it in %s functions and derivatives\n  ", v->seconds, v->seconds_functions, v->compiled ? "compiled" : "interpreted");
    sizes_text(v);
    if (check->status == CARDAN_OK) printf("  simulated    the same controls end %.2e off in q, %.2e in v\n", check->q, check->v);
    if (file) printf("  written      %s\n", file);
}

static int solve(const cd_options* options, cardan_task* task, cardan_plan* plan, cardan_report* report)
{
    char* const path = cd_result_path(cardan_task_name(task), ".csv");
    if (!path) return cd_say_error("out of memory"), CD_EXIT_INPUT;
    const char* to   = options->output ? options->output : path;
    int         code = cd_may_write(to, options->force) ? CD_EXIT_DONE : CD_EXIT_INPUT;
    if (code == CD_EXIT_DONE) {
        cd_progress progress;
        cd_progress_begin(&progress, cardan_task_name(task), 0, 1, true);  // Ctrl-C is noted from here on
        const cardan_status    status = cardan_plan_solve(plan, report);
        const cardan_plan_view view   = cardan_plan_look(plan);
        if (!options->quiet && isatty(STDERR_FILENO)) fprintf(stderr, "\r%*s\r", 60, "");
        flown check  = {.status = CARDAN_NOT_CONVERGED};
        if (status == CARDAN_OK) check.status = cardan_plan_check(plan, &check.q, &check.v, report);
        code = cd_plan_write(task, &view, to, options->force, report);
        if (code == CD_EXIT_DONE && options->json) code = report_json(task, &view, &check, status, to);
        else if (code == CD_EXIT_DONE && !options->quiet && !cd_is_standard_output(to)) report_text(task, &view, &check, status, to);
        if (status == CARDAN_STOPPED) {
            cd_say_notes(report);
            code = CD_EXIT_STOPPED;
        } else if (status != CARDAN_OK) code = cd_say_failure(report, status);
        else cd_say_report(report);
    }
    free(path);
    return code;
}

static int run(const cd_options* options)
{
    cardan_report       report;
    cardan_task*        task = NULL;
    cardan_plan*        plan = NULL;
    watching            look = {.shown = !options->quiet && isatty(STDERR_FILENO)};
    cardan_report_clear(&report);
    const cardan_load_options load = {.nsetting = options->nsetting, .setting = options->setting, .strict = options->strict};
    const cardan_optimize_options wish = {.form          = options->form,
                                          .transcription = options->transcription,
                                          .layout        = options->layout,
                                          .generated     = options->generated,
                                          .unsolved      = options->sizes,
                                          .intervals     = options->intervals,
                                          .degree        = options->degree,
                                          .iterations    = options->iterations,
                                          .tolerance     = isnan(options->tolerance) ? 0 : options->tolerance,
                                          .user          = &look,
                                          .watch         = watch};
    cardan_status status = cardan_task_load(options->operand[0], &load, &task, &report);
    if (status == CARDAN_OK) status = cardan_plan_create(task, &wish, &plan, &report);
    int code = CD_EXIT_DONE;
    if (status != CARDAN_OK) code = cd_say_failure(&report, status);
    else if (options->sizes) {
        const cardan_plan_view view = cardan_plan_look(plan);
        if (options->json) {
            cd_text text = {0};
            cd_json json = cd_json_to(&text);
            cd_json_object(&json, NULL);
            sizes_json(&json, &view);
            cd_json_end(&json);
            code = cd_print_text(&text);
        } else sizes_text(&view);
    } else code = solve(options, task, plan, &report);
    cardan_plan_destroy(plan);
    cardan_task_destroy(task);
    return code;
}

const cd_command cd_command_optimize = {
    .name     = "optimize",
    .operands = "TASK",
    .least    = 1,
    .most     = 1,
    .summary  = "the motion that costs least: optimal control of a mechanism",
    .text     = "A task is a YAML file beside a mechanism: horizon, joints that are driven, conditions at the start, at the\n"
                "end and on the way, cost (docs/optimize.md). Dynamics and all derivatives come from the generator, the\n"
                "nonlinear program goes to IPOPT. Results are a CSV file as `run` writes it, and the same controls flown on\n"
                "the runtime as a check. Ctrl-C ends the search; the last motion is written.",
    .examples = "cardan optimize models/arm_pendulum/reach.yaml                      # results/reach.csv\n"
                "cardan optimize models/arm_pendulum/reach.yaml --set phi=0.5        # another target\n"
                "cardan optimize models/arm_pendulum/reach.yaml --layout full --sizes --json\n",
    CD_OPTIONS(CD_OPTION_OPTIMIZE_FORM, CD_OPTION_TRANSCRIPTION, CD_OPTION_LAYOUT, CD_OPTION_OPTIMIZE_GENERATED, CD_OPTION_INTERVALS, CD_OPTION_DEGREE, CD_OPTION_OPTIMIZE_TOLERANCE,
               CD_OPTION_OPTIMIZE_ITERATIONS, CD_OPTION_SIZES, CD_OPTION_OPTIMIZE_OUTPUT, CD_OPTION_FORCE, CD_OPTION_SET, CD_OPTION_STRICT, CD_OPTION_JSON,
               CD_OPTION_QUIET, CD_OPTION_HELP),
    .run = run,
};
