// SPDX-License-Identifier: BSD-3-Clause
// Efficiency of worm gears. The multiplier lambda of the row q1 - ratio q2 = offset is the transmitted torque:
// -lambda on the worm, ratio lambda on the wheel. The driven side receives only a part of it:
//
//   lambda w1 >= 0:  on the wheel -(1 - e) ratio lambda s        lambda w1 < 0:  on the worm +(1 - e') lambda s
//
// with s = tanh(|w1| / speed). For given drive directions the losses are linear in the multipliers, x = x0 + A x,
// where x0 are the multipliers without losses and column j of A is the response of all multipliers to the loss of
// worm j for lambda = 1. This system is solved and the drive directions are updated until they no longer change;
// there are finitely many combinations. If none is consistent, the gear jams (CARDAN_NOT_CONVERGED).
#include "dynamics/gear_losses.h"

#include "dynamics/dynamics_tolerances.h"
#include "dynamics/forces.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/solve.h"

#include "math/lapack.h"
#include "math/norm_inf.h"

#include <math.h>
#include <string.h>

void cd_gear_losses_layout(const cardan_model* m, const cd_constraint_set* constraints, int rows, cd_arena* arena,
                           cd_gear_losses* l)
{
    const int n = constraints->nlossy, nv = n ? m->nv : 0, nrow = n ? rows : 0;
    CD_ARENA_ARRAY(arena, l->constraint, n);
    CD_ARENA_ARRAY(arena, l->forward, n);
    CD_ARENA_ARRAY(arena, l->effort, nv);
    CD_ARENA_ARRAY(arena, l->loss_per_multiplier, n);
    CD_ARENA_ARRAY(arena, l->unit_effort, nv);
    CD_ARENA_ARRAY(arena, l->response, n * (nv + nrow));
    CD_ARENA_ARRAY(arena, l->zero_gamma, nrow);
    CD_ARENA_ARRAY(arena, l->multiplier_without_loss, n);
    CD_ARENA_ARRAY(arena, l->A, n * n);
    CD_ARENA_ARRAY(arena, l->x, n);
    CD_ARENA_ARRAY(arena, l->work, n ? cd_lapack_least_squares_work(n) : 0);
    CD_ARENA_ARRAY(arena, l->pivot, n);
    if (!constraints->constraint) return;
    for (int i = 0, k = 0; i < constraints->nconstraint; ++i)
        if (constraints->constraint[i].has_losses) l->constraint[k++] = i;
}

void cd_clear_gear_losses(cardan_data* d)
{
    if (d->constraints.nlossy == 0 || !d->valid.forces) return;
    for (int i = 0; i < d->m->nv; ++i) {
        d->forces.effort[i] -= d->gear_losses.effort[i];
        d->gear_losses.effort[i] = 0;
    }
}

static const cd_constraint* lossy_constraint(const cardan_data* d, int k)
{
    return &d->constraints.constraint[d->gear_losses.constraint[k]];
}

// Determine the drive direction from the multiplier, and the loss along the driven coordinate per unit multiplier.
// Returns true if the direction changed. A multiplier that is negligible against the others, as that of a redundant
// gear, leaves the direction unchanged.
static bool update_drive_direction(cardan_data* d, int k, double lambda, double largest)
{
    cd_gear_losses*      l           = &d->gear_losses;
    const cd_constraint* c           = lossy_constraint(d, k);
    const double         speed       = cd_coupled_velocity(&d->world, &d->constraints, l->constraint[k], 0);
    const bool           was_forward = l->forward[k],
               forward = fabs(lambda) > cd_gear_multiplier_roundoff * largest ? lambda * speed >= 0 : was_forward;
    const double share = tanh(fabs(speed) / c->parameter[2]);
    l->forward[k]      = forward;
    l->loss_per_multiplier[k] =
        forward ? (1 - c->parameter[0]) * c->coupled->factor[1] * share : (1 - c->parameter[1]) * share;
    return forward != was_forward;
}

static double norm_inf(const double* x, int n)
{
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

// Accelerations and multipliers caused by the loss of worm k alone, for lambda = 1.
static double* loss_response(const cardan_data* d, int k)
{
    return d->gear_losses.response + (size_t)k * (size_t)(d->m->nv + d->solver_rows.nrow);
}

static void swap_values(double* a, double* b)
{
    const double saved = *a;
    *a                 = *b;
    *b                 = saved;
}

static void add_loss_effort(cardan_data* d, int k, double lambda, double* effort)
{
    const cd_gear_losses* l = &d->gear_losses;
    cd_coupled_add_effort(d->m, &d->k, &d->world, &d->constraints, l->constraint[k], l->forward[k] ? 1 : 0,
                          l->loss_per_multiplier[k] * lambda, effort);
}

// Solve A x = b by Gaussian elimination with partial pivoting; b in x on entry, A by columns, overwritten. Returns
// false if a pivot is too small; x is then invalid.
static bool gauss_eliminate(int n, double* A, double* x)
{
    const double least = cd_gear_pivot_tolerance * cd_norm_inf(n * n, A);
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(A[k * n + i]) > fabs(A[k * n + best])) best = i;
        if (!(fabs(A[k * n + best]) > least)) return false;
        for (int j = k; j < n; ++j) swap_values(&A[j * n + k], &A[j * n + best]);
        swap_values(&x[k], &x[best]);
        for (int i = k + 1; i < n; ++i) {
            const double f = A[k * n + i] / A[k * n + k];
            for (int j = k + 1; j < n; ++j) A[j * n + i] -= f * A[j * n + k];
            x[i] -= f * x[k];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        x[k] /= A[k * n + k];
        for (int i = 0; i < k; ++i) x[i] -= A[k * n + i] * x[k];
    }
    return true;
}

// Solve (1 - A) x = x0. The responses to the single losses are saved for cd_apply_gear_losses.
static cardan_status solve_multipliers(cardan_data* d, cd_solve_info* info)
{
    cd_gear_losses* l = &d->gear_losses;
    const int       n = d->constraints.nlossy;
    for (int pass = 0; pass < 2; ++pass) {
        for (int j = 0; j < n; ++j) {
            double* lambda = loss_response(d, j) + d->m->nv;
            if (pass == 0) {
                memset(l->unit_effort, 0, (size_t)d->m->nv * sizeof *l->unit_effort);
                add_loss_effort(d, j, 1, l->unit_effort);
                const cardan_status status =
                    cd_solve_with_factor(d, l->unit_effort, l->zero_gamma, loss_response(d, j), lambda, info);
                if (status != CARDAN_OK) return status;
            }
            for (int i = 0; i < n; ++i)
                l->A[j * n + i] = (i == j) - lambda[lossy_constraint(d, i)->first_row]; // column-major
        }
        memcpy(l->x, l->multiplier_without_loss, (size_t)n * sizeof *l->x);
        if (pass == 0 && gauss_eliminate(n, l->A, l->x)) return CARDAN_OK;
    }
    return cd_lapack_least_squares(n, l->A, l->x, cd_gear_rank_tolerance, l->work, l->pivot) == n
               ? CARDAN_OK
               : CARDAN_NOT_CONVERGED;
}

cardan_status cd_apply_gear_losses(cardan_data* d, double* a, cd_solve_info* info)
{
    cd_gear_losses* l = &d->gear_losses;
    const int       n = d->constraints.nlossy;
    for (int k = 0; k < n; ++k) l->multiplier_without_loss[k] = d->solve.lambda[lossy_constraint(d, k)->first_row];
    for (int k = 0; k < n; ++k)
        update_drive_direction(d, k, l->multiplier_without_loss[k], norm_inf(l->multiplier_without_loss, n));
    bool direction_changed = true;
    for (int round = 0; direction_changed && round < 4 * n + 4; ++round) {
        const cardan_status status = solve_multipliers(d, info);
        info->failed_row           = lossy_constraint(d, 0)->first_row;
        if (status != CARDAN_OK) return status;
        direction_changed = false;
        for (int k = 0; k < n; ++k)
            if (update_drive_direction(d, k, l->x[k], norm_inf(l->x, n))) {
                direction_changed = true;
                info->failed_row  = lossy_constraint(d, k)->first_row;
            }
    }
    if (direction_changed) return CARDAN_NOT_CONVERGED;
    for (int k = 0; k < n; ++k) add_loss_effort(d, k, l->x[k], l->effort);
    for (int i = 0; i < d->m->nv; ++i) d->forces.effort[i] += l->effort[i];
    for (int k = 0; k < n; ++k) { // solution without losses plus the responses to them
        const double* response = loss_response(d, k);
        for (int i = 0; i < d->m->nv; ++i) a[i] += l->x[k] * response[i];
        for (int i = 0; i < d->solver_rows.nrow; ++i) d->solve.lambda[i] += l->x[k] * response[d->m->nv + i];
    }
    return CARDAN_OK;
}

void cd_set_gear_losses(cardan_data* d, const double* lambda)
{
    const cd_gear_losses* l    = &d->gear_losses;
    const int             n    = d->constraints.nlossy;
    double                most = 0;
    if (n == 0) return;
    cd_update_forces(d);
    cd_update_rows(d);
    cd_clear_gear_losses(d);
    for (int k = 0; k < n; ++k) most = fmax(most, fabs(lambda[lossy_constraint(d, k)->first_row]));
    for (int k = 0; k < n; ++k) {
        update_drive_direction(d, k, lambda[lossy_constraint(d, k)->first_row], most);
        add_loss_effort(d, k, lambda[lossy_constraint(d, k)->first_row], l->effort);
    }
    for (int i = 0; i < d->m->nv; ++i) d->forces.effort[i] += l->effort[i];
}

void cd_add_gear_loss_jacobian(cardan_data* d, double* by_lambda)
{
    for (int k = 0; k < d->constraints.nlossy; ++k)
        add_loss_effort(d, k, -1, by_lambda + (size_t)lossy_constraint(d, k)->first_row * (size_t)d->m->nv);
}
