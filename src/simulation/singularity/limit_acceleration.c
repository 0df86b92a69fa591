// SPDX-License-Identifier: BSD-3-Clause
// A motion passes a singular configuration smoothly, with bounded accelerations. The round-off is unbounded: with the
// smallest singular value sigma, its rate sigma' and the round-off e of the constraint c = sigma y, the motion has the
// error y = e/sigma, and in the time sigma/sigma' to the singular configuration that error causes an acceleration of
// the order e/sigma (sigma'/sigma)^2. Where that would affect a step, the
// accelerations are interpolated between configurations (nodes) before and behind it along the motion,
//
//   x(u) = (q + u v + u^2 a/2, v + u a) projected,     a(u) at x(u),     a(0) by the Lagrange polynomial
//                                                                        through three regular nodes on either side,
//
// which holds for any smooth path through the configuration, also if singular configurations of other loops lie on
// it: those are skipped. The gain in accuracy is estimated: with A2, A4 and A6 from the nearest two, four and all six
// nodes, the error of A6 is about |A6 - A4|^2 / |A4 - A2|; the best of several node spacings T is taken, and it
// replaces the accelerations of the state itself only if they differ by more than that error. The nodes must be far
// better conditioned: if the motion does not leave the singular configuration soon (it is slow, reverses there, or
// follows it) nothing is gained. docs/theory/singular.md (4).
#include "simulation/singularity/limit_acceleration.h"

#include "dynamics/data.h"
#include "dynamics/energy.h"
#include "dynamics/projection/near_singular_projection.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"
#include "dynamics/unit_scales.h"
#include "math/norm_inf.h"
#include "simulation/ode/ode_system.h"
#include "simulation/simulation_tolerances.h"

#include <cardan/assemble.h>

#include <float.h>
#include <math.h>
#include <string.h>

enum { NODE_DISTANCE_MAX = 5 }; // multiples of T

// Record: accelerations, multipliers, power, and velocities. Multipliers may be unbounded towards the singular
// configuration, their total effect is bounded; velocities are needed in kinematic analysis, where they are not
// integrated.
static int record_size(const cd_ode_system* system) { return 2 * system->nv + system->data->solver_rows.nrow + 1; }
static int power_index(const cd_ode_system* system) { return system->nv + system->data->solver_rows.nrow; }

void cd_singular_limit_layout(cd_ode_system* system, cd_arena* arena)
{
    cd_singular_limit* limit = &system->singular_limit;
    CD_ARENA_ARRAY(arena, limit->q, system->nq);
    CD_ARENA_ARRAY(arena, limit->q_node, system->nq);
    CD_ARENA_ARRAY(arena, limit->state, system->ns);
    double **const         each[] = {&limit->v, &limit->displacement, &limit->last_acceleration, &limit->zero,
                                     &limit->entry_velocity},
                   **const wide[] = {&limit->interpolant[0], &limit->interpolant[1], &limit->interpolant[2],
                                     &limit->result};
    for (int i = 0; i < 6; ++i) CD_ARENA_ARRAY(arena, limit->node_value[i], record_size(system));
    limit->nwrench   = system->data->m->njoint + cardan_data_marker_constraint_count(system->data);
    limit->nreaction = 6 * limit->nwrench + system->data->rows.nrow;
    for (int i = 0; i < 6; ++i) CD_ARENA_ARRAY(arena, limit->node_reaction[i], limit->nreaction);
    CD_ARENA_ARRAY(arena, limit->force_scale, limit->nreaction);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; ++i) CD_ARENA_ARRAY(arena, *wide[i], record_size(system));
    for (size_t i = 0; i < sizeof each / sizeof *each; ++i) CD_ARENA_ARRAY(arena, *each[i], system->nv);
}

// [1/s^2] Round-off of accelerations `a` where the smallest singular value is sigma and changes at the rate sigma_slope
// [1/s].
static double acceleration_noise(double sigma, double sigma_slope, double a)
{
    return DBL_EPSILON * (sigma_slope * sigma_slope / sigma + a) / (sigma * sigma);
}

// Return whether the noise would affect steps of about 1/|v|. The rate of sigma follows from the last state with good
// accelerations, on either side of the singular configuration.
bool cd_singular_limit_is_needed(const cd_ode_system* system)
{
    const cd_singular_limit* limit = &system->singular_limit;
    if (!system->has_constraints) return false;
    const double sigma          = sqrt(system->conditioning.sigma_min_sq_rel),
                 velocity_scale = cd_velocity_scale(system, system->data->v),
                 elapsed        = fabs(system->data->t - limit->history_t);
    const double sigma_slope    = limit->has_history && elapsed > 0
                                      ? fmin(sigma + limit->history_sigma,
                                             fmax(2 * fabs(sigma - limit->history_sigma), velocity_scale * elapsed)) /
                                         elapsed
                                      : velocity_scale;
    const double a              = limit->has_history ? cd_velocity_scale(system, limit->last_acceleration) : 0;
    return sigma == 0 || acceleration_noise(sigma, sigma_slope, a) > cd_noise_tolerance_factor *
                                                                         system->settings.tolerance *
                                                                         fmax(velocity_scale * velocity_scale, a);
}

void cd_singular_limit_reset(cd_ode_system* system)
{
    system->singular_limit.applied_t = system->singular_limit.result_t = -INFINITY;
    system->singular_limit.has_history                                 = false;
    for (int i = 0; system->has_constraints && i < system->nv; ++i)
        system->singular_limit.zero[i] = system->singular_limit.entry_velocity[i] = 0;
}

void cd_singular_limit_record_acceleration(cd_ode_system* system, const double* a)
{
    cd_singular_limit* limit       = &system->singular_limit;
    const bool         had_history = limit->has_history;
    limit->has_history             = system->has_constraints && system->data->settings.near_singular;
    if (!limit->has_history) return;
    if (!had_history)
        memcpy(limit->entry_velocity, system->data->v, (size_t)system->nv * sizeof *limit->entry_velocity);
    limit->history_t     = system->data->t;
    limit->history_sigma = sqrt(system->conditioning.sigma_min_sq_rel);
    memcpy(limit->last_acceleration, a, (size_t)system->nv * sizeof *a);
}

void cd_singular_limit_save_state(cd_ode_system* system)
{
    const cardan_data* d     = system->data;
    cd_singular_limit* limit = &system->singular_limit;
    if (!system->has_constraints) return;
    limit->t = d->t;
    memcpy(limit->q, d->q, (size_t)system->nq * sizeof *limit->q);
    memcpy(limit->v, d->v, (size_t)system->nv * sizeof *limit->v);
    if (system->ns) memcpy(limit->state, d->state, (size_t)system->ns * sizeof *limit->state);
}

void cd_singular_limit_restore_state(cd_ode_system* system)
{
    const cd_singular_limit* limit = &system->singular_limit;
    cd_data_set_state(system->data, limit->t, limit->q, limit->v, system->ns ? limit->state : NULL);
}

bool cd_singular_limit_evaluate_node(cd_ode_system* system, double u, double* a)
{
    cardan_data*       d     = system->data;
    cd_singular_limit* limit = &system->singular_limit;
    double             violation, velocity_violation;
    for (int i = 0; i < system->nv; ++i)
        limit->displacement[i] = u * (limit->direction[i] + u / 2 * limit->curvature[i]);
    cardan_model_integrate_position(system->model, limit->q, limit->displacement, limit->q_node);
    for (int i = 0; i < system->nv; ++i) limit->displacement[i] = limit->v[i] + u * limit->curvature[i];
    if (cd_data_set_state(d, limit->time_frozen ? limit->t : limit->t + u, limit->q_node, limit->displacement,
                          system->ns ? limit->state : NULL) ||
        cd_project_near_singular(d))
        return false;
    cd_scaled_violations(d, &violation, &velocity_violation);
    if (!(violation < cd_node_violation_max) ||
        !(velocity_violation < cd_node_violation_max * fmax(1, cd_velocity_norm_inf(d, d->v))) ||
        cardan_data_accelerate(d, a, NULL, NULL))
        return false;
    cd_conditioning_update(system);
    memcpy(a + system->nv, d->solve.lambda, (size_t)d->solver_rows.nrow * sizeof *a);
    a[power_index(system)] = cd_nonconservative_power(d);
    memcpy(a + power_index(system) + 1, d->v, (size_t)system->nv * sizeof *a);
    return true;
}

static double max_difference(int n, const double* a, const double* b)
{
    double largest = 0;
    for (int i = 0; i < n; ++i) largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

// Find the next node on one side, T, 2T ... away, with a singular value above min_sigma: singular configurations of
// other loops may lie between. Returns false if there is none.
static bool find_regular_node(cd_ode_system* system, double T, double min_sigma, int* multiple, int node)
{
    cd_singular_limit* limit = &system->singular_limit;
    while (++*multiple <= NODE_DISTANCE_MAX) {
        limit->node_u[node] = (node % 2 ? 1 : -1) * *multiple * T;
        if (!cd_singular_limit_evaluate_node(system, limit->node_u[node], limit->node_value[node])) continue;
        limit->node_sigma[node] = sqrt(system->conditioning.sigma_min_sq_rel);
        if (limit->node_sigma[node] > min_sigma) return true;
    }
    return false;
}

// Weight at u = 0 of node i of n in the Lagrange polynomial.
static double lagrange_weight(const double* u, int n, int i)
{
    double weight = 1;
    for (int k = 0; k < n; ++k)
        if (k != i) weight *= u[k] / (u[k] - u[i]);
    return weight;
}

// Interpolate from three nodes on either side into interpolant[2]; interpolant[0] and [1] use the nearest two and
// four. Their differences give the error; it is infinite if there are not enough nodes with singular values above
// min_sigma.
static double interpolate(cd_ode_system* system, double T, double min_sigma)
{
    cd_singular_limit* limit       = &system->singular_limit;
    int                multiple[2] = {0, 0};
    if (!(T > 0)) return INFINITY;
    for (int n = 0; n < 6; ++n)
        if (!find_regular_node(system, T, min_sigma, &multiple[n % 2], n)) return INFINITY;
    for (int k = 0; k < 3; ++k) {
        memset(limit->interpolant[k], 0, (size_t)record_size(system) * sizeof *limit->interpolant[k]);
        for (int n = 0; n < 2 * k + 2; ++n) {
            const double weight = lagrange_weight(limit->node_u, 2 * k + 2, n);
            for (int i = 0; i < record_size(system); ++i) limit->interpolant[k][i] += weight * limit->node_value[n][i];
        }
    }
    const double first  = max_difference(system->nv, limit->interpolant[0], limit->interpolant[1]),
                 second = max_difference(system->nv, limit->interpolant[1], limit->interpolant[2]);
    return second < first ? second * second / first : second;
}

// Rate of change of sigma at the nodes.
static double sigma_rate(const cd_singular_limit* limit)
{
    double sigma_slope = 0;
    for (int n = 0; n < 6; ++n) sigma_slope = fmax(sigma_slope, limit->node_sigma[n] / fabs(limit->node_u[n]));
    return sigma_slope;
}

// [s] Time of a displacement: |v| T, or |v| T + |a| T^2/2 if drivers reverse the motion within it.
static double node_spacing(const cd_ode_system* system, double travel)
{
    const cd_singular_limit* limit = &system->singular_limit;
    const double             speed = cd_velocity_scale(system, limit->direction),
                 acceleration      = cd_velocity_scale(system, limit->curvature);
    return !(speed > 0 || acceleration > 0) ? 0
           : cd_curvature_ratio_max * speed * speed < acceleration
               ? 2 * travel / (speed + sqrt(speed * speed + 2 * acceleration * travel))
               : travel / speed;
}

// Best interpolation over several spacings T, with singular values above min_sigma at the nodes; returns its error, and
// the rate of sigma there.
static double best_interpolation(cd_ode_system* system, double min_sigma, double* sigma_slope)
{
    static const double travel[]       = {0.02, 0.01, 0.005}; // [rad, length_scale] T |v|
    cd_singular_limit*  limit          = &system->singular_limit;
    const double        velocity_scale = cd_velocity_scale(system, limit->v),
                 speed                 = cd_velocity_scale(system, limit->direction);
    const double error_tolerance       = cd_noise_tolerance_factor * system->settings.tolerance *
                                   fmax(velocity_scale * velocity_scale, cd_velocity_scale(system, limit->curvature));
    double smallest_error = INFINITY;
    *sigma_slope          = 0;
    for (size_t i = 0;
         (speed > 0 || !limit->time_frozen) && i < sizeof travel / sizeof *travel && smallest_error > error_tolerance;
         ++i) {
        const double error = interpolate(system, node_spacing(system, travel[i]), min_sigma);
        if (!(error < smallest_error)) continue;
        smallest_error = error;
        *sigma_slope   = sigma_rate(limit) * (limit->time_frozen ? velocity_scale / speed : 1);
        memcpy(limit->result, limit->interpolant[2], (size_t)record_size(system) * sizeof *limit->result);
        memcpy(limit->result_u, limit->node_u, sizeof limit->node_u);
    }
    return smallest_error;
}

static double best_limit(cd_ode_system* system, double sigma_here, double* sigma_slope)
{
    const double min_sigma      = cd_node_sigma_ratio * sigma_here;
    double       smallest_error = best_interpolation(system, fmax(min_sigma, cd_noise_free_sigma), sigma_slope);
    if (!(smallest_error < INFINITY) && min_sigma < cd_noise_free_sigma)
        smallest_error = best_interpolation(system, min_sigma, sigma_slope);
    return smallest_error;
}

// Limit at low speed. A motion that comes to a standstill reverses before it reaches the nodes, which would then lie
// on one side only, or not exist. Any smooth path through the configuration on its branch is sufficient: along the
// velocity or, if that is almost zero, along the velocity at the approach, at constant time.
static double best_limit_at_low_speed(cd_ode_system* system, double sigma_here, double* sigma_slope)
{
    cd_singular_limit* limit          = &system->singular_limit;
    const double       velocity_scale = cd_velocity_scale(system, limit->v),
                 entry_speed          = cd_velocity_scale(system, limit->entry_velocity);
    double smallest_error             = INFINITY;
    limit->time_frozen                = true;
    limit->curvature                  = limit->zero;
    limit->direction                  = limit->v;
    if (velocity_scale > cd_slow_velocity_ratio * entry_speed)
        smallest_error = best_limit(system, sigma_here, sigma_slope);
    limit->direction = limit->entry_velocity;
    if (!(smallest_error < INFINITY)) smallest_error = best_limit(system, sigma_here, sigma_slope);
    return smallest_error;
}

bool cd_singular_limit_evaluate(cd_ode_system* system, const double* a)
{
    const int          nv         = system->nv;
    cd_singular_limit* limit      = &system->singular_limit;
    const double       sigma_here = sqrt(system->conditioning.sigma_min_sq_rel),
                 velocity_scale   = cd_velocity_scale(system, limit->v);
    double sigma_slope, smallest_error;
    limit->time_frozen = false;
    limit->direction   = limit->v;
    limit->curvature   = limit->has_history ? limit->last_acceleration
                         : acceleration_noise(sigma_here, velocity_scale, 0) > velocity_scale * velocity_scale
                             ? limit->zero
                             : a;
    if (cd_curvature_ratio_max * velocity_scale * velocity_scale < cd_velocity_scale(system, limit->curvature) &&
        system->data->constraints.ndriven == 0)
        smallest_error = best_limit_at_low_speed(system, sigma_here, &sigma_slope);
    else
        smallest_error = best_limit(system, sigma_here, &sigma_slope);
    limit->result_t         = smallest_error < INFINITY ? limit->t : -INFINITY;
    const double difference = max_difference(nv, limit->result, a);
    limit->valid =
        smallest_error < acceleration_noise(sigma_here, sigma_slope, cd_velocity_scale(system, limit->result)) ||
        cd_evident_noise_factor * smallest_error < difference;
    if (!limit->valid) return false;
    // multipliers of redundant rows are arbitrary
    const bool noise = sigma_here == 0 || difference > cd_noise_factor * smallest_error;
    memcpy(limit->last_acceleration, noise ? limit->result : a, (size_t)nv * sizeof *a);
    return noise;
}

double cd_singular_limit_apply(cd_ode_system* system, double* a)
{
    const double* best               = system->singular_limit.result;
    system->singular_limit.applied_t = system->singular_limit.t;
    memcpy(a, best, (size_t)system->nv * sizeof *a);
    memcpy(system->data->solve.lambda, best + system->nv, (size_t)system->data->solver_rows.nrow * sizeof *best);
    system->data->valid.solution = true;
    return best[power_index(system)];
}

bool cd_singular_limit_velocities(const cd_ode_system* system, double* v)
{
    const bool found = system->has_constraints && system->singular_limit.applied_t == system->data->t;
    if (found) memcpy(v, system->singular_limit.result + power_index(system) + 1, (size_t)system->nv * sizeof *v);
    return found;
}

bool cd_singular_limit_has_nodes(const cd_ode_system* system, double t)
{
    return system->has_constraints && system->singular_limit.t == t && system->singular_limit.result_t == t;
}

bool cd_singular_limit_leave_start(cd_ode_system* system)
{
    static const double travel[] = {0.1, -0.1, 0.03, -0.03}; // [rad, length_scale]
    cd_singular_limit*  limit    = &system->singular_limit;
    limit->direction             = cd_velocity_scale(system, limit->v) > 0 ? limit->v : system->a;
    limit->curvature             = limit->zero;
    limit->time_frozen           = false;
    const double speed           = cd_velocity_scale(system, limit->direction);
    for (size_t i = 0; speed > 0 && i < sizeof travel / sizeof *travel; ++i)
        if (cd_singular_limit_evaluate_node(system, travel[i] / speed, limit->node_value[0])) return true;
    return false;
}

// Squared norm of a row on the velocities, translations in units of design_length.
static double row_norm_sq(const cardan_data* d, const cd_row_block* b, int row)
{
    double sum = 0;
    for (int j = 0; j < b->nv; ++j) {
        const vec3   axis         = d->k.S[b->v[j]].a;
        const double scaled_entry = b->J[row * b->nv + j] * (v3_dot(axis, axis) > 0 ? 1 : d->reactions.design_length);
        sum += scaled_entry * scaled_entry;
    }
    return sum;
}

// Return whether a joint-space row is negligible compared with its wrenches, which no pivot shows. In maximal
// coordinates the bodies see the whole row.
static bool has_vanishing_row(const cardan_data* d)
{
    if (d->m->policy == CARDAN_TREE_MAXIMAL || !d->constraints.has_joint_rows) return false;
    for (int c = 0; c < d->constraints.nconstraint; ++c)
        for (int i = 0; i < d->constraints.constraint[c].nrow; ++i) {
            const double size = cd_row_wrench_norm(d, c, i);
            if (row_norm_sq(d, &d->constraints.block[c], i) < cd_suspect_sigma_sq * size * size) return true;
        }
    return false;
}

static cardan_status evaluate_start(cd_ode_system* system)
{
    const cardan_status status = cardan_data_accelerate(system->data, system->a, NULL, NULL);
    if (!status || cd_constraints_inconsistent(system, status)) cd_conditioning_update(system);
    return status;
}

// No reference of good conditioning exists at the start: nodes near it, along the motion, provide one.
void cd_singular_limit_check_start(cd_ode_system* system)
{
    const cardan_status          status = evaluate_start(system);
    const cd_pivot_conditioning* pivots = &system->data->history.conditioning;
    const bool                   is_suspect =
        pivots->nnull > 0 || pivots->min_pivot_rel < cd_suspect_sigma_sq || has_vanishing_row(system->data);
    if (!(system->data->formulation->properties & CD_REPORTS_PIVOTS) || !is_suspect ||
        (status && !cd_constraints_inconsistent(system, status)))
        return;
    cd_singular_limit_save_state(system);
    cd_conditioning_reset(system);
    if (cd_singular_limit_leave_start(system)) cd_conditioning_track_directions(system);
    cd_singular_limit_restore_state(system);
    evaluate_start(system);
    if (system->data->settings.near_singular) return;
    cd_conditioning_reset(system); // the start is well-conditioned
    evaluate_start(system);
}
