// SPDX-License-Identifier: BSD-3-Clause
// Generated code for a run. `auto` takes it where it pays: the first fiftieth of the run, or what of it can be done in
// a twentieth of a second, is run on trial, which predicts the time of the whole; code that has to be compiled may take
// half of that, code from the cache is used from a twentieth of a second on. A run that is shorter is not changed in
// any bit.
#include "cli/generated.h"

#include "cli/messages.h"
#include "core/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double trial_part = 0.02, trial_most = 0.05;        // of the run, [s]
static const double worth_loading = 0.05, worth_compiling = 0.5; // [s] of a run
static const double agrees = 1e-8;                               // beside the largest acceleration
enum { LINKS_MOST = 400 };                                       // code grows too large for `auto` beyond

typedef struct trial {
    double begin, reached;
} trial;

static bool go_on(void* user, double t)
{
    trial* it   = user;
    it->reached = t;
    return cd_clock_thread() - it->begin < trial_most;
}

// Time that the run would take without generated code; 0 where the trial fails, which the run itself will tell. What
// part of it goes to derivatives.
static double predict(cd_case* c, const cardan_run* run, double* derivatives)
{
    cardan_data*   data    = NULL;
    cardan_summary summary = {0};
    cardan_report  report;
    cardan_run     first = *run;
    trial          it    = {.reached = run->start};
    cardan_report_clear(&report);
    *derivatives = 0;
    if (cd_heed_memory(cardan_data_create(c->model, c->formulation, &data, &report)) != CARDAN_OK) return 0;
    first.end                  = run->start + trial_part * (run->end - run->start);
    first.output               = fmin(run->output, first.end - first.start);
    first.row                  = NULL;
    first.event                = NULL;
    first.progress             = go_on;
    first.user                 = &it;
    it.begin                   = cd_clock_thread();
    const cardan_status status = cd_heed_memory(cardan_simulate(data, &first, &summary, &report));
    const double        spent  = cd_clock_thread() - it.begin;
    const double        done   = status == CARDAN_OK ? first.end - first.start : it.reached - first.start;
    cardan_data_destroy(data);
    if (summary.wall > 0) *derivatives = summary.jacobian_wall / summary.wall;
    return (status == CARDAN_OK || status == CARDAN_STOPPED) && done > 0 ? spent * (run->end - run->start) / done : 0;
}

static void refuse(cd_mechanism* mechanism, cd_generated_use* use, const char* why)
{
    snprintf(use->reason, sizeof use->reason, "%s", why);
    if (use->asked) cardan_warn(&mechanism->report, cardan_nowhere(), "the run does without generated code: %s", why);
}

// The sentence of a message, without the word before it.
static const char* sentence(const cardan_message* m)
{
    const char* word = m->severity == CARDAN_ERROR ? "error: " : "note: ";
    const char* at   = strstr(m->text, word);
    return at ? at + strlen(word) : m->text;
}

// What making it may take [s]; negative: no.
static double budget(cd_mechanism* mechanism, cd_case* c, const cardan_run* run, cd_generated_use* use)
{
    if (!cardan_integrator_rates(run->integrator) && !cardan_integrator_equations(run->integrator))
        return refuse(mechanism, use, "the integrator does not ask for accelerations or equations alone"), -1;
    if (cardan_formulation_tree(c->formulation) == CARDAN_TREE_FLAT) {
        char why[160];
        snprintf(why, sizeof why,
                 "'%s' has coordinates of free bodies, code is generated for those of joints, as -f augmented has them",
                 cardan_formulation_name(c->formulation));
        return refuse(mechanism, use, why), -1;
    }
    if (use->asked) return INFINITY;
    if (c->look.nlink > LINKS_MOST) return refuse(mechanism, use, "the mechanism is large"), -1;
    use->predicted = predict(c, run, &use->derivatives);
    if (use->predicted < worth_loading) return refuse(mechanism, use, "the run is short"), -1;
    return use->predicted < worth_compiling ? 0 : use->predicted / 2;
}

// With derivatives where the integrator asks for them and they were compiled before, or may be compiled in half of the
// time that goes to them.
static cardan_status find_library(cd_case* c, int integrator, double most, cd_generated_use* use, cardan_report* said)
{
    const bool slopes = cardan_integrator_slopes(integrator);
    if (cardan_integrator_equations(integrator))
        return cardan_library_open(c->model, CARDAN_LIBRARY_EQUATIONS, most, &use->library, &use->facts, said);
    const double        worth = use->asked                                            ? most
                                : use->derivatives * use->predicted < worth_compiling ? 0
                                                                                      : use->derivatives * most;
    const cardan_status status =
        slopes ? cardan_library_open(c->model, CARDAN_LIBRARY_SLOPES, worth, &use->library, &use->facts, said)
               : CARDAN_STOPPED;
    return status == CARDAN_STOPPED
               ? cardan_library_open(c->model, CARDAN_LIBRARY_RATES, most, &use->library, &use->facts, said)
               : status;
}

static void open_library(cd_mechanism* mechanism, cd_case* c, int integrator, double most, cd_generated_use* use)
{
    cardan_report said;
    cardan_report_clear(&said);
    cardan_status status = find_library(c, integrator, most, use, &said);
    for (int i = 0; i < said.count; ++i)
        if (said.message[i].severity == CARDAN_NOTE)
            cardan_note(&mechanism->report, cardan_nowhere(), "%s", sentence(&said.message[i]));
    if (use->facts.compiler_is_missing && !use->asked && most > 0)
        cardan_note(&mechanism->report, cardan_nowhere(), "generated code would make this run faster, but %s",
                    sentence(&said.message[said.count - 1]));
    if (status == CARDAN_STOPPED) {
        refuse(mechanism, use, "it would take longer to compile than it saves");
        return;
    }
    if (status == CARDAN_OK)
        status = cardan_library_measure(use->library, c->data, c->t, c->q, c->v, c->state, &use->gain, &said);
    if (cd_heed_memory(status) != CARDAN_OK) {
        refuse(mechanism, use, said.count > 0 ? sentence(&said.message[said.count - 1]) : cardan_status_text(status));
        return;
    }
    char why[160];
    if (!(use->gain.slopes_off <= agrees)) {
        snprintf(why, sizeof why, "at the start its derivatives are off by %.2g of the largest", use->gain.slopes_off);
        refuse(mechanism, use, why);
    } else if (!(use->gain.off <= agrees)) {
        snprintf(why, sizeof why, "at the start it is off by %.2g of the largest acceleration", use->gain.off);
        refuse(mechanism, use, why);
    } else if (!use->asked && use->gain.generated >= use->gain.runtime &&
               !(use->gain.slopes_generated < use->gain.slopes_runtime))
        refuse(mechanism, use, "it is not faster");
    else if (cd_heed_memory(cardan_data_use_generated(c->data, use->library)) == CARDAN_OK) {
        use->used = true;
        snprintf(use->reason, sizeof use->reason, "%s",
                 use->asked          ? "asked for"
                 : use->facts.cached ? "it was in the cache"
                                     : "it saves more than it takes to compile");
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
    const double most = budget(mechanism, c, run, use);
    if (most >= 0) open_library(mechanism, c, run->integrator, most, use);
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
    printf("  generated code: %.3g us an evaluation instead of %.3g, %.0f %% of evaluations, ",
           1e6 * use->gain.generated, 1e6 * use->gain.runtime,
           s->evaluations > 0 ? 100.0 * (double)s->generated / (double)s->evaluations : 0);
    if (s->generated_jacobians > 0)
        printf("%.3g us a matrix of derivatives instead of %.3g, %ld of %ld, ", 1e6 * use->gain.slopes_generated,
               1e6 * use->gain.slopes_runtime, s->generated_jacobians, s->jacobians);
    if (use->facts.cached)
        printf("from the cache");
    else
        printf("compiled in %.2g s", use->facts.trace + use->facts.compile);
    if (use->predicted > 0) printf(", %.3g s predicted without", use->predicted);
    printf("\n");
}

void cd_generated_json(cd_json* json, const cd_generated_use* use, const cardan_summary* s)
{
    cd_json_object(json, "generated");
    cd_json_boolean(json, "used", use->used);
    cd_json_string(json, "reason", use->reason);
    if (use->predicted > 0) cd_json_number(json, "predicted_s", use->predicted);
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
