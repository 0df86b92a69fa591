// SPDX-License-Identifier: BSD-3-Clause
// Generalized-alpha, and its special case HHT, on the equations of motion with constraints at position and velocity
// level (stabilized index 2). The spectral radius rho sets the damping of stiff modes; slow modes are hardly damped.
// Order 2, also for the multipliers and for variable steps, which follow from a tolerance.
//
//     r(q, v, a, lambda) = 0,   c(q, t) = 0,   c'(q, v, t) = 0       at the end of the step
//     (1 - am) b1 + am b0 = (1 - af) a1 + af a0                      b: algorithmic accelerations
//     x  = h v0 + h^2 ((1/2 - beta) b0 + beta b1) - J0'eta           q1 = q0 (+) x;  eta: multiplier of c = 0
//     v1 = v0 + h ((1 - gamma) b0 + gamma b1)
//     s1 = s0 + h (s0' + s1') / 2                                    user states
//
// Newton's iteration is in alpha_newton.c.
//
//     local errors, d = am - af:  (d/2 + beta - 1/6) h^3 q'''  and  (1/12 + d (am - 1/2) - d^2) h^3 v'''
//
// When the step size changes, the part d h a' of b0 - a0 is scaled with it. Redundant rows are omitted. Chung,
// Hulbert 1993; Arnold, Bruels 2007, Multibody Syst. Dyn. 18; Arnold, Bruels, Cardona 2015, Numer. Math. 129
// (stabilized index 2).
#include "simulation/integrators/alpha_newton.h"
#include "simulation/integrators/integrator.h"

#include "dynamics/data.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"

#include <cardan/assemble.h>
#include <float.h>
#include <math.h>
#include <string.h>

static void layout(const cd_ode_system* system, cd_arena* arena, void* work)
{
    cd_alpha_work* w  = work;
    const int      nv = system->nv, ns = system->ns;
    const int      nrow = system->data->rows.nrow;
    const size_t   n    = (size_t)(nv + ns + 2 * nrow);
    w->is_sparse        = cd_prefers_sparse_jacobian(system);
    cd_independent_rows_layout(system, arena, &w->independent);
    if (w->is_sparse)
        cd_equation_jacobian_set_offsets(system, &w->jacobian);
    else
        cd_equation_jacobian_layout(system, arena, &w->jacobian);
    w->jacobian.may_use_generated = !w->is_sparse;
    cd_ode_state_layout(system, arena, &w->from);
    cd_ode_state_layout(system, arena, &w->to);
    double** const arrays[] = {&w->a0, &w->b0, &w->a1, &w->b1, &w->a_previous, &w->x, &w->v, &w->inertia_diagonal};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) CD_ARENA_ARRAY(arena, *arrays[i], nv);
    CD_ARENA_ARRAY(arena, w->g0, ns + 1);
    CD_ARENA_ARRAY(arena, w->g1, ns + 1);
    CD_ARENA_ARRAY(arena, w->g_previous, ns + 1);
    CD_ARENA_ARRAY(arena, w->s, ns);
    CD_ARENA_ARRAY(arena, w->lambda0, nrow);
    CD_ARENA_ARRAY(arena, w->lambda, nrow);
    CD_ARENA_ARRAY(arena, w->residual, w->jacobian.n + 1); // also used for a rate with its power
    CD_ARENA_ARRAY(arena, w->correction, n);
    if (w->is_sparse) return;
    CD_ARENA_ARRAY(arena, w->J0, (size_t)nv * (size_t)nrow);
    CD_ARENA_ARRAY(arena, w->matrix, n * n);
    CD_ARENA_ARRAY(arena, w->pivot, n);
}

// Second derivative of a rate over the last two steps; before the first step, the value ahead of the start replaces
// the one before it.
static double second_derivative(const cd_alpha_work* w, double h, double noise, double value_before, double value_start,
                                double value_end)
{
    const double change = (value_end - value_start) / h - (value_start - value_before) / w->h_previous;
    return fmax(fabs(change) - noise / h, 0) * 2 / (h + w->h_previous);
}

static void track_largest(double error, int entry, double* err, int* worst)
{
    if (error <= *err) return;
    *err   = isfinite(error) ? error : INFINITY;
    *worst = entry;
}

// Largest local error relative to the error budget of the step, and its entry.
static double local_error(const cd_ode_system* system, const cd_alpha_work* w, double h, int* worst)
{
    const cd_alpha_parameters* k  = &w->parameters;
    const int                  nv = system->nv, nq = system->nq;
    const double               d = k->am - k->af, h3 = h * h * h;
    const double               cx = (d / 2 + k->beta - 1.0 / 6) * h3, cv = (1.0 / 12 + d * (k->am - 0.5) - d * d) * h3;
    double                     err = 0, velocity_max = 1;
    for (int i = 0; i < nv; ++i) velocity_max = fmax(velocity_max, fabs(w->v[i]));
    // constraints determine velocities to round-off, and accelerations to round-off divided by the step
    const double noise = system->has_constraints
                             ? 1000 * DBL_EPSILON * velocity_max / fmin(h, w->steps_taken > 0 ? w->h_previous : h)
                             : 0;
    for (int i = 0; i < nv; ++i) {
        track_largest(fabs(cx * fmax(fabs(w->a1[i] - w->a0[i]) - noise, 0) / h) /
                          cd_alpha_position_error_scale(system, w, i),
                      nq + i, &err, worst);
        track_largest(fabs(cv * second_derivative(w, h, noise, w->a_previous[i], w->a0[i], w->a1[i])) /
                          cd_alpha_velocity_error_scale(system, w, i),
                      nq + i, &err, worst);
    }
    for (int i = 0; i < system->ns; ++i)
        track_largest(h3 / 12 * second_derivative(w, h, 0, w->g_previous[i], w->g0[i], w->g1[i]) /
                          cd_alpha_state_error_scale(system, w, i),
                      nq + nv + i, &err, worst);
    return err / cd_alpha_error_budget(system, h);
}

// Largest change of accelerations and rates in a step, in velocity error scales per second; of positions, times the
// step size.
static double acceleration_change(const cd_ode_system* system, const cd_alpha_work* w, double h)
{
    const int nv      = system->nv;
    double    largest = 0;
    for (int i = 0; i < nv; ++i)
        largest = fmax(largest, fabs(w->a1[i] - w->a0[i]) * fmax(1 / cd_alpha_velocity_error_scale(system, w, i),
                                                                 h / cd_alpha_position_error_scale(system, w, i)));
    for (int i = 0; i < system->ns; ++i)
        largest = fmax(largest, fabs(w->g1[i] - w->g0[i]) / cd_alpha_state_error_scale(system, w, i));
    return largest;
}

// Work of a step by the parabola through the power at its ends and one step earlier.
static double work_of_step(const cd_alpha_work* w, int at, double h)
{
    const double p0 = w->g0[at], p1 = w->g1[at], mean = h * (p0 + p1) / 2;
    if (w->steps_taken == 0) return mean;
    const double curvature = ((p1 - p0) / h - (p0 - w->g_previous[at]) / w->h_previous) / (h + w->h_previous);
    return mean - curvature * h * h * h / 6;
}

// Compute the algorithmic accelerations at the end, and the work; accept the step.
static void accept(cd_ode_system* system, cd_alpha_work* w, double h, cd_ode_state* x)
{
    const cd_alpha_parameters* k  = &w->parameters;
    const int                  nv = system->nv, ns = system->ns;
    for (int i = 0; i < nv; ++i)
        w->b1[i] = ((1 - k->af) * w->a1[i] + k->af * w->a0[i] - k->am * w->b0[i]) / (1 - k->am);
    w->to.z[nv + ns] = w->from.z[nv + ns] + work_of_step(w, ns, h);
    cd_ode_state_copy(system, &w->to, x);
    w->h_taken = h;
}

// Evaluate J0 at the start of the next step.
static cardan_status set_step_start(cd_ode_system* system, cd_alpha_work* w)
{
    if (w->independent.nrow == 0) return CARDAN_OK;
    const cardan_status status =
        cd_data_set_state_if_changed(system->data, w->from.t, w->from.q, w->from.z, cd_user_states(system, w->from.z));
    if (status) return status;
    if (w->is_sparse)
        cd_alpha_sparse_begin_step(system, w);
    else
        cd_constraint_jacobian_dense(system, w->J0);
    return CARDAN_OK;
}

// Make the end of the last step the start of the next: from, a0, b0, g0, J0.
static cardan_status shift_history(cd_ode_system* system, cd_alpha_work* w, const cd_ode_state* x)
{
    const size_t nv = (size_t)system->nv * sizeof(double), ng = (size_t)(system->ns + 1) * sizeof(double);
    if (w->h_taken == 0) return CARDAN_OK;
    cd_ode_state_copy(system, x, &w->from);
    memcpy(w->a_previous, w->a0, nv);
    memcpy(w->g_previous, w->g0, ng);
    memcpy(w->a0, w->a1, nv);
    memcpy(w->b0, w->b1, nv);
    memcpy(w->g0, w->g1, ng);
    memcpy(w->lambda0, w->lambda, (size_t)w->independent.nrow * sizeof(double));
    w->h_previous = w->h_of_b = w->h_taken;
    w->h_taken                = 0;
    ++w->steps_taken;
    return set_step_start(system, w);
}

// Initialize b0 = a0 + d h a', with a' from a state slightly ahead. Without it the multipliers would oscillate at
// first.
static cardan_status initialize_algorithmic_acceleration(cd_ode_system* system, cd_alpha_work* w, double ahead)
{
    const cd_alpha_parameters* k  = &w->parameters;
    const int                  nv = system->nv, ns = system->ns;
    for (int i = 0; i < nv; ++i) {
        w->x[i]    = ahead * (w->from.z[i] + ahead / 2 * w->a0[i]);
        w->to.z[i] = w->from.z[i] + ahead * w->a0[i];
    }
    for (int i = 0; i <= ns; ++i) w->to.z[nv + i] = w->from.z[nv + i] + ahead * w->g0[i];
    cardan_model_integrate_position(system->model, w->from.q, w->x, w->to.q);
    const cardan_status status = cd_rhs_by_library(system, w->from.t + ahead, w->to.q, w->to.z, w->residual);
    if (status == CARDAN_STOPPED) return status;
    w->h_previous = ahead;
    for (int i = 0; i < nv; ++i) {
        const double change = status ? 0 : w->residual[i] - w->a0[i];
        w->a_previous[i]    = w->a0[i] - change;
        w->b0[i] += (k->am - k->af) * w->h_of_b * change / ahead;
    }
    for (int i = 0; i <= ns; ++i) w->g_previous[i] = status ? w->g0[i] : 2 * w->g0[i] - w->residual[nv + i];
    return CARDAN_OK;
}

static cardan_status start(cd_ode_system* system, void* work, const cd_ode_state* x)
{
    cd_alpha_work* w  = work;
    cardan_data*   d  = system->data;
    const int      nv = system->nv;
    cd_ode_state_copy(system, x, &w->from);
    memcpy(w->v, x->z, (size_t)nv * sizeof *w->v);
    if (system->ns) memcpy(w->s, x->z + nv, (size_t)system->ns * sizeof *w->s);
    cardan_status status = cd_rhs_by_library(system, x->t, x->q, x->z, w->residual);
    if (status) return status;
    memcpy(w->a0, w->residual, (size_t)nv * sizeof *w->a0);
    memcpy(w->b0, w->residual, (size_t)nv * sizeof *w->b0);
    memcpy(w->g0, w->residual + nv, (size_t)(system->ns + 1) * sizeof *w->g0);
    memcpy(w->lambda0, d->solve.lambda, (size_t)w->independent.nrow * sizeof *w->lambda0);
    if (!cd_independent_rows_select(system, &w->independent)) return CARDAN_SINGULAR;
    if (w->is_sparse && (status = cd_alpha_sparse_start(system, w))) return status;
    if ((status = set_step_start(system, w))) return status;
    w->factored_h = w->h_taken = 0;
    w->jacobian_valid = w->needs_restart = false;
    w->convergence_rate = w->assumed_rate = 1;
    w->steps_taken                        = 0;
    // the largest relative rate of change gives a time scale; the error of a second-order step is proportional to the
    // square of its fraction
    double change_rate_max = 0;
    for (int i = 0; i < nv; ++i)
        change_rate_max = fmax(change_rate_max, fmax(fabs(w->a0[i]) / cd_alpha_velocity_error_scale(system, w, i),
                                                     fabs(w->from.z[i]) / cd_alpha_position_error_scale(system, w, i)));
    for (int i = 0; i < system->ns; ++i)
        change_rate_max = fmax(change_rate_max, fabs(w->g0[i]) / cd_alpha_state_error_scale(system, w, i));
    const double time_scale =
        change_rate_max > 0 ? 1 / (change_rate_max * system->settings.tolerance) : system->settings.max_step;
    w->h_next = w->h_of_b = fmin(fmin(system->settings.max_step, system->settings.t_end - x->t),
                                 0.1 * sqrt(system->settings.tolerance) * time_scale);
    return initialize_algorithmic_acceleration(system, w, fmin(1e-4 * time_scale, system->settings.t_end - x->t));
}

// Rescale b0 when the step size changes: b0 - a0 = d h a' + e. Only the first part scales with the step. A remaining
// error e decreases by am / (1 - am), a half, per step, and would not if it grew with steps that double.
static void rescale_algorithmic_acceleration(const cd_ode_system* system, cd_alpha_work* w, double h)
{
    const double d = w->parameters.am - w->parameters.af;
    for (int i = 0; i < system->nv && w->h_of_b != h; ++i)
        w->b0[i] += d * (h - w->h_of_b) * (w->a0[i] - w->a_previous[i]) / w->h_previous;
    w->h_of_b = h;
}

// Evaluate the rates at the end of the trial step, and its error. The multipliers are those of the accelerations
// there, for the power of drivers and the losses of gears.
static cardan_status evaluate_error(cd_ode_system* system, cd_alpha_work* w, double h, double* err, int* worst)
{
    cardan_data*  d      = system->data;
    cardan_status status = cd_ode_state_check_finite(system, w->to.t, w->to.q, w->to.z);
    if (!status) status = cd_data_set_state_if_changed(d, w->to.t, w->to.q, w->to.z, cd_user_states(system, w->to.z));
    if (status) return status;
    if (w->independent.nrow > 0) {
        cd_update_rows(d);
        cd_set_gear_losses(d, w->lambda);
        memcpy(d->solve.lambda, w->lambda, (size_t)w->independent.nrow * sizeof *w->lambda);
        d->valid.solution = true;
    }
    cd_rhs_auxiliary(system, w->g1);
    *err = local_error(system, w, h, worst);
    return CARDAN_OK;
}

static cardan_status step_too_small(cd_ode_system* system, const cd_alpha_work* w, cardan_status status, int worst)
{
    if (status && status != CARDAN_NOT_CONVERGED) return status;
    system->failure.t     = w->from.t;
    system->failure.index = status || worst == CARDAN_NONE ? w->worst_entry : worst;
    return CARDAN_STEP_TOO_SMALL;
}

static cardan_status step(cd_ode_system* system, void* work, double limit, cd_ode_state* x)
{
    cd_alpha_work* w            = work;
    cardan_status  status_start = w->needs_restart ? start(system, w, x) : shift_history(system, w, x);
    // redundant rows have changed: select other rows
    if (!status_start && cd_independent_rows_are_outdated(system, &w->independent)) {
        cd_independent_rows_project_state(system, x);
        status_start = start(system, w, x);
    }
    if (status_start) return status_start;
    double        growth_max = 2;
    int           worst      = CARDAN_NONE;
    cardan_status status     = CARDAN_OK;
    for (;;) {
        const double remaining = limit - x->t;
        double       h = fmin(fmin(w->h_next, system->settings.max_step), cd_chart_step_limit(system, x->z) / 2);
        h              = cd_force_discontinuity_limit_step(&w->discontinuity, x->t, h);
        if (h > 0.99 * remaining)
            h = remaining;
        else if (h > 0.5 * remaining)
            h = remaining / 2;
        if (h < cd_min_step(system, x->t) && h < remaining) return step_too_small(system, w, status, worst);
        rescale_algorithmic_acceleration(system, w, h);

        double err = INFINITY;
        status     = cd_alpha_solve_step(system, w, h);
        if (!status) status = evaluate_error(system, w, h, &err, &worst);
        if (status == CARDAN_STOPPED) return status;
        const bool crosses_discontinuity =
            !status && err > 1 &&
            cd_force_discontinuity_step_rejected(&w->discontinuity, x->t, h, acceleration_change(system, w, h));
        if (!status && (err <= 1 || crosses_discontinuity)) {
            w->needs_restart =
                w->discontinuity.detected &&
                cd_force_discontinuity_step_accepted(&w->discontinuity, x->t, h, acceleration_change(system, w, h));
            accept(system, w, h, x);
            const double factor = fmin(growth_max, 0.9 * pow(fmax(err, 1e-6), -0.5));
            w->h_next           = factor > 1.2 || factor < 1 ? h * factor : h; // else reuse the factor of the matrix
            return CARDAN_OK;
        }
        ++system->statistics.rejected_steps;
        growth_max = 1;
        w->h_next  = h * (status ? 0.25 : w->discontinuity.detected ? 0.5 : fmax(0.2, 0.9 * pow(err, -0.5)));
        if (w->h_next < cd_min_step(system, x->t)) return step_too_small(system, w, status, worst);
    }
}

// Cubic polynomial through values and rates at both ends.
static double hermite(double u, double h, double y0, double r0, double y1, double r1)
{
    return y0 + u * (h * r0 + u * (3 * (y1 - y0) - h * (2 * r0 + r1) + u * (2 * (y0 - y1) + h * (r0 + r1))));
}

static cardan_status dense_output(cd_ode_system* system, void* work, double t, cd_ode_state* x)
{
    cd_alpha_work* w  = work;
    const int      nv = system->nv, ns = system->ns;
    const double   h = w->h_taken, u = (t - w->from.t) / h;
    double*        dx = w->correction;
    // the rate at the end of the chart curve is dexpinv(x) v; within a step that equals v to the order of the method
    for (int i = 0; i < nv; ++i) dx[i] = hermite(u, h, 0, w->from.z[i], w->x[i], w->to.z[i]);
    x->t = t;
    cardan_model_integrate_position(system->model, w->from.q, dx, x->q);
    for (int i = 0; i < nv; ++i) x->z[i] = hermite(u, h, w->from.z[i], w->a0[i], w->to.z[i], w->a1[i]);
    for (int i = 0; i <= ns; ++i) x->z[nv + i] = hermite(u, h, w->from.z[nv + i], w->g0[i], w->to.z[nv + i], w->g1[i]);
    return CARDAN_OK;
}

// ---- the two integrators

static cd_alpha_parameters parameters_of_spectral_radius(double spectral_radius)
{
    const double am = (2 * spectral_radius - 1) / (spectral_radius + 1), af = spectral_radius / (spectral_radius + 1),
                 gamma = 0.5 + af - am;
    return (cd_alpha_parameters){am, af, (gamma + 0.5) * (gamma + 0.5) / 4, gamma};
}

static cardan_status start_with(cd_ode_system* system, cd_alpha_work* w, cd_alpha_parameters parameters,
                                const cd_ode_state* x)
{
    w->parameters = parameters;
    cd_force_discontinuity_reset(&w->discontinuity, cd_min_step(system, x->t));
    return start(system, w, x);
}

static cardan_status start_generalized(cd_ode_system* system, void* work, const cd_ode_state* x)
{
    return start_with(system, work, parameters_of_spectral_radius(0.8), x);
}

// Hilber, Hughes, Taylor: am = 0.
static cardan_status start_hht(cd_ode_system* system, void* work, const cd_ode_state* x)
{
    const double af = 0.1;
    return start_with(system, work, (cd_alpha_parameters){0, af, (1 + af) * (1 + af) / 4, 0.5 + af}, x);
}

#define ALPHA_METHOD                                                                                                   \
    .is_adaptive = true, .is_low_order = true, .uses_dense_jacobian = true,                                            \
    .singular_policy = CD_SINGULAR_FALLBACK_IF_STUCK, .can_use_sparse_jacobian = true, .uses_residual = true,          \
    .work_size = sizeof(cd_alpha_work), .layout = layout, .step = step, .dense_output = dense_output,                  \
    .finish = cd_alpha_finish

const cd_integrator cd_generalized_alpha = {
    .name     = "generalized-alpha",
    .summary  = "implicit, second order, damps stiff modes (spectral radius 0.8), constraints on positions and "
                "velocities; variable step",
    .citation = "Chung, Hulbert 1993; Bruels, Cardona, Arnold 2012",
    .start    = start_generalized,
    ALPHA_METHOD,
};

const cd_integrator cd_hht = {
    .name     = "hht",
    .summary  = "Hilber-Hughes-Taylor, a special case of generalized-alpha (alpha = -0.1); variable step",
    .citation = "Hilber, Hughes, Taylor 1977; Negrut, Rampalli, Ottarsson, Sajdak 2007",
    .start    = start_hht,
    ALPHA_METHOD,
};
