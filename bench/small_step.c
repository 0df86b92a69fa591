// SPDX-License-Identifier: BSD-3-Clause
// bench_small_step: what a step of a small mechanism costs beyond its evaluations and its projection.
//
// For each mechanism, integrator and formulation: time of one step of a run; of one evaluation (state, kinematics,
// forces, rows, solve); of the projection as the step does it (with the factor of the evaluation at its start); and
//
//     ratio = step / (stages * evaluation + projection).
//
// Evaluation and projection are timed at the states of these very steps, as the run leaves them: not yet projected. The
// projection is that of simulation/ode/fused_projection.c without a frozen rank. The three are measured in turns, and the
// shortest of many rounds counts, so that other load of the machine has little effect.
//
//   bench_small_step [MODEL [FORMULATION]]        from the root of the repository; exit code 1 if a goal is missed
#include "clock.h"

#include "dynamics/data.h"
#include "dynamics/projection/project.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"
#include "simulation/simulation.h"
#include "simulation/simulation_tolerances.h"

#include <cardan/cardan.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 60, STATES = 512 };

static const double goal = 1.3; // ratio, for mechanisms with loops

static const char* const model_names[]  = {"four_bar", "slider_crank", "pendulum"};
static const char* const formulations[] = {"reduction", "lagrange", "embedding", "augmented", "order-n"};
static const struct {
    const char* name;
    int         stages;
} integrators[] = {{"rk4", 4}, {"semi-implicit-euler", 1}};

typedef struct bench {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data; // of the run
    cardan_data*        copy; // for evaluation and projection alone
    cd_simulation       s;
    cardan_run_summary  summary;
    cd_ode_state        x[STATES]; // ends of successive steps, not yet projected
    double*             values;
    double*             a;
    long                projected_first, not_fused; // states of evaluate_and_project
} bench;

static const double step_size = 1e-3; // [s]

// A failure ends the benchmark: figures of a part of the cases would look complete.
static void fail(const bench* b)
{
    const cardan_report* report = b->s.report;
    fflush(stdout);
    fprintf(stderr, "%s by %s cannot be measured: %s\n", b->s.integrator->name, b->data->formulation->name,
            report->count ? report->message[report->count - 1].text : "an evaluation failed");
    exit(2);
}

static void advance_steps(bench* b)
{
    const double t = (STATES - 0.5) * step_size;
    if (cd_simulation_advance(&b->s, t)) fail(b);
}

static void evaluate(bench* b, const cd_ode_state* x)
{
    cd_data_set_state(b->copy, x->t, x->q, x->z, x->z + b->model->nv);
    if (cardan_data_accelerate(b->copy, b->a, NULL, NULL)) fail(b);
}

// Projection and evaluation as at the start of a step: rows of full rank are corrected with the factor of the
// evaluation, redundant rows and large violations by a projection before it.
static void evaluate_and_project(bench* b, const cd_ode_state* x, double h)
{
    cardan_data*         d      = b->copy;
    const cd_ode_system* system = &b->s.system;
    const bool full_rank        = system->conditioning.rank_deficiency_generic == 0 && !system->projection.fused_failed;
    double *   q = b->values, *v = b->values + b->model->nq, violation;
    memcpy(q, x->q, (size_t)b->model->nq * sizeof *q);
    memcpy(v, x->z, (size_t)b->model->nv * sizeof *v);
    cd_data_set_state(d, x->t, q, v, x->z + b->model->nv);
    cd_update_constraint_values_and_rows(d);
    cd_scaled_violations(d, &violation, NULL);
    if (violation > (full_rank ? cd_projected_first_violation : cd_projected_first_redundant_violation)) {
        cardan_data_project(d, NULL, q, v, NULL, NULL);
        ++b->projected_first;
    }
    if (!full_rank) h = 0;
    d->settings.assume_full_rank         = full_rank;
    d->settings.want_position_correction = violation > 0 && full_rank;
    d->settings.velocity_damping_rate    = h > 0 ? 1 / h : 0;
    d->valid.gamma                       = d->valid.gamma && !(h > 0);
    if (cardan_data_accelerate(d, b->a, NULL, NULL)) fail(b);
    d->settings.assume_full_rank         = false;
    d->settings.want_position_correction = false;
    d->settings.velocity_damping_rate    = 0;
    if (!cd_project_with_current_factor(d, q, h > 0 ? NULL : v)) ++b->not_fused;
}

static double time_steps(bench* b)
{
    cd_simulation_reset(&b->s);
    if (cd_simulation_start(&b->s)) fail(b);
    const long   before = b->summary.steps;
    const double start  = clock_us();
    advance_steps(b);
    return (clock_us() - start) / (double)(b->summary.steps - before);
}

static double time_states(bench* b, bool project, double h)
{
    const double start = clock_us();
    for (int i = 0; i < STATES; ++i) project ? evaluate_and_project(b, &b->x[i], h) : evaluate(b, &b->x[i]);
    return (clock_us() - start) / STATES;
}

static bool create(bench* b, const char* model, int formulation, int integrator, cardan_report* report)
{
    char                path[256];
    cardan_run_settings run = cardan_run_default();
    snprintf(path, sizeof path, "models/%s", model);
    if (cardan_description_load(path, NULL, &b->description, report) ||
        cardan_model_compile(b->description, cardan_formulation_tree_policy(formulation), &b->model, report) ||
        cardan_data_create(b->model, formulation, &b->data, report) ||
        cardan_data_create(b->model, formulation, &b->copy, report))
        return false;
    run.integrator = integrator;
    run.step       = step_size;
    run.end = run.output_interval = 1e4;
    b->s.summary                  = &b->summary;
    b->s.report                   = report;
    return !cd_settings_complete(&run, &b->s.run, report) && !cd_look_ahead_start(&b->s, b->data) &&
           !cd_simulation_prepare(&b->s, b->data, &run) && !cd_simulation_start(&b->s);
}

// Store the ends of successive steps.
static bool record_states(bench* b)
{
    const int nq = b->model->nq, nz = b->s.system.nz;
    b->values = calloc((size_t)(STATES + 1) * (size_t)(nq + nz), sizeof(double));
    b->a      = calloc((size_t)b->model->nv + 1, sizeof(double));
    for (int i = 0; b->values && b->a && i < STATES; ++i) {
        double* at = b->values + (size_t)(i + 1) * (size_t)(nq + nz);
        b->x[i]    = (cd_ode_state){.q = at, .z = at + nq};
        if (cd_simulation_advance(&b->s, b->s.x.t + 0.5 * step_size)) return false;
        cd_ode_state_copy(&b->s.system, &b->s.x, &b->x[i]);
    }
    return b->values && b->a;
}

static void destroy(bench* b)
{
    cd_simulation_close(&b->s, CARDAN_STOPPED);
    cardan_data_destroy(b->data);
    cardan_data_destroy(b->copy);
    if (b->model) cardan_model_destroy(b->model);
    if (b->description) cardan_description_destroy(b->description);
    free(b->values);
    free(b->a);
}

// Returns whether the goal is missed.
static bool measure(bench* b, const char* model, int formulation, int k)
{
    double       step = INFINITY, evaluation = INFINITY, both = INFINITY;
    const bool   has_loops = b->s.system.has_constraints;
    const double h         = integrators[k].stages == 1 ? step_size : 0;
    for (int i = 0; i < ROUNDS; ++i) {
        step       = fmin(step, time_steps(b));
        evaluation = fmin(evaluation, time_states(b, false, h));
        both       = has_loops ? fmin(both, time_states(b, true, h)) : evaluation;
    }
    const double projection = has_loops ? fmax(0, both - evaluation) : 0,
                 ratio      = step / (integrators[k].stages * evaluation + projection);
    // With a frozen rank the step projects by the factor of the evaluation, which is not reproduced here.
    const bool comparable = !(h > 0 && b->copy->formulation->properties & CD_CAN_FREEZE_RANK &&
                              b->s.system.conditioning.rank_deficiency_generic != 0);
    const bool missed     = comparable && has_loops && ratio > goal;
    printf("%-13s %-20s %-10s %8.3f %8.3f %8.3f %7.2f%s\n", model, integrators[k].name,
           cardan_formulation_name(formulation), step, evaluation, projection, ratio,
           !comparable ? "  not comparable"
           : missed    ? "  MISSED"
                       : "");
    if (b->projected_first + b->not_fused > 0)
        printf("    projected before the evaluation: %.0f %% of the states; not by one correction: %.0f %%\n",
               100.0 * (double)b->projected_first / (ROUNDS * STATES),
               100.0 * (double)b->not_fused / (ROUNDS * STATES));
    fflush(stdout);
    return missed;
}

int main(int argc, char** argv)
{
    static cardan_report report;
    int                  missed = 0;
    clock_pin();
    printf("%-13s %-20s %-10s %8s %8s %8s %7s   [us]\n", "model", "integrator", "by", "step", "eval.", "project",
           "ratio");
    for (size_t m = 0; m < sizeof model_names / sizeof *model_names; ++m)
        for (size_t k = 0; k < sizeof integrators / sizeof *integrators; ++k)
            for (size_t f = 0; f < sizeof formulations / sizeof *formulations; ++f) {
                static bench b;
                const int    formulation = cardan_formulation_find(formulations[f]);
                if ((argc > 1 && strcmp(argv[1], model_names[m]) != 0) ||
                    (argc > 2 && strcmp(argv[2], formulations[f]) != 0) || formulation < 0)
                    continue;
                b = (bench){0};
                cardan_report_clear(&report);
                if (create(&b, model_names[m], formulation, cardan_integrator_find(integrators[k].name), &report) &&
                    record_states(&b))
                    missed += measure(&b, model_names[m], formulation, (int)k);
                destroy(&b);
            }
    return missed > 0;
}
