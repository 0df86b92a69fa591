// SPDX-License-Identifier: BSD-3-Clause
// Use of generated code in a run. `auto` uses it for long runs: a trial of the first steps predicts the number of
// evaluations of the whole run; the times of evaluation and compilation are estimated from the number of velocities.
// The decision depends on model and settings only, neither on a clock nor on the code cache, so that a run gives the
// same bits on a busy machine and with a full or empty cache. Reference implementations solve their own equations for
// comparison and never use generated code.
#include "cli/support/generated_code_use.h"

#include "cli/cli_tolerances.h"
#include "cli/support/messages.h"
#include "cli/support/terminal_print.h"
#include "dynamics/dynamics_tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double trial_fraction = 0.02; // part of the duration of the run [-]
enum { TRIAL_STEPS = 100 };                // maximum
enum { LINKS_MAX = 400 };                  // links; larger models give too much code for `auto`

// Estimates [s] for one core, measured on the models of this distribution with gcc 12: evaluation by the library per
// velocity, without and with loops; compilation per velocity, and with Jacobian per squared velocity.
static const double evaluation_time_per_velocity[2] = {1.7e-7, 5e-7}, compile_time_min = 0.3,
                    compile_time_per_velocity = 0.1, compile_time_per_velocity_sq = 0.03;

// Progress callback of the trial run; stops it after TRIAL_STEPS steps. The simulation also calls it within a step, at
// wall-clock intervals; calls without progress in time are not counted.
typedef struct trial_run {
    double t_last;
    int    steps;
} trial_run;

static bool continue_trial(void* user, double t)
{
    trial_run* trial = user;
    if (!(t > trial->t_last)) return true;
    trial->t_last = t;
    return ++trial->steps < TRIAL_STEPS;
}

// Predict the evaluations of the whole run without generated code; a Jacobian counts as half an evaluation per
// velocity. Returns 0 if the trial fails; the run itself reports that failure.
static double predict_evaluations(cd_model_instance* c, const cardan_run_settings* run)
{
    cardan_data*        data    = NULL;
    cardan_run_summary  summary = {0};
    cardan_report       report;
    cardan_run_settings first = *run;
    trial_run           trial = {.t_last = run->start};
    cardan_report_clear(&report);
    if (cd_report_if_no_memory(cardan_data_create(c->model, c->formulation, &data, &report)) != CARDAN_OK) return 0;
    first.end                  = run->start + trial_fraction * (run->end - run->start);
    first.output_interval      = fmin(run->output_interval, first.end - first.start);
    first.sample_callback      = NULL;
    first.event_callback       = NULL;
    first.progress_callback    = continue_trial;
    first.user                 = &trial;
    const cardan_status status = cd_report_if_no_memory(cardan_simulate(data, &first, &summary, &report));
    const double        done   = status == CARDAN_OK ? first.end - first.start : trial.t_last - first.start;
    cardan_data_destroy(data);
    if ((status != CARDAN_OK && status != CARDAN_STOPPED) || !(done > 0)) return 0;
    const double all = (double)summary.evaluations + 0.5 * (double)summary.jacobians * c->model_view.nv;
    return all * (run->end - run->start) / done;
}

// True if the evaluations take at least twice as long as compilation, with or without Jacobian.
static bool pays_off(const cd_model_instance* c, double evaluations, bool derivatives)
{
    const double n = c->model_view.nv, compile = compile_time_min + (derivatives ? compile_time_per_velocity_sq * n * n
                                                                                 : compile_time_per_velocity * n);
    return evaluations * n * evaluation_time_per_velocity[c->model_view.nconstraint > 0] >= 2 * compile;
}

static void decline(cd_loaded_model* mechanism, cd_generated_code_use* use, const char* why)
{
    snprintf(use->reason, sizeof use->reason, "%s", why);
    if (use->is_requested)
        cardan_warn(&mechanism->report, CARDAN_CODE_GENERATED_CODE_NOT_USED, cardan_location_none(),
                    "generated code is not used: %s", why);
}

// Sentence of the last message, or the text of the status without messages.
static const char* last_message_sentence(const cardan_report* messages, cardan_status status)
{
    return messages->count > 0 ? cardan_message_sentence(&messages->message[messages->count - 1])
                               : cardan_status_text(status);
}

// Decide whether generated code is used, and select what is generated (*kind).
static bool decide_use(cd_loaded_model* mechanism, cd_model_instance* c, const cardan_run_settings* run,
                       cd_generated_code_use* use, cardan_compiled_code_kind* kind)
{
    const bool equations       = cardan_integrator_uses_residual(run->integrator),
               has_derivatives = cardan_integrator_uses_rhs_jacobian(run->integrator) && c->model_view.nconstraint == 0;
    char why[160];
    *kind = equations ? CARDAN_COMPILED_RESIDUAL : has_derivatives ? CARDAN_COMPILED_RHS_JACOBIAN : CARDAN_COMPILED_RHS;
    if (!cardan_integrator_uses_rhs(run->integrator) && !equations)
        return decline(mechanism, use,
                       "the integrator does not evaluate accelerations or equations of motion separately"),
               false;
    if (cardan_formulation_is_reference(c->formulation)) {
        snprintf(why, sizeof why, "'%s' is a reference implementation, which solves its own equations",
                 cardan_formulation_name(c->formulation));
        return decline(mechanism, use, why), false;
    }
    if (cardan_formulation_tree_policy(c->formulation) == CARDAN_TREE_MAXIMAL) {
        snprintf(why, sizeof why,
                 "'%s' uses maximal coordinates; code is generated for joint coordinates, as in -f augmented",
                 cardan_formulation_name(c->formulation));
        return decline(mechanism, use, why), false;
    }
    if (use->is_requested) return true;
    if (c->model_view.nlink > LINKS_MAX) return decline(mechanism, use, "the mechanism is large"), false;
    use->predicted_evaluations = predict_evaluations(c, run);
    if (*kind == CARDAN_COMPILED_RHS_JACOBIAN && !pays_off(c, use->predicted_evaluations, true))
        *kind = CARDAN_COMPILED_RHS;
    if (pays_off(c, use->predicted_evaluations, *kind != CARDAN_COMPILED_RHS)) return true;
    return decline(mechanism, use, "the run is short"), false;
}

static void open_library(cd_loaded_model* mechanism, cd_model_instance* c, cardan_compiled_code_kind kind,
                         cd_generated_code_use* use)
{
    cardan_report messages;
    cardan_report_clear(&messages);
    cardan_status status = cardan_compiled_code_open(c->model, kind, INFINITY, &use->library, &use->info, &messages);
    for (int i = 0; i < messages.count; ++i)
        if (messages.message[i].severity == CARDAN_NOTE)
            cardan_note(&mechanism->report, messages.message[i].code, cardan_location_none(), "%s",
                        cardan_message_sentence(&messages.message[i]));
    if (use->info.compiler_is_missing && !use->is_requested)
        cardan_note(&mechanism->report, CARDAN_CODE_GENERATED_CODE_NOT_USED, cardan_location_none(),
                    "generated code would make this run faster, but %s", last_message_sentence(&messages, status));
    if (use->info.cache_is_refused && !use->is_requested)
        cardan_note(&mechanism->report, CARDAN_CODE_GENERATED_CODE_NOT_USED, cardan_location_none(),
                    "generated code is not used: %s", last_message_sentence(&messages, status));
    if (status == CARDAN_OK)
        status =
            cardan_compiled_code_measure(use->library, c->data, c->t, c->q, c->v, c->state, &use->speedup, &messages);
    if (cd_report_if_no_memory(status) != CARDAN_OK) {
        decline(mechanism, use, last_message_sentence(&messages, status));
        return;
    }
    char why[160];
    if (!(use->speedup.jacobian_max_difference <= cd_generated_difference_tolerance)) {
        snprintf(why, sizeof why, "at the start its derivatives differ by %.2g, relative to the largest",
                 use->speedup.jacobian_max_difference);
        decline(mechanism, use, why);
    } else if (!(use->speedup.max_difference <= cd_generated_difference_tolerance)) {
        snprintf(why, sizeof why, "at the start its accelerations differ by %.2g, relative to the largest",
                 use->speedup.max_difference);
        decline(mechanism, use, why);
    } else if (cd_report_if_no_memory(cardan_data_set_compiled_code(c->data, use->library)) == CARDAN_OK) {
        use->is_used = true;
        snprintf(use->reason, sizeof use->reason, "%s", use->is_requested ? "requested" : "the run is long");
    }
}

void cd_generated_begin(cd_loaded_model* mechanism, cd_model_instance* c, const cardan_run_settings* run,
                        cd_generated_code_use* use)
{
    const char* choice = mechanism->options->generated ? mechanism->options->generated : "auto";
    *use               = (cd_generated_code_use){.is_requested = strcmp(choice, "always") == 0};
    if (strcmp(choice, "never") == 0) {
        snprintf(use->reason, sizeof use->reason, "disabled by --generated never");
        return;
    }
    cardan_compiled_code_kind kind;
    if (decide_use(mechanism, c, run, use, &kind)) open_library(mechanism, c, kind, use);
}

void cd_generated_end(cd_model_instance* c, cd_generated_code_use* use)
{
    if (use->is_used) cardan_data_set_compiled_code(c->data, NULL);
    cardan_compiled_code_close(use->library);
    use->library = NULL;
}

void cd_generated_print_summary(const cd_generated_code_use* use, const cardan_run_summary* s)
{
    if (!use->is_used) return;
    cd_print("  generated code: %.3g us per evaluation instead of %.3g us, %.0f %% of evaluations, ",
             1e6 * use->speedup.compiled_time, 1e6 * use->speedup.interpreted_time,
             s->evaluations > 0 ? 100.0 * (double)s->generated_evaluations / (double)s->evaluations : 0);
    if (s->generated_jacobians > 0)
        cd_print("%.3g us per Jacobian instead of %.3g us, %ld of %ld, ", 1e6 * use->speedup.jacobian_compiled_time,
                 1e6 * use->speedup.jacobian_interpreted_time, s->generated_jacobians, s->jacobians);
    if (use->info.was_cached)
        cd_print("from the cache");
    else
        cd_print("compiled in %.2g s", use->info.trace_time + use->info.compile_time);
    cd_print("\n");
}

void cd_generated_write_json(cd_json_writer* json, const cd_generated_code_use* use, const cardan_run_summary* s)
{
    cd_json_begin_object(json, "generated");
    cd_json_boolean(json, "used", use->is_used);
    cd_json_string(json, "reason", use->reason);
    if (use->predicted_evaluations > 0) cd_json_number(json, "predicted_evaluations", use->predicted_evaluations);
    if (use->is_used) {
        cd_json_integer(json, "evaluations", s->generated_evaluations);
        cd_json_number(json, "generated_us", 1e6 * use->speedup.compiled_time);
        cd_json_number(json, "runtime_us", 1e6 * use->speedup.interpreted_time);
        if (s->generated_jacobians > 0) {
            cd_json_integer(json, "jacobians", s->generated_jacobians);
            cd_json_number(json, "jacobian_us", 1e6 * use->speedup.jacobian_compiled_time);
            cd_json_number(json, "jacobian_runtime_us", 1e6 * use->speedup.jacobian_interpreted_time);
        }
        cd_json_integer(json, "operations", use->info.operations);
        cd_json_boolean(json, "cached", use->info.was_cached);
        cd_json_number(json, "trace_s", use->info.trace_time);
        cd_json_number(json, "compile_s", use->info.compile_time);
        cd_json_string(json, "compiler", use->info.compiler);
    }
    cd_json_end(json);
}
