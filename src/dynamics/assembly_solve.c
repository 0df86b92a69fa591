// SPDX-License-Identifier: BSD-3-Clause
// Solving the problem of assembly. docs/theory/assembly.md (1), (2).
//
//   positions    Levenberg-Marquardt: min |A y + c|^2 + mu |y|^2, mu falling with |c|^2, so that the end is Newton's method also
//                where rows depend on each other (Yamashita, Fukushima 2001). No joint moves by more than half a radian (half a
//                length) in one step and every step closes the gap further: the branch of the guess is kept.
//   dead points  where A'c = 0 with c left (rods in line, pushed together) no step has a direction, though the gap may be a saddle:
//                small disturbances of the free coordinates leave it, and only what they all come back to cannot be closed
//   return       towards the start along the closed positions (assembly_nearest.c), close again, while that brings the
//                start nearer: in the end the change from the start is the least.
//   velocities   linear: some y with A y = -c, and the return
#include "dynamics/assembly.h"
#include "math/largest.h"

#include <math.h>
#include <string.h>

static const double longest     = 0.5;   // rad or lengths, in one step
static const double closed      = 1e-16; // residual in units: rounding
static const double good_enough = 1e-12; // not worth more than a few steps
static const double near        = 1e-4;
static const double stuck       = 1e-9; // more than that left: not closed
static const double unfelt      = 1e10; // of a rate, in units: velocities that close it by rounding alone
static const int    most_steps = 300, most_large = 30, most_idle = 40, most_returns = 40;

static double norm2(int n, const double* x)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i] * x[i];
    return sum;
}

static double largest(int n, const double* x)
{
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

// y to the change of coordinates, shortened where a joint would move too far.
static void change_of(cd_assembly* a, const double* y)
{
    double most = 0;
    memset(a->dq, 0, (size_t)a->d->m->nv * sizeof *a->dq);
    for (int i = 0; i < a->nfree; ++i) most = fmax(most, fabs(y[i]) / a->firm[a->free[i]]);
    const double part = most > longest ? longest / most : 1;
    for (int i = 0; i < a->nfree; ++i) a->dq[a->free[i]] = part * y[i] / (a->unit[a->free[i]] * a->firm[a->free[i]]);
}

static void set_positions(cd_assembly* a, const double* q) { cd_data_set(a->d, a->d->t, q, a->d->v, a->d->state); }

// Levenberg's step into a->dq; the largest of |A'c| relative to |A||c|, |A| being the largest length that A gives to a
// unit y.
static double levenberg_step(cd_assembly* a, double mu)
{
    cd_assembly_jacobian(a);
    cd_assembly_apply_transposed(a, a->c, a->y);
    const double slope = largest(a->nfree, a->y), length = sqrt(norm2(a->nfree, a->y)),
                 gap = sqrt(norm2(a->nrow, a->c));
    if (!(length > 0)) return 0;
    for (int i = 0; i < a->nfree; ++i) a->y[i] /= length;
    cd_assembly_apply(a, a->y, a->trial);
    const double size = sqrt(norm2(a->nrow, a->trial)); // of A along its steepest direction
    for (int k = 0; k < a->nrow; ++k) a->trial[k] = -a->c[k];
    if (!cd_assembly_least(a, mu * size * size, a->trial, a->y)) return 0;
    change_of(a, a->y);
    return size > 0 ? slope / (size * gap) : 0;
}

// True where the trial q1 is nearer to closing; it is then the state, else q is again.
static bool try_step(cd_assembly* a, double* left, double* sum)
{
    set_positions(a, a->q1);
    const double next = cd_assembly_residual(a, a->trial), next_sum = norm2(a->nrow, a->trial);
    if (!(next_sum < *sum)) {
        set_positions(a, a->q);
        cd_assembly_residual(a, a->trial);
        return false;
    }
    memcpy(a->q, a->q1, (size_t)a->d->m->nq * sizeof *a->q);
    memcpy(a->c, a->trial, (size_t)a->nrow * sizeof *a->c);
    *left = next;
    *sum  = next_sum;
    return true;
}

double cd_assembly_descend(cd_assembly* a)
{
    const cardan_model* m = a->d->m;
    memcpy(a->q, a->d->q, (size_t)m->nq * sizeof *a->q);
    double left = cd_assembly_residual(a, a->c), sum = norm2(a->nrow, a->c), mu = 0.1;
    int    idle = 0; // steps in a row that gained little
    for (int i = 0; i < (a->dense ? most_steps : most_large) && a->nfree > 0 && left > closed; ++i, ++a->iterations) {
        const double before = sum, slope = levenberg_step(a, mu * fmin(1, sum));
        if (slope < 1e-8 && left > 1e-6) break; // as near as it gets
        cardan_model_move(m, a->q, a->dq, a->q1);
        if (try_step(a, &left, &sum)) {
            idle = sum > 0.25 * before ? idle + 1 : 0;
            mu   = fmax(mu / 4, 1e-8);
        } else {
            idle = left < good_enough ? most_idle : idle;
            mu *= 8;
        }
        if (idle >= (left < good_enough ? 2 : most_idle) || mu > 1e12) break;
    }
    return left;
}

void cd_assembly_disturb(cd_assembly* a, double size, int try)
{
    unsigned long long x = 88172645463325252ull + (unsigned long long)try;
    memset(a->dq, 0, (size_t)a->d->m->nv * sizeof *a->dq);
    for (int i = 0; i < a->nfree; ++i) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17; // Marsaglia 2003, J. Stat. Software 8(14)
        const double part = (double)(x >> 11) * 0x1p-53, sign = try > 0 && x & 1 ? -1 : 1;
        a->dq[a->free[i]] = sign * size * (0.5 + 0.5 * part) / a->unit[a->free[i]];
    }
    cardan_model_move(a->d->m, a->kept, a->dq, a->q1);
    set_positions(a, a->q1);
}

double cd_assembly_close_positions(cd_assembly* a)
{
    static const double size[] = {1e-3, 1e-2, 0.1, 1e-2, 0.1};
    const size_t        bytes  = (size_t)a->d->m->nq * sizeof *a->q;
    double              left   = cd_assembly_descend(a);
    const int           tries  = a->dense ? (int)(sizeof size / sizeof *size) : 1;
    for (int try = 0; try < tries && a->nfree > 0 && left > fmax(stuck, a->rounding); ++try) {
        const double sum = norm2(a->nrow, a->c);
        memcpy(a->kept, a->q, bytes);
        cd_assembly_disturb(a, size[try], try);
        const double next = cd_assembly_descend(a);
        if (next <= fmax(stuck, a->rounding) || norm2(a->nrow, a->c) < sum) {
            left = next;
            continue;
        }
        memcpy(a->q, a->kept, bytes);
        set_positions(a, a->q);
        left = cd_assembly_residual(a, a->c);
    }
    return left;
}

// Part of the way back to the start that lies along the closed positions, into a->dq; its size.
static double way_back(cd_assembly* a)
{
    cardan_data* d = a->d;
    cardan_model_difference(d->m, a->q, a->q0, a->dq);
    for (int i = 0; i < a->nfree; ++i) a->y[i] = a->dq[a->free[i]] * a->unit[a->free[i]] * a->firm[a->free[i]];
    if (!cd_assembly_nearest(a, a->y)) return 0;
    change_of(a, a->y);
    return largest(a->nfree, a->y);
}

static double distance(cd_assembly* a)
{
    double sum = 0;
    cardan_model_difference(a->d->m, a->q, a->q0, a->dq);
    for (int i = 0; i < a->nfree; ++i) {
        const int v = a->free[i];
        sum += pow(a->dq[v] * a->unit[v] * a->firm[v], 2);
    }
    cd_assembly_wished(a, a->nearest);
    return sum + norm2(cd_assembly_soft(a), a->nearest);
}

void cd_assembly_return(cd_assembly* a)
{
    const size_t size = (size_t)a->d->m->nq * sizeof *a->q;
    double       far = distance(a), last = INFINITY;
    for (int i = 0; i < most_returns && a->nfree > 0; ++i) {
        const double way = way_back(a);
        if (way < good_enough || (way < near && way > last / 2)) return;
        last = way;
        memcpy(a->kept, a->q, size);
        cardan_model_move(a->d->m, a->q, a->dq, a->q1);
        set_positions(a, a->q1);
        const double left = cd_assembly_descend(a), now = distance(a);
        if (left < good_enough && (now < far || way < near)) { // near the end the distance shows rounding only
            far = now;
            continue;
        }
        memcpy(a->q, a->kept, size);
        set_positions(a, a->q);
        cd_assembly_residual(a, a->c);
        return;
    }
}

double cd_assembly_close_velocities(cd_assembly* a)
{
    cardan_data* d    = a->d;
    double       left = cd_assembly_residual(a, a->c);
    for (int i = 0; i < 3 && a->nfree > 0 && left > closed; ++i) {
        cd_assembly_jacobian(a);
        for (int k = 0; k < a->nrow; ++k) a->trial[k] = -a->c[k];
        if (!cd_assembly_least(a, 0, a->trial, a->y) ||
            cd_largest(a->nfree, a->y) > unfelt * cd_largest(a->nrow, a->trial))
            break;
        for (int k = 0; k < a->nfree; ++k) d->v[a->free[k]] += a->y[k] / (a->unit[a->free[k]] * a->firm[a->free[k]]);
        cd_set_velocity(d, d->v);
        left = cd_assembly_residual(a, a->c);
    }
    return left;
}

void cd_assembly_return_velocities(cd_assembly* a)
{
    cardan_data* d = a->d;
    if (a->nfree == 0) return;
    for (int i = 0; i < a->nfree; ++i)
        a->y[i] = (a->v0[a->free[i]] - d->v[a->free[i]]) * a->unit[a->free[i]] * a->firm[a->free[i]];
    if (!cd_assembly_nearest(a, a->y)) return;
    for (int i = 0; i < a->nfree; ++i) d->v[a->free[i]] += a->y[i] / (a->unit[a->free[i]] * a->firm[a->free[i]]);
    cd_set_velocity(d, d->v);
    (void)cd_assembly_close_velocities(a);
}
