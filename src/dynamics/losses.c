// SPDX-License-Identifier: BSD-3-Clause
// Efficiency of worm gears. The multiplier lambda of the row q1 - ratio q2 = offset is the torque that is transmitted:
// -lambda on the worm, ratio lambda on the wheel. The side that is driven receives only its share of it:
//
//   lambda w1 >= 0:  on the wheel -(1 - e) ratio lambda s        lambda w1 < 0:  on the worm +(1 - e') lambda s
//
// with s = tanh(|w1| / speed). Once it is known who drives, losses are linear in the multipliers, x = first + A x,
// where column j of A is the answer of all multipliers to the loss of worm j for lambda = 1. That is solved, and who
// drives is looked at again; there are finitely many cases. Where none is consistent the gear jams.
#include "dynamics/data.h"

#include "math/lapack.h"
#include "math/largest.h"

#include <math.h>
#include <string.h>

static const double sound = 1e-6; // part of the largest entry that a pivot has at least, where no rank needs to be told

void cd_losses_layout(const cardan_model* m, const cd_closure* closure, int rows, cd_arena* arena, cd_losses* l)
{
    const int n = closure->nlossy, nv = n ? m->nv : 0, nrow = n ? rows : 0;
    CD_TAKE(arena, l->constraint, n);
    CD_TAKE(arena, l->forward, n);
    CD_TAKE(arena, l->effort, nv);
    CD_TAKE(arena, l->force, n);
    CD_TAKE(arena, l->E, nv);
    CD_TAKE(arena, l->answer, n * (nv + nrow));
    CD_TAKE(arena, l->no_gamma, nrow);
    CD_TAKE(arena, l->first, n);
    CD_TAKE(arena, l->A, n * n);
    CD_TAKE(arena, l->x, n);
    CD_TAKE(arena, l->work, n ? cd_lapack_least_squares_work(n) : 0);
    CD_TAKE(arena, l->pivot, n);
    if (!closure->constraint) return;
    for (int i = 0, k = 0; i < closure->nconstraint; ++i)
        if (closure->constraint[i].lossy) l->constraint[k++] = i;
}

void cd_losses_forget(cardan_data* d)
{
    if (d->closure.nlossy == 0 || !d->forces_known) return;
    for (int i = 0; i < d->m->nv; ++i) {
        d->effort[i] -= d->losses.effort[i];
        d->losses.effort[i] = 0;
    }
}

static const cd_constraint* worm(const cardan_data* d, int k)
{
    return &d->closure.constraint[d->losses.constraint[k]];
}

// Who drives, by the multiplier; and the loss along the driven coordinate per unit of it. True where that is new. A
// multiplier that is nothing beside the others, as of a gear that repeats another, decides nothing.
static bool decide(cardan_data* d, int k, double lambda, double largest)
{
    cd_losses*           l     = &d->losses;
    const cd_constraint* c     = worm(d, k);
    const double         speed = cd_closure_speed(&d->world, &d->closure, l->constraint[k], 0);
    const bool   before = l->forward[k], forward = fabs(lambda) > 1e-12 * largest ? lambda * speed >= 0 : before;
    const double share = tanh(fabs(speed) / c->parameter[2]);
    l->forward[k]      = forward;
    l->force[k] = forward ? (1 - c->parameter[0]) * c->coupled->factor[1] * share : (1 - c->parameter[1]) * share;
    return forward != before;
}

static double largest_of(const double* x, int n)
{
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

// Accelerations and multipliers that the loss of worm k alone would cause, lambda = 1.
static double* answer(const cardan_data* d, int k)
{
    return d->losses.answer + (size_t)k * (size_t)(d->m->nv + d->system.nrow);
}

static void swap(double* a, double* b)
{
    const double kept = *a;
    *a                = *b;
    *b                = kept;
}

static void push(cardan_data* d, int k, double lambda, double* effort)
{
    const cd_losses* l = &d->losses;
    cd_closure_push(d->m, &d->k, &d->world, &d->closure, l->constraint[k], l->forward[k] ? 1 : 0, l->force[k] * lambda,
                    effort);
}

static cardan_status solve(cardan_data* d, const double* r, const double* gamma, double* a, double* lambda,
                           cd_where* where)
{
    return d->formulation->solve(d->m, &d->k, &d->system, d->work, r, gamma, a, lambda, where);
}

// A x = b, b in x, by elimination with pivots, A by columns and lost. False where a pivot is small: nothing of x is
// worth anything then.
static bool eliminate(int n, double* A, double* x)
{
    const double least = sound * cd_largest(n * n, A);
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(A[k * n + i]) > fabs(A[k * n + best])) best = i;
        if (!(fabs(A[k * n + best]) > least)) return false;
        for (int j = k; j < n; ++j) swap(&A[j * n + k], &A[j * n + best]);
        swap(&x[k], &x[best]);
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

// (1 - A) x = first. The answer to each worm stays.
static cardan_status multipliers(cardan_data* d, cd_where* where)
{
    cd_losses* l = &d->losses;
    const int  n = d->closure.nlossy;
    for (int pass = 0; pass < 2; ++pass) {
        for (int j = 0; j < n; ++j) {
            double* lambda = answer(d, j) + d->m->nv;
            if (pass == 0) {
                memset(l->E, 0, (size_t)d->m->nv * sizeof *l->E);
                push(d, j, 1, l->E);
                const cardan_status status = solve(d, l->E, l->no_gamma, answer(d, j), lambda, where);
                if (status != CARDAN_OK) return status;
            }
            for (int i = 0; i < n; ++i) l->A[j * n + i] = (i == j) - lambda[worm(d, i)->first_row]; // LAPACK's columns
        }
        memcpy(l->x, l->first, (size_t)n * sizeof *l->x);
        if (pass == 0 && eliminate(n, l->A, l->x)) return CARDAN_OK;
    }
    return cd_lapack_least_squares(n, l->A, l->x, 1e-12, l->work, l->pivot) == n ? CARDAN_OK : CARDAN_NOT_CONVERGED;
}

cardan_status cd_lose(cardan_data* d, double* a, cd_where* where)
{
    cd_losses* l = &d->losses;
    const int  n = d->closure.nlossy;
    for (int k = 0; k < n; ++k) l->first[k] = d->lambda[worm(d, k)->first_row];
    for (int k = 0; k < n; ++k) decide(d, k, l->first[k], largest_of(l->first, n));
    bool again = true;
    for (int round = 0; again && round < 4 * n + 4; ++round) {
        const cardan_status status = multipliers(d, where);
        where->row                 = worm(d, 0)->first_row;
        if (status != CARDAN_OK) return status;
        again = false;
        for (int k = 0; k < n; ++k)
            if (decide(d, k, l->x[k], largest_of(l->x, n))) {
                again      = true;
                where->row = worm(d, k)->first_row;
            }
    }
    if (again) return CARDAN_NOT_CONVERGED;
    for (int k = 0; k < n; ++k) push(d, k, l->x[k], l->effort);
    for (int i = 0; i < d->m->nv; ++i) d->effort[i] += l->effort[i];
    for (int k = 0; k < n; ++k) { // what was solved without losses, and the answers to them
        const double* to = answer(d, k);
        for (int i = 0; i < d->m->nv; ++i) a[i] += l->x[k] * to[i];
        for (int i = 0; i < d->system.nrow; ++i) d->lambda[i] += l->x[k] * to[d->m->nv + i];
    }
    return CARDAN_OK;
}

cardan_status cd_fail_jammed(const cardan_data* d, int row, cardan_report* report)
{
    const cd_constraint* c = worm(d, 0);
    for (int k = 1; k < d->closure.nlossy; ++k)
        if (worm(d, k)->first_row == row) c = worm(d, k);
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_GEAR_JAMMED, c->place,
                       "constraint '%s': at t = %g s it jams: its losses exceed what drives it, whichever side drives; "
                       "raise its efficiencies",
                       c->name, d->t);
}

void cd_losses_take(cardan_data* d, const double* lambda)
{
    const cd_losses* l    = &d->losses;
    const int        n    = d->closure.nlossy;
    double           most = 0;
    if (n == 0) return;
    cd_know_forces(d);
    cd_know_rows(d);
    cd_losses_forget(d);
    for (int k = 0; k < n; ++k) most = fmax(most, fabs(lambda[worm(d, k)->first_row]));
    for (int k = 0; k < n; ++k) {
        decide(d, k, lambda[worm(d, k)->first_row], most);
        push(d, k, lambda[worm(d, k)->first_row], l->effort);
    }
    for (int i = 0; i < d->m->nv; ++i) d->effort[i] += l->effort[i];
}

void cd_losses_by_lambda(cardan_data* d, double* by_lambda)
{
    for (int k = 0; k < d->closure.nlossy; ++k)
        push(d, k, -1, by_lambda + (size_t)worm(d, k)->first_row * (size_t)d->m->nv);
}
