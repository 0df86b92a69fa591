// SPDX-License-Identifier: BSD-3-Clause
// Poses of the patient: rank by singular values, closing the loops, wandering to other closed poses nearby.
//
//   closing     x = -V s/(s^2 + mu) U'c        Levenberg-Marquardt: mu = |c|^2 first, more when c does not shrink
//
// c and J are scaled alike (dynamics/stress.c), x in radians and lengths of the mechanism. Because mu goes to zero with
// c the iteration is quadratic at the end, also where rows repeat each other or nearly do. docs/theory/redundancy.md
// (1), (2).
#include "dynamics/patient.h"

#include "math/lapack.h"

#include <math.h>
#include <string.h>

static const double rank_exact    = 3e-10; // loops that close: as assembly and reduction tell rows from their rounding
static const double rank_rounded  = 1e-9;  // loops that stay open by rounding of the description
static const double closed_enough = 1e-11; // of lengths and angles, relative to the mechanism
enum { ROUNDS = 200 };

static void layout(cd_patient* p, cd_arena* arena)
{
    const cardan_model* m = p->d->m;
    CD_TAKE(arena, p->q, m->nq);
    CD_TAKE(arena, p->closed, m->nq);
    CD_TAKE(arena, p->trial, m->nq);
    CD_TAKE(arena, p->generic, m->nq);
    CD_TAKE(arena, p->v, m->nv);
    CD_TAKE(arena, p->zero, m->nv);
    CD_TAKE(arena, p->driven, p->nrow);
    CD_TAKE(arena, p->state, m->nstate);
    CD_TAKE(arena, p->J, (size_t)p->nrow * (size_t)p->nv);
    CD_TAKE(arena, p->scale, p->nrow);
    CD_TAKE(arena, p->sigma, p->most);
    CD_TAKE(arena, p->left, (size_t)p->nrow * (size_t)p->nrow);
    CD_TAKE(arena, p->right, (size_t)p->most * (size_t)p->nv);
    CD_TAKE(arena, p->work, cd_lapack_svd_work(p->nrow, p->nv));
    CD_TAKE(arena, p->x, p->nrow + p->nv);
    CD_TAKE(arena, p->y, p->nrow + p->nv);
}

bool cd_patient_admit(cd_patient* p, cardan_data* d, cardan_report* report)
{
    const cardan_model* m = d->m;
    *p                    = (cd_patient){.d    = d,
                                         .nrow = d->rows.nrow,
                                         .nv   = m->nv,
                                         .most = d->rows.nrow < m->nv ? d->rows.nrow : m->nv,
                                         .t    = d->t,
                                         .dice = 1};
    layout(p, &p->arena);
    if (!cd_arena_reserve(&p->arena)) {
        cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(), "no memory to diagnose '%s'",
                    m->view.name);
        return false;
    }
    layout(p, &p->arena);
    memcpy(p->q, d->q, (size_t)m->nq * sizeof *p->q);
    memcpy(p->v, d->v, (size_t)m->nv * sizeof *p->v);
    if (m->nstate > 0) memcpy(p->state, d->state, (size_t)m->nstate * sizeof *p->state);
    for (int i = 0; i < d->closure.nconstraint; ++i) {
        const cd_constraint* c = &d->closure.constraint[i];
        for (int row = 0; row < c->nrow; ++row) p->driven[c->first_row + row] = c->driven >> row & 1;
    }
    return true;
}

void cd_patient_dismiss(cd_patient* p)
{
    if (p->arena.base) cd_data_set(p->d, p->t, p->q, p->v, p->state);
    cd_arena_release(&p->arena);
}

static void put(cd_patient* p, const double* q)
{
    cd_data_set(p->d, p->t, q, p->zero, p->state);
    cd_know_rows(p->d);
}

double cd_rank_tolerance(const cd_patient* p) { return fmax(p->cut, p->endured > 0 ? rank_rounded : rank_exact); }

bool cd_examine(cd_patient* p, const double* q)
{
    put(p, q);
    cd_scaled_rows(p->d, p->J, p->scale);
    for (int i = 0; p->released && i < p->nrow; ++i)
        if (p->driven[i]) memset(p->J + (size_t)i * (size_t)p->nv, 0, (size_t)p->nv * sizeof *p->J);
    p->rank = 0;
    if (!cd_lapack_svd(p->nrow, p->nv, p->J, p->sigma, p->left, p->right, p->work)) return false;
    while (p->rank < p->most && p->sigma[p->rank] > cd_rank_tolerance(p) * fmax(1, p->sigma[0])) ++p->rank;
    return true;
}

// Scaled openings of all rows, and their norm.
static double openings(cd_patient* p, double* c)
{
    double sum = 0;
    for (int i = 0; i < p->nrow; ++i) {
        c[i] = p->released && p->driven[i] ? 0 : p->d->closure.value[i] * p->scale[i];
        sum += c[i] * c[i];
    }
    return sqrt(sum);
}

static double openings_at(cd_patient* p, const double* q, double* c)
{
    put(p, q);
    return openings(p, c);
}

// q moved by the scaled x; a step is never longer than `most` in any coordinate.
static void move(cd_patient* p, const double* q, const double* x, double most, double* q_new)
{
    double largest = 0;
    for (int v = 0; v < p->nv; ++v) largest = fmax(largest, fabs(x[v]));
    const double shrink = largest > most ? most / largest : 1;
    for (int v = 0; v < p->nv; ++v) {
        const vec3 s = p->d->k.S[v].a;
        p->y[v]      = shrink * x[v] * (v3_dot(s, s) > 0 ? 1 : p->d->reacting.length);
    }
    cardan_model_move(p->d->m, q, p->y, q_new);
}

// Damped step from the singular values examined last; c is overwritten by U'c.
static void damped_step(cd_patient* p, const double* c, double mu, double* x)
{
    memset(x, 0, (size_t)p->nv * sizeof *x);
    for (int k = 0; k < p->most; ++k) {
        const double s = p->sigma[k];
        if (s <= cd_rank_tolerance(p) * fmax(1, p->sigma[0])) break;
        double u = 0;
        for (int i = 0; i < p->nrow; ++i) u += p->left[i * p->nrow + k] * c[i];
        const double f = -u * s / (s * s + mu);
        for (int v = 0; v < p->nv; ++v) x[v] += f * p->right[k * p->nv + v];
    }
}

bool cd_close(cd_patient* p, double* q)
{
    if (p->nrow == 0) return true;
    double* c      = p->x + p->nv;
    double  factor = 1;
    if (!cd_examine(p, q)) return false;
    double size = openings(p, c);
    for (int round = 0; round < ROUNDS && size > 1e-15; ++round) {
        bool better = false;
        for (int attempt = 0; attempt < 12 && !better; ++attempt, factor *= 8) {
            double* there = p->y + p->nv;
            damped_step(p, c, factor * size * size, p->x);
            move(p, q, p->x, 0.5, p->trial);
            const double now = openings_at(p, p->trial, there);
            better           = now < size * (1 - 1e-6);
            if (!better && now < size && size < closed_enough) break; // rounding is all that is left
            if (!better) put(p, q);
        }
        if (!better) break;
        factor = fmax(factor / 64, 1);
        memcpy(q, p->trial, (size_t)p->d->m->nq * sizeof *q);
        if (!cd_examine(p, q)) return false;
        size = openings(p, c);
    }
    cd_examine(p, q);
    return size <= fmax(closed_enough * 10, p->endured);
}

void cd_constraint_opening(const cardan_data* d, int constraint, double* gap, double* turn)
{
    const cd_constraint* c      = &d->closure.constraint[constraint];
    double               length = 0, angle = 0;
    for (int row = 0; row < c->nrow; ++row) {
        const double value = d->closure.value[c->first_row + row];
        double       force = 0;
        for (int k = 0; k < c->nend; ++k) {
            const vec3 l = d->closure.equations[constraint].G[row * c->nend + k].l;
            force        = fmax(force, v3_dot(l, l));
        }
        if (force > 0)
            length += value * value;
        else
            angle += value * value;
    }
    *gap  = sqrt(length);
    *turn = sqrt(angle);
}

void cd_openings(cd_patient* p, const double* q, double* gap, double* turn, int* worst)
{
    double most = -1;
    put(p, q);
    *gap = *turn = 0;
    for (int i = 0; i < p->d->closure.nconstraint; ++i) {
        double length, angle;
        cd_constraint_opening(p->d, i, &length, &angle);
        *gap  = fmax(*gap, length);
        *turn = fmax(*turn, angle);
        if (fmax(length / p->d->reacting.length, angle) > most) {
            most = fmax(length / p->d->reacting.length, angle);
            if (worst) *worst = i;
        }
    }
}

// Uniform in (-1, 1); the same sequence at every diagnosis.
static double roll(cd_patient* p)
{
    p->dice = p->dice * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(p->dice >> 11) / 4503599627370496.0 - 1;
}

bool cd_wander(cd_patient* p, const double* from, double size, double* q)
{
    if (!cd_examine(p, from)) return false;
    double* x = p->x;
    for (int v = 0; v < p->nv; ++v) x[v] = roll(p);
    for (int k = 0; k < p->rank; ++k) {
        double part = 0;
        for (int v = 0; v < p->nv; ++v) part += p->right[k * p->nv + v] * x[v];
        for (int v = 0; v < p->nv; ++v) x[v] -= part * p->right[k * p->nv + v];
    }
    double largest = 0;
    for (int v = 0; v < p->nv; ++v) largest = fmax(largest, fabs(x[v]));
    if (largest < 1e-6) return false;
    for (int v = 0; v < p->nv; ++v) x[v] *= size / largest;
    move(p, from, x, size, q);
    if (!cd_close(p, q)) return false;

    double moved = 0;
    cardan_model_difference(p->d->m, from, q, p->y);
    for (int v = 0; v < p->nv; ++v) {
        const vec3 s = p->d->k.S[v].a;
        moved        = fmax(moved, fabs(p->y[v]) / (v3_dot(s, s) > 0 ? 1 : p->d->reacting.length));
    }
    return moved > 0.1 * size;
}
