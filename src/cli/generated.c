// SPDX-License-Identifier: BSD-3-Clause
// Generated code for a run. `auto` uses it where the run is long: the number of evaluations of the whole run is
// predicted by a trial of its first steps, and what these take and what compiling takes are estimated by the number of
// velocities. Model and settings alone decide: neither a clock nor the cache do, so that a run gives the same bits on a
// busy machine and with a cache that is full or empty. Baselines are there to be compared with, by their own equations:
// they never use generated code.
#include "cli/generated.h"

#include "cli/messages.h"
#include "cli/print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double trial_part = 0.02; // of the run
enum { TRIAL_STEPS = 100 };            // at most
static const double agrees = 1e-8;     // relative to the largest acceleration
enum { LINKS_MOST = 400 };             // code grows too large for `auto` beyond

// Estimates in seconds of one core, measured on the models of this distribution with gcc 12: an evaluation by the
// library per velocity, without and with loops; compiling, and compiling with derivatives, by velocities and by their
// square.
static const double per_velocity[2] = {1.7e-7, 5e-7}, compile_least = 0.3, compile_velocity = 0.1,
                    compile_square = 0.03;

// The trial ends after so many steps. The function is also called while a step is under way, at times that a clock
// decides: then time has not gone on, and nothing is counted.
typedef struct trial {
    double reached;
    int    steps;
} trial;

static bool go_on(void* user, double t)
{
    trial* it = user;
    if (!(t > it->reached)) return true;
    it->reached = t;
    return ++it->steps < TRIAL_STEPS;
}

// Evaluations of the whole run without generated code, with matrices of derivatives as half an evaluation per
// velocity; 0 where the trial fails, which the run itself will report.
static double predict(cd_case* c, const cardan_run* run)
{
    cardan_data*   data    = NULL;
    cardan_summary summary = {0};
    cardan_report  report;
    cardan_run     first = *run;
    trial          it    = {.reached = run->start};
    cardan_report_clear(&report);
    if (cd_heed_memory(cardan_data_create(c->model, c->formulation, &data, &report)) != CARDAN_OK) return 0;
    first.end                  = run->start + trial_part * (run->end - run->start);
    first.output               = fmin(run->output, first.end - first.start);
    first.row                  = NULL;
    first.event                = NULL;
    first.progress             = go_on;
    first.user                 = &it;
    const cardan_status status = cd_heed_memory(cardan_simulate(data, &first, &summary, &report));
    const double        done   = status == CARDAN_OK ? first.end - first.start : it.reached - first.start;
    cardan_data_destroy(data);
    if ((status != CARDAN_OK && status != CARDAN_STOPPED) || !(done > 0)) return 0;
    const double all = (double)summary.evaluations + 0.5 * (double)summary.jacobians * c->look.nv;
    return all * (run->end - run->start) / done;
}

// Whether so many evaluations take at least twice as long as compiling, with derivatives or without.
static bool is_worth(const cd_case* c, double evaluations, bool derivatives)
{
    const double n       = c->look.nv,
                 compile = compile_least + (derivatives ? compile_square * n * n : compile_velocity * n);
    return evaluations * n * per_velocity[c->look.nconstraint > 0] >= 2 * compile;
}

static void refuse(cd_mechanism* mechanism, cd_generated_use* use, const char* why)
{
    snprintf(use->reason, sizeof use->reason, "%s", why);
    if (use->asked)
        cardan_warn(&mechanism->report, CARDAN_CODE_GENERATED_CODE_NOT_USED, cardan_nowhere(),
                    "the run does without generated code: %s", why);
}

// The sentence of the last message, or that of the status where there is none.
static const char* last_sentence(const cardan_report* said, cardan_status status)
{
    return said->count > 0 ? cardan_message_sentence(&said->message[said->count - 1]) : cardan_status_text(status);
}

// Whether it may be used, and what is generated: *kind.
static bool decide(cd_mechanism* mechanism, cd_case* c, const cardan_run* run, cd_generated_use* use,
                   cardan_library_kind* kind)
{
    const bool equations = cardan_integrator_equations(run->integrator),
               slopes    = cardan_integrator_slopes(run->integrator) && c->look.nconstraint == 0;
    char why[160];
    *kind = equations ? CARDAN_LIBRARY_EQUATIONS : slopes ? CARDAN_LIBRARY_SLOPES : CARDAN_LIBRARY_RATES;
    if (!cardan_integrator_rates(run->integrator) && !equations)
        return refuse(mechanism, use, "the integrator does not ask for accelerations or equations alone"), false;
    if (cardan_formulation_is_baseline(c->formulation)) {
        snprintf(why, sizeof why, "'%s' is a baseline, whose own equations are solved",
                 cardan_formulation_name(c->formulation));
        return refuse(mechanism, use, why), false;
    }
    if (cardan_formulation_tree(c->formulation) == CARDAN_TREE_FLAT) {
        snprintf(why, sizeof why,
                 "'%s' has coordinates of free bodies, code is generated for those of joints, as -f augmented has them",
                 cardan_formulation_name(c->formulation));
        return refuse(mechanism, use, why), false;
    }
    if (use->asked) return true;
    if (c->look.nlink > LINKS_MOST) return refuse(mechanism, use, "the mechanism is large"), false;
    use->predicted = predict(c, run);
    if (*kind == CARDAN_LIBRARY_SLOPES && !is_worth(c, use->predicted, true)) *kind = CARDAN_LIBRARY_RATES;
    if (is_worth(c, use->predicted, *kind != CARDAN_LIBRARY_RATES)) return true;
    return refuse(mechanism, use, "the run is short"), false;
}

static void open_library(cd_mechanism* mechanism, cd_case* c, cardan_library_kind kind, cd_generated_use* use)
{
    cardan_report said;
    cardan_report_clear(&said);
    cardan_status status = cardan_library_open(c->model, kind, INFINITY, &use->library, &use->facts, &said);
    for (int i = 0; i < said.count; ++i)
        if (said.message[i].severity == CARDAN_NOTE)
            cardan_note(&mechanism->report, said.message[i].code, cardan_nowhere(), "%s",
                        cardan_message_sentence(&said.message[i]));
    if (use->facts.compiler_is_missing && !use->asked)
        cardan_note(&mechanism->report, CARDAN_CODE_GENERATED_CODE_NOT_USED, cardan_nowhere(),
                    "generated code would make this run faster, but %s", last_sentence(&said, status));
    if (use->facts.cache_is_refused && !use->asked)
        cardan_note(&mechanism->report, CARDAN_CODE_GENERATED_CODE_NOT_USED, cardan_nowhere(),
                    "the run does without generated code: %s", last_sentence(&said, status));
    if (status == CARDAN_OK)
        status = cardan_library_measure(use->library, c->data, c->t, c->q, c->v, c->state, &use->gain, &said);
    if (cd_heed_memory(status) != CARDAN_OK) {
        refuse(mechanism, use, last_sentence(&said, status));
        return;
    }
    char why[160];
    if (!(use->gain.slopes_off <= agrees)) {
        snprintf(why, sizeof why, "at the start its derivatives are off by %.2g of the largest", use->gain.slopes_off);
        refuse(mechanism, use, why);
    } else if (!(use->gain.off <= agrees)) {
        snprintf(why, sizeof why, "at the start it is off by %.2g of the largest acceleration", use->gain.off);
        refuse(mechanism, use, why);
    } else if (cd_heed_memory(cardan_data_use_generated(c->data, use->library)) == CARDAN_OK) {
        use->used = true;
        snprintf(use->reason, sizeof use->reason, "%s", use->asked ? "asked for" : "the run is long");
    }
}

void cd_generated_begin(cd_mechanism* mechanism, cd_case* c, const cardan_run* run, cd_generated_use* use)
{
    const char* wish = mechanism->options->generated ? mechanism->options->generated : "auto";
    *use             = (cd_generated_use){.asked = strcmp(wish, "always") == 0};
    if (strcmp(wish, "never") == 0) {
        snprintf(use->reason, sizeof use->reason, "asked not to");
        return;
    }
    cardan_library_kind kind;
    if (decide(mechanism, c, run, use, &kind)) open_library(mechanism, c, kind, use);
}

void cd_generated_end(cd_case* c, cd_generated_use* use)
{
    if (use->used) cardan_data_use_generated(c->data, NULL);
    cardan_library_close(use->library);
    use->library = NULL;
}

void cd_generated_words(const cd_generated_use* use, const cardan_summary* s)
{
    if (!use->used) return;
    cd_print("  generated code: %.3g us an evaluation instead of %.3g, %.0f %% of evaluations, ",
             1e6 * use->gain.generated, 1e6 * use->gain.runtime,
             s->evaluations > 0 ? 100.0 * (double)s->generated / (double)s->evaluations : 0);
    if (s->generated_jacobians > 0)
        cd_print("%.3g us a matrix of derivatives instead of %.3g, %ld of %ld, ", 1e6 * use->gain.slopes_generated,
                 1e6 * use->gain.slopes_runtime, s->generated_jacobians, s->jacobians);
    if (use->facts.cached)
        cd_print("from the cache");
    else
        cd_print("compiled in %.2g s", use->facts.trace + use->facts.compile);
    cd_print("\n");
}

void cd_generated_json(cd_json* json, const cd_generated_use* use, const cardan_summary* s)
{
    cd_json_object(json, "generated");
    cd_json_boolean(json, "used", use->used);
    cd_json_string(json, "reason", use->reason);
    if (use->predicted > 0) cd_json_number(json, "predicted_evaluations", use->predicted);
    if (use->used) {
        cd_json_integer(json, "evaluations", s->generated);
        cd_json_number(json, "generated_us", 1e6 * use->gain.generated);
        cd_json_number(json, "runtime_us", 1e6 * use->gain.runtime);
        if (s->generated_jacobians > 0) {
            cd_json_integer(json, "jacobians", s->generated_jacobians);
            cd_json_number(json, "jacobian_us", 1e6 * use->gain.slopes_generated);
            cd_json_number(json, "jacobian_runtime_us", 1e6 * use->gain.slopes_runtime);
        }
        cd_json_integer(json, "operations", use->facts.operations);
        cd_json_boolean(json, "cached", use->facts.cached);
        cd_json_number(json, "trace_s", use->facts.trace);
        cd_json_number(json, "compile_s", use->facts.compile);
        cd_json_string(json, "compiler", use->facts.compiler);
    }
    cd_json_end(json);
}
