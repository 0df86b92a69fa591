// SPDX-License-Identifier: BSD-3-Clause
// Solution of the assembly problem. docs/theory/assembly.md (1), (2).
//
//   positions    Levenberg-Marquardt: min |A y + c|^2 + mu |y|^2, mu decreasing with |c|^2, so that the iteration ends
//                as Newton's method also with redundant rows (Yamashita, Fukushima 2001). No joint moves by more than
//                half a radian (half a length) per step and every step reduces the violation: the branch of the guess
//                is kept.
//   dead points  where A'c = 0 with c nonzero (rods in line, pushed together) no step has a direction, though the point
//                may be a saddle: small perturbations of the free coordinates leave it; only a violation to which all
//                of them return is accepted as a minimum
//   return       towards the start along the constraint manifold (nearest_configuration.c), followed by a correction,
//                while the distance to the start decreases: the final change from the start is minimal.
//   velocities   linear: some y with A y = -c, and the return
#include "assembly/assembly_problem.h"
#include "assembly/assembly_tolerances.h"
#include "dynamics/state.h"
#include "math/dot_product.h"
#include "math/norm_inf.h"

#include <math.h>
#include <string.h>

static const double max_step       = 0.5; // [rad, lengths] per step
static const int    max_iterations = 300, max_iterations_large = 30, max_stalled = 40, max_change_iterations = 40;

// Convert y to the change of coordinates a->dq, shortened to max_step.
static void scaled_to_coordinates(cd_assembly* a, const double* y)
{
    double most = 0;
    memset(a->dq, 0, (size_t)a->d->m->nv * sizeof *a->dq);
    for (int i = 0; i < a->nfree; ++i) most = fmax(most, fabs(y[i]) / a->weight[a->free_velocity[i]]);
    const double shortening = most > max_step ? max_step / most : 1;
    for (int i = 0; i < a->nfree; ++i)
        a->dq[a->free_velocity[i]] =
            shortening * y[i] / (a->velocity_unit_inverse[a->free_velocity[i]] * a->weight[a->free_velocity[i]]);
}

static void set_positions(cd_assembly* a, const double* q)
{
    cd_data_set_state(a->d, a->d->t, q, a->d->v, a->d->state);
}

// Compute the Levenberg-Marquardt step into a->dq. Returns max |A'c| relative to |A||c|, with |A| the norm of A along
// the gradient.
static double levenberg_step(cd_assembly* a, double mu)
{
    cd_assembly_update_jacobian(a);
    cd_assembly_apply_transposed(a, a->c, a->y);
    const double gradient_max = cd_norm_inf(a->nfree, a->y), gradient_norm = sqrt(cd_norm_sq(a->nfree, a->y)),
                 residual_norm = sqrt(cd_norm_sq(a->nrow, a->c));
    if (!(gradient_norm > 0)) return 0;
    for (int i = 0; i < a->nfree; ++i) a->y[i] /= gradient_norm;
    cd_assembly_apply(a, a->y, a->trial_residual);
    const double size = sqrt(cd_norm_sq(a->nrow, a->trial_residual)); // norm of A along its steepest direction
    for (int k = 0; k < a->nrow; ++k) a->trial_residual[k] = -a->c[k];
    if (!cd_assembly_least_squares(a, mu * size * size, a->trial_residual, a->y)) return 0;
    scaled_to_coordinates(a, a->y);
    return size > 0 ? gradient_max / (size * residual_norm) : 0;
}

// Accept the trial configuration if the residual decreases, else restore the configuration. Returns whether it is
// accepted.
static bool accept_if_smaller(cd_assembly* a, double* residual, double* residual_sq)
{
    set_positions(a, a->q_trial);
    const double next = cd_assembly_residual(a, a->trial_residual), next_sum = cd_norm_sq(a->nrow, a->trial_residual);
    if (!(next_sum < *residual_sq)) {
        set_positions(a, a->q);
        cd_assembly_residual(a, a->trial_residual);
        return false;
    }
    memcpy(a->q, a->q_trial, (size_t)a->d->m->nq * sizeof *a->q);
    memcpy(a->c, a->trial_residual, (size_t)a->nrow * sizeof *a->c);
    *residual    = next;
    *residual_sq = next_sum;
    return true;
}

double cd_assembly_minimize_residual(cd_assembly* a)
{
    const cardan_model* m = a->d->m;
    memcpy(a->q, a->d->q, (size_t)m->nq * sizeof *a->q);
    double residual = cd_assembly_residual(a, a->c), residual_sq = cd_norm_sq(a->nrow, a->c), mu = 0.1;
    int    nstalled = 0; // successive steps with little progress
    for (int i = 0; i < (a->dense ? max_iterations : max_iterations_large) && a->nfree > 0 &&
                    residual > cd_assembly_residual_roundoff;
         ++i, ++a->iterations) {
        const double before = residual_sq, relative_gradient = levenberg_step(a, mu * fmin(1, residual_sq));
        if (relative_gradient < cd_stationary_gradient && residual > cd_stationary_residual) break; // stationary point
        cardan_model_integrate_position(m, a->q, a->dq, a->q_trial);
        if (accept_if_smaller(a, &residual, &residual_sq)) {
            nstalled = residual_sq > 0.25 * before ? nstalled + 1 : 0;
            mu       = fmax(mu / 4, 1e-8);
        } else {
            nstalled = residual < cd_converged_residual ? max_stalled : nstalled;
            mu *= 8;
        }
        if (nstalled >= (residual < cd_converged_residual ? 2 : max_stalled) || mu > 1e12) break;
    }
    return residual;
}

void cd_assembly_perturb(cd_assembly* a, double size, int attempt)
{
    unsigned long long x = 88172645463325252ull + (unsigned long long)attempt;
    memset(a->dq, 0, (size_t)a->d->m->nv * sizeof *a->dq);
    for (int i = 0; i < a->nfree; ++i) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17; // Marsaglia 2003, J. Stat. Software 8(14)
        const double part = (double)(x >> 11) * 0x1p-53, sign = attempt > 0 && x & 1 ? -1 : 1;
        a->dq[a->free_velocity[i]] = sign * size * (0.5 + 0.5 * part) / a->velocity_unit_inverse[a->free_velocity[i]];
    }
    cardan_model_integrate_position(a->d->m, a->q_saved, a->dq, a->q_trial);
    set_positions(a, a->q_trial);
}

double cd_assembly_solve_positions(cd_assembly* a)
{
    static const double size[]   = {1e-3, 1e-2, 0.1, 1e-2, 0.1};
    const size_t        bytes    = (size_t)a->d->m->nq * sizeof *a->q;
    double              residual = cd_assembly_minimize_residual(a);
    const int           nattempt = a->dense ? (int)(sizeof size / sizeof *size) : 1;
    for (int attempt = 0;
         attempt < nattempt && a->nfree > 0 && residual > fmax(cd_assembly_violation_tolerance, a->violation_roundoff);
         ++attempt) {
        const double sum = cd_norm_sq(a->nrow, a->c);
        memcpy(a->q_saved, a->q, bytes);
        cd_assembly_perturb(a, size[attempt], attempt);
        const double next = cd_assembly_minimize_residual(a);
        if (next <= fmax(cd_assembly_violation_tolerance, a->violation_roundoff) || cd_norm_sq(a->nrow, a->c) < sum) {
            residual = next;
            continue;
        }
        memcpy(a->q, a->q_saved, bytes);
        set_positions(a, a->q);
        residual = cd_assembly_residual(a, a->c);
    }
    return residual;
}

// Component along the constraint manifold of the displacement to the start, into a->dq. Returns its norm.
static double change_toward_start(cd_assembly* a)
{
    cardan_data* d = a->d;
    cardan_model_position_difference(d->m, a->q, a->q_start, a->dq);
    for (int i = 0; i < a->nfree; ++i)
        a->y[i] =
            a->dq[a->free_velocity[i]] * a->velocity_unit_inverse[a->free_velocity[i]] * a->weight[a->free_velocity[i]];
    if (!cd_assembly_step_to_targets(a, a->y)) return 0;
    scaled_to_coordinates(a, a->y);
    return cd_norm_inf(a->nfree, a->y);
}

static double distance_to_start_sq(cd_assembly* a)
{
    double sum = 0;
    cardan_model_position_difference(a->d->m, a->q, a->q_start, a->dq);
    for (int i = 0; i < a->nfree; ++i) {
        const int v = a->free_velocity[i];
        sum += pow(a->dq[v] * a->velocity_unit_inverse[v] * a->weight[v], 2);
    }
    cd_assembly_target_errors(a, a->nearest_work);
    return sum + cd_norm_sq(cd_assembly_count_targets(a), a->nearest_work);
}

void cd_assembly_minimize_change(cd_assembly* a)
{
    const size_t size        = (size_t)a->d->m->nq * sizeof *a->q;
    double       distance_sq = distance_to_start_sq(a), last = INFINITY;
    for (int i = 0; i < max_change_iterations && a->nfree > 0; ++i) {
        const double change = change_toward_start(a);
        if (change < cd_converged_residual || (change < cd_small_change && change > last / 2)) return;
        last = change;
        memcpy(a->q_saved, a->q, size);
        cardan_model_integrate_position(a->d->m, a->q, a->dq, a->q_trial);
        set_positions(a, a->q_trial);
        const double residual = cd_assembly_minimize_residual(a), new_distance_sq = distance_to_start_sq(a);
        if (residual < cd_converged_residual &&
            (new_distance_sq < distance_sq ||
             change < cd_small_change)) { // near the end the distance is only round-off
            distance_sq = new_distance_sq;
            continue;
        }
        memcpy(a->q, a->q_saved, size);
        set_positions(a, a->q);
        cd_assembly_residual(a, a->c);
        return;
    }
}

double cd_assembly_solve_velocities(cd_assembly* a)
{
    cardan_data* d        = a->d;
    double       residual = cd_assembly_residual(a, a->c);
    for (int i = 0; i < 3 && a->nfree > 0 && residual > cd_assembly_residual_roundoff; ++i) {
        cd_assembly_update_jacobian(a);
        for (int k = 0; k < a->nrow; ++k) a->trial_residual[k] = -a->c[k];
        if (!cd_assembly_least_squares(a, 0, a->trial_residual, a->y) ||
            cd_norm_inf(a->nfree, a->y) > cd_max_velocity_ratio * cd_norm_inf(a->nrow, a->trial_residual))
            break;
        for (int k = 0; k < a->nfree; ++k)
            d->v[a->free_velocity[k]] +=
                a->y[k] / (a->velocity_unit_inverse[a->free_velocity[k]] * a->weight[a->free_velocity[k]]);
        cd_data_set_velocity(d, d->v);
        residual = cd_assembly_residual(a, a->c);
    }
    return residual;
}

void cd_assembly_minimize_velocity_change(cd_assembly* a)
{
    cardan_data* d = a->d;
    if (a->nfree == 0) return;
    for (int i = 0; i < a->nfree; ++i)
        a->y[i] = (a->v_start[a->free_velocity[i]] - d->v[a->free_velocity[i]]) *
                  a->velocity_unit_inverse[a->free_velocity[i]] * a->weight[a->free_velocity[i]];
    if (!cd_assembly_step_to_targets(a, a->y)) return;
    for (int i = 0; i < a->nfree; ++i)
        d->v[a->free_velocity[i]] +=
            a->y[i] / (a->velocity_unit_inverse[a->free_velocity[i]] * a->weight[a->free_velocity[i]]);
    cd_data_set_velocity(d, d->v);
    (void)cd_assembly_solve_velocities(a);
}
