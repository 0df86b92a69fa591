// SPDX-License-Identifier: BSD-3-Clause
// Sequential regularization as a fixed-step method: no matrix of the loops is formed. The tree of the mechanism is
// solved exactly at every stage, and the constraints are satisfied by multipliers that are iterated over windows of
// steps (multiplier_window.h),
//
//   M a(s) = r - J'mu(s),     mu(s) = mu(s-1) + (cdot + alpha c)/epsilon
//
// minus the violation inherited from the window before, which decays within the time constant of the penalty forces,
// 2/lambda_max: an iteration would turn it into a velocity jump. The cost of a step is linear in links and iterations
// for any loops, and rows that are redundant, always or at a singular configuration, do no harm. In joint coordinates
// this is AlgI of paper 001 (Ascher, Lin), equation 3.12; in maximal coordinates every joint is a constraint and only
// the mass matrix is inverted, which is its AlgII, equation 3.10. docs/theory/regularized.md.
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"
#include "explain/explain.h"
#include "simulation/integrators/sequential_regularization/cut_tree.h"
#include "simulation/integrators/integrator.h"
#include "simulation/simulation_settings.h"
#include "simulation/simulation_tolerances.h"

#include <cardan/assemble.h>
#include <math.h>
#include <string.h>

typedef struct regularized_work {
    cd_ode_system*       system;
    cd_cut_tree          tree;
    cd_multiplier_window window;
    int                  stages, previous_steps; // steps of the window before, 0: none
    bool                 needs_restart;          // its multipliers are no initial guess for the next window
    double               t, h, alpha;            // start of the window [s]; its step [s]; Baumgarte rate [1/s]
    double               release_time;           // [s] time constant of the decay of the inherited violation
    double               stability_bound;        // largest stable h lambda_max / epsilon,
    int                  bound_steps;            // for windows of this many steps
    cd_ode_state*        state;                  // (steps + 1) ends of the steps
    double *             y, *k[2];               // (n) stage, rates
    double*              inherited_rate;         // (nrow) cdot + alpha c at the start of the window
    double*              bound_scratch;          // (steps x stages) scratch of the stability bound
    double               violation_max;          // violation added in this iteration so far
    int                  worst_row;              // its row
    cd_solve_info        solve_info;
} regularized_work;

static int window_steps_max(const cd_ode_system* system) { return system->regularization.window; }

static void layout(const cd_ode_system* system, cd_arena* arena, regularized_work* w, int stages)
{
    const int steps = window_steps_max(system), nrow = system->data->rows.nrow;
    w->stages = stages;
    cd_cut_tree_layout(system->data, arena, &w->tree);
    CD_ARENA_ARRAY(arena, w->state, steps + 1);
    cd_ode_state none;
    for (int i = 0; i <= steps; ++i) cd_ode_state_layout(system, arena, w->state ? &w->state[i] : &none);
    CD_ARENA_ARRAY(arena, w->y, system->n);
    for (int i = 0; i < 2; ++i) CD_ARENA_ARRAY(arena, w->k[i], system->n);
    CD_ARENA_ARRAY(arena, w->inherited_rate, nrow);
    CD_ARENA_ARRAY(arena, w->bound_scratch, steps * stages);
    CD_ARENA_ARRAY(arena, w->window.mu, (size_t)(steps * stages) * (size_t)nrow + 1);
}

static void layout_euler(const cd_ode_system* system, cd_arena* arena, void* work) { layout(system, arena, work, 1); }
static void layout_midpoint(const cd_ode_system* system, cd_arena* arena, void* work)
{
    layout(system, arena, work, 2);
}

static void finish(void* work) { cd_cut_tree_release(&((regularized_work*)work)->tree); }

// Compute z' at the state of the data under mu; with update_multipliers, mu becomes that of this iteration.
// *violation: violation there.
static cardan_status rate_under_multipliers(cd_ode_system* system, regularized_work* w, bool update_multipliers,
                                            double* mu, double* rate, double* violation)
{
    cardan_data* d    = system->data;
    const int    nrow = d->rows.nrow;
    cd_update_rows(d);
    for (int i = 0; update_multipliers && i < nrow; ++i) {
        const double total_rate = d->constraints.rate[i] + w->alpha * d->constraints.value[i],
                     new_rate   = total_rate - w->inherited_rate[i] * exp((w->t - d->t) / w->release_time);
        mu[i] += new_rate / w->tree.epsilon[i];
        const double violation_added = fabs(new_rate) * w->window.steps * w->h;
        if (!isfinite(w->tree.epsilon[i]) || violation_added <= *violation) continue;
        *violation = violation_added;
        if (violation_added > w->violation_max) w->violation_max = violation_added, w->worst_row = i;
    }
    const cardan_status status = cd_cut_tree_factor(d, &w->tree, &w->solve_info);
    if (status) return status;
    cd_cut_tree_accelerate(d, &w->tree, mu, rate);
    cd_rhs_auxiliary(system, rate + system->nv);
    return CARDAN_OK;
}

// Take one step h from x to `to` with multipliers mu (stages x nrow). *violation: running maximum.
static cardan_status advance_step(cd_ode_system* system, regularized_work* w, const cd_ode_state* x, double h,
                                  bool update_multipliers, double* mu, cd_ode_state* to, double* violation)
{
    const int     nv     = system->nv;
    cardan_status status = cd_ode_system_set_state(system, x->t, x->q, x->z);
    if (!status) status = rate_under_multipliers(system, w, update_multipliers, mu, w->k[0] + nv, violation);
    if (status) return status;
    memcpy(w->k[0], x->z, (size_t)nv * sizeof *x->z); // in the chart about x itself theta' = v
    for (int s = 1; s <= w->stages; ++s) {
        const double part = s == w->stages ? h : h / 2, *rate = w->k[s - 1];
        for (int i = 0; i < system->n; ++i) w->y[i] = (i < nv ? 0 : x->z[i - nv]) + part * rate[i];
        if (s == w->stages) break;
        cardan_model_integrate_position(system->model, x->q, w->y, system->q_scratch);
        status = cd_ode_system_set_state(system, x->t + part, system->q_scratch, w->y + nv);
        if (!status)
            status = rate_under_multipliers(system, w, update_multipliers, mu + s * system->data->rows.nrow,
                                            w->k[s] + nv, violation);
        if (status) return status;
        cd_chart_rate_of_theta(system, w->y, w->k[s]);
    }
    const double t = x->t + h;
    cd_chart_to_state(system, t, x->q, w->y, to);
    return cd_ode_state_check_finite(system, t, to->q, to->z);
}

// Start an iteration; state[0] is unchanged.
static void begin_window(void* context) { ((regularized_work*)context)->violation_max = 0; }

static cardan_status window_step(void* context, int k, double* mu, double* violation)
{
    regularized_work* w = context;
    return advance_step(w->system, w, &w->state[k], w->h, true, mu, &w->state[k + 1], violation);
}

// Start with the multipliers of the formulation, if it has a solution; else with zero.
static cardan_status start(cd_ode_system* system, void* work, const cd_ode_state* x)
{
    regularized_work*        w        = work;
    const cd_regularization* settings = &system->regularization;
    cardan_data*             d        = system->data;
    const int                nrow     = d->rows.nrow;
    if (d->constraints.nlossy > 0) return CARDAN_UNSUPPORTED;
    w->system             = system;
    w->alpha              = settings->baumgarte_rate;
    w->tree.epsilon_given = settings->epsilon;
    cardan_status status  = cd_data_set_ode_state(system, x);
    if (status) return status;
    w->window                    = (cd_multiplier_window){.nmultiplier     = nrow,
                                                          .stages          = w->stages,
                                                          .max_iterations  = nrow > 0 ? settings->max_iterations : 1,
                                                          .tolerance       = settings->violation_tolerance,
                                                          .mu              = w->window.mu,
                                                          .context         = w,
                                                          .begin_iteration = begin_window,
                                                          .step            = window_step};
    const bool multipliers_known = nrow > 0 && cardan_data_accelerate(d, system->a, NULL, NULL) == CARDAN_OK;
    w->previous_steps            = 1;
    w->needs_restart             = false;
    for (int i = 0; i < nrow; ++i)
        w->window.mu[(w->stages - 1) * nrow + i] = multipliers_known ? d->solve.lambda[i] : 0;
    return CARDAN_OK;
}

// Update the stability bound. Windows shortened by the end of a run are too few to grow. Two iterations are assumed:
// the second one is done before the test whether it halves the violation.
static void choose_stability_bound(const cd_ode_system* system, regularized_work* w)
{
    const int iterations = system->regularization.max_iterations < 2 ? system->regularization.max_iterations : 2,
              steps_min =
                  window_steps_max(system) < CD_WINDOW_STEPS_MIN ? window_steps_max(system) : CD_WINDOW_STEPS_MIN,
              steps = w->window.steps > steps_min ? w->window.steps : steps_min;
    if (steps == w->bound_steps) return;
    w->stability_bound = cd_window_stability_bound(steps, w->stages, iterations, w->bound_scratch);
    w->bound_steps     = steps;
}

// Choose epsilon for the window that starts at the state of the data.
static cardan_status choose_epsilon(cd_ode_system* system, regularized_work* w)
{
    cardan_data*       d        = system->data;
    cd_regularization* settings = &system->regularization;
    double             stability_ratio;
    if (d->rows.nrow == 0) return CARDAN_OK;
    cd_update_rows(d);
    cardan_status status = cd_cut_tree_factor(d, &w->tree, &w->solve_info);
    if (!status) status = cd_cut_tree_stability_bound(d, &w->tree, w->h, cd_epsilon_margin, &stability_ratio);
    if (status) return status;
    choose_stability_bound(system, w);
    w->release_time = stability_ratio * w->h;
    for (int i = 0; i < d->rows.nrow; ++i)
        w->inherited_rate[i] = d->constraints.rate[i] + w->alpha * d->constraints.value[i];
    settings->epsilon_stable_min        = w->h * w->tree.lambda_max / w->stability_bound;
    settings->result.max_mobility       = fmax(settings->result.max_mobility, w->tree.lambda_max);
    settings->result.epsilon_stable_min = fmax(settings->result.epsilon_stable_min, settings->epsilon_stable_min);
    return settings->epsilon > 0 && settings->epsilon < settings->epsilon_stable_min ? CARDAN_BAD_USAGE : CARDAN_OK;
}

static void record_over_tolerance(cd_regularization* settings, const regularized_work* w)
{
    cardan_regularization_summary* r         = &settings->result;
    const double                   violation = w->window.violation[w->window.iterations - 1];
    settings->over_tolerance                 = settings->tolerance_given && violation > settings->violation_tolerance;
    settings->worst_row                      = w->worst_row;
    if (!settings->over_tolerance) return;
    ++r->windows_over_tolerance;
    if (violation <= r->max_window_violation) return;
    r->max_window_violation   = violation;
    r->max_window_violation_t = w->t;
}

static void record_result(cd_ode_system* system, const cd_multiplier_window* window)
{
    cardan_regularization_summary* r = &system->regularization.result;
    ++r->windows;
    r->iterations += window->iterations;
    for (int i = 0; i < window->iterations && i < CARDAN_WINDOW_ITERATIONS_REPORTED; ++i)
        r->violation_per_iteration[i] = fmax(r->violation_per_iteration[i], window->violation[i]);
    for (int i = window->iterations; i < CARDAN_WINDOW_ITERATIONS_REPORTED; ++i)
        r->violation_per_iteration[i] = fmax(r->violation_per_iteration[i], window->violation[window->iterations - 1]);
}

static cardan_status step(cd_ode_system* system, void* work, double limit, cd_ode_state* x)
{
    regularized_work*   w            = work;
    const cardan_status status_start = w->needs_restart ? start(system, w, x) : CARDAN_OK;
    if (status_start) return status_start;
    w->window.steps = (int)fmax(1, ceil((limit - x->t) / system->settings.fixed_step - cd_count_roundoff));
    if (w->window.steps > window_steps_max(system)) w->window.steps = window_steps_max(system);
    w->t = x->t;
    w->h = (limit - x->t) / w->window.steps;
    cd_ode_state_copy(system, x, &w->state[0]);
    cardan_status status = cd_data_set_ode_state(system, x);
    if (!status) status = choose_epsilon(system, w);
    if (status) return status;
    if (system->data->rows.nrow > 0) cd_multiplier_window_extrapolate(&w->window, w->previous_steps);
    status = cd_multiplier_window_run(&w->window);
    if (status) return status;
    w->previous_steps = w->window.steps;
    w->needs_restart  = w->h < cd_short_window_step_fraction * system->settings.fixed_step;
    system->statistics.extra_steps += w->window.steps - 1;
    record_result(system, &w->window);
    if (system->data->rows.nrow > 0) record_over_tolerance(&system->regularization, w);
    cd_ode_state_copy(system, &w->state[w->window.steps], x);
    x->t = limit;
    return CARDAN_OK;
}

// Repeat the step that contains t up to t, with the multipliers found.
static cardan_status dense_output(cd_ode_system* system, void* work, double t, cd_ode_state* x)
{
    regularized_work* w         = work;
    const int         nrow      = system->data->rows.nrow;
    int               k         = (int)floor((t - w->t) / w->h * (1 + 1e-12));
    double            violation = 0;
    if (k < 0) k = 0;
    if (k >= w->window.steps) k = w->window.steps - 1;
    const cardan_status status = advance_step(system, w, &w->state[k], t - w->state[k].t, false,
                                              w->window.mu + (size_t)(k * w->stages * nrow), x, &violation);
    x->t                       = t;
    return status;
}

// If the formulation has no solution, solve the tree under the last multipliers.
static cardan_status accelerate(cd_ode_system* system, void* work, double* a)
{
    regularized_work* w    = work;
    cardan_data*      d    = system->data;
    const int         nrow = d->rows.nrow;
    const int         last = w->previous_steps > 0 ? w->previous_steps : 1;
    cd_update_rows(d);
    const cardan_status status = cd_cut_tree_factor(d, &w->tree, &w->solve_info);
    if (status) return status;
    const double* mu = w->window.mu + (size_t)((last * w->stages - 1) * nrow);
    cd_cut_tree_accelerate(d, &w->tree, mu, a);
    memcpy(d->solve.lambda, mu, (size_t)nrow * sizeof *mu);
    d->valid.solution = true;
    return CARDAN_OK;
}

// Report a motion without inertia that only constraints determine: the tree, or a free body, is solved without them
// and needs inertia.
static void explain_inertia(cardan_data* d, int v, cardan_report* report)
{
    int        local;
    const bool is_maximal = d->m->policy == CARDAN_TREE_MAXIMAL;
    const int  j          = v >= 0 && v < d->m->nv ? cardan_model_joint_of_velocity(d->m, v, &local) : CARDAN_NONE;
    if (j == CARDAN_NONE || d->rows.nrow == 0) {
        cd_fail_zero_inertia(d, v, report);
        return;
    }
    cardan_fail(report, CARDAN_SINGULAR, CARDAN_CODE_ZERO_INERTIA, cardan_location_none(),
                "%s '%s': at t = %g s one of its motions has no inertia, and this integrator solves %s without the "
                "constraints that determine it; give it an inertia, or use %sanother integrator",
                is_maximal ? "body" : "joint", d->m->joint[j].name, d->t,
                is_maximal ? "every body separately," : "the spanning tree",
                is_maximal ? "a formulation in joint coordinates, or " : "");
}

// Report failures that only this method has.
static bool explain(cd_ode_system* system, void* work, cardan_status status, cardan_report* report)
{
    const regularized_work*  w        = work;
    const cd_regularization* settings = &system->regularization;
    if (status == CARDAN_BAD_USAGE)
        cardan_fail(report, status, CARDAN_CODE_REGULARIZATION_UNSTABLE, cardan_location_none(),
                    "at t = %.9g s the regularization epsilon = %g is too small for steps of %g s: they are unstable "
                    "below epsilon = %.3g; use at least that (better twice as much), the default, or a smaller step",
                    system->data->t, settings->epsilon, system->settings.fixed_step, settings->epsilon_stable_min);
    else if (status == CARDAN_UNSUPPORTED)
        cardan_fail(report, status, CARDAN_CODE_NOT_SUPPORTED, cardan_location_none(),
                    "this integrator does not support losses that depend on the load, such as those of gears with an "
                    "efficiency below 1: use another integrator");
    else if (status == CARDAN_SINGULAR)
        explain_inertia(system->data, w->solve_info.failed_velocity, report);
    else
        return false;
    return true;
}

#define REGULARIZED_METHOD                                                                                             \
    .citation = "Ascher, Lin 1997, equations 3.10 and 3.12", .is_regularized = true,                                   \
    .work_size = sizeof(regularized_work), .start = start, .step = step, .dense_output = dense_output,                 \
    .accelerate = accelerate, .report_failure = explain, .finish = finish

const cd_integrator cd_regularized_euler = {
    .name    = "regularized-euler",
    .summary = "first order, fixed step; constraints satisfied by multipliers iterated over windows of steps",
    .order   = 1,
    .layout  = layout_euler,
    REGULARIZED_METHOD,
};

const cd_integrator cd_regularized_midpoint = {
    .name    = "regularized-midpoint",
    .summary = "second order, fixed step; constraints satisfied by multipliers iterated over windows of steps",
    .order   = 2,
    .layout  = layout_midpoint,
    REGULARIZED_METHOD,
};
