// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/tangent.h"

#include "math/lapack.h"

#include <cardan/assemble.h>
#include <math.h>
#include <string.h>

static const double null_row = 1e-9; // of the largest pivot: a row that repeats others
static const double doubt_most =
    1e-3; // off the constraints such rows have pivots as large as the gap; up to this it is believed
static const double weak_row    = 1e-4;  // of the largest pivot: it may hold what is free at a singular pose close by,
static const double beside      = 5e-4;  // [rad, lengths] if at this distance
static const double much_firmer = 300;   // its pivot is larger by this factor
static const double closed      = 1e-13; // [m, rad]
static const double enough      = 1e-10; // where rounding leaves more
enum { CLOSINGS = 25 };

static void layout(cd_tangent* t)
{
    const size_t nv = (size_t)t->nv, nrow = (size_t)t->nrow;
    CD_TAKE(&t->arena, t->unit, nv);
    CD_TAKE(&t->arena, t->N, nv * nv);
    CD_TAKE(&t->arena, t->factor, nv * nrow);
    CD_TAKE(&t->arena, t->tau, nv + nrow);
    CD_TAKE(&t->arena, t->y, nv + nrow);
    CD_TAKE(&t->arena, t->scale, nrow);
    CD_TAKE(&t->arena, t->pivot, nrow);
    CD_TAKE(&t->arena, t->q, (size_t)t->d->m->nq);
    CD_TAKE(&t->arena, t->work, (size_t)cd_lapack_qr_work(t->nv, t->nv + t->nrow));
}

// [m] Farthest that mass is from the origin of its link, as its radius of gyration about it.
static double gyration(const cardan_model* m)
{
    double most = 0;
    for (int i = 0; i < m->nlink; ++i)
        if (m->link[i].m > 0) most = fmax(most, (m->link[i].J[0] + m->link[i].J[1] + m->link[i].J[2]) / m->link[i].m);
    return sqrt(most);
}

// [m] The largest arm of a link or a constraint; of bodies, where these have none and d->length says nothing.
static double arm_of(const cardan_data* d)
{
    double arms = 0;
    for (int i = 0; i < d->m->nlink; ++i)
        for (int k = 0; k < 3; ++k) arms = fmax(arms, fabs(d->m->mount[i].p[k]));
    const double bodies = arms > 0 || d->closure.nconstraint > 0 ? 0 : gyration(d->m);
    return bodies > 0 ? bodies : d->length;
}

cardan_status cd_tangent_create(cardan_data* d, cd_tangent* t, cardan_report* report)
{
    enum { MOST = 3000 }; // a dense matrix of that many columns
    *t = (cd_tangent){.d = d, .nv = d->m->nv, .nrow = d->rows.nrow, .length = arm_of(d)};
    if (t->nv > MOST || t->nrow > MOST)
        return cardan_fail(
            report, CARDAN_UNSUPPORTED, CARDAN_CODE_MODEL_TOO_LARGE, cardan_nowhere(),
            "'%s' has %d velocities and %d equations of constraints: this analysis is dense and takes up to %d of each",
            d->m->view.name, t->nv, t->nrow, MOST);
    layout(t);
    if (!cd_arena_reserve(&t->arena))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory to analyse '%s'", d->m->view.name);
    layout(t);
    for (int v = 0; v < t->nv; ++v) {
        const vec3 s = d->k.S[v].a;
        t->unit[v]   = v3_dot(s, s) > 0 ? 1 : 1 / t->length;
    }
    return CARDAN_OK;
}

void cd_tangent_release(cd_tangent* t) { cd_arena_release(&t->arena); }

// (J U^-1)' by columns, each row of J of length 1 unless it is all but zero.
static void gather(cd_tangent* t, bool positions_only)
{
    cardan_data* d = t->d;
    memset(t->factor, 0, (size_t)t->nv * (size_t)t->nrow * sizeof *t->factor);
    for (int c = 0; c < d->rows.nblock; ++c) {
        const cd_row_block b = cd_way_of(d, &d->closure, c);
        for (int i = 0; i < b.nrow; ++i) {
            if (positions_only && !cd_closure_has_position(&d->closure, c, i)) continue;
            double* column = t->factor + (size_t)(b.row + i) * (size_t)t->nv;
            double  sum    = 0;
            for (int j = 0; j < b.nv; ++j) {
                column[b.v[j]] = b.J[i * b.nv + j] / t->unit[b.v[j]];
                sum += column[b.v[j]] * column[b.v[j]];
            }
            t->scale[b.row + i] = sum > 1e-12 ? 1 / sqrt(sum) : 1;
            for (int j = 0; j < b.nv; ++j) column[b.v[j]] *= t->scale[b.row + i];
        }
    }
}

static bool factor(cd_tangent* t, bool positions_only)
{
    cardan_data* d = t->d;
    t->rank        = 0;
    if (t->nrow > 0) {
        cd_know_rows(d);
        gather(t, positions_only);
        if (!cd_lapack_qr(t->nv, t->nrow, t->factor, t->pivot, t->tau, t->work)) return false;
        const double gap = d->rows.gap, null = fmax(null_row, fmin(doubt_most, 10 * gap)) * fabs(t->factor[0]);
        const int    most = t->nv < t->nrow ? t->nv : t->nrow;
        while (t->rank < most && fabs(t->factor[(size_t)t->rank * (size_t)t->nv + (size_t)t->rank]) > null) ++t->rank;
    }
    t->n = t->nv - t->rank;
    return true;
}

bool cd_tangent_at(cd_tangent* t, bool positions_only)
{
    if (!factor(t, positions_only)) return false;
    cd_lapack_qr_basis(t->nv, t->rank, t->factor, t->tau, t->rank, t->N, t->work);
    return true;
}

static double pivot_size(const cd_tangent* t, int k) { return fabs(t->factor[(size_t)k * (size_t)t->nv + (size_t)k]); }

int cd_tangent_weakly_held(cd_tangent* t)
{
    cardan_data* d    = t->d;
    int          weak = 0;
    while (weak < t->rank && pivot_size(t, t->rank - 1 - weak) < weak_row * pivot_size(t, 0)) ++weak;
    if (weak == 0) return 0;
    const int    rank = t->rank, firm = rank - weak;
    const double here = pivot_size(t, rank - 1);
    cd_lapack_qr_basis(t->nv, firm, t->factor, t->tau, firm, t->N, t->work); // its first columns are held weakly
    for (int i = 0; i < t->nv; ++i) {
        double sum = 0;
        for (int k = 0; k < weak; ++k) sum += t->N[(size_t)k * (size_t)t->nv + (size_t)i];
        t->y[i] = beside * sum / t->unit[i];
    }
    memcpy(t->q, d->q, (size_t)d->m->nq * sizeof *t->q);
    cardan_model_move(d->m, t->q, t->y, d->q);
    cd_data_set(d, d->t, d->q, d->v, d->state);
    const bool firmer = factor(t, false) && pivot_size(t, rank - 1) > much_firmer * here;
    cd_data_set(d, d->t, t->q, d->v, d->state);
    return firmer ? weak : 0;
}

void cd_tangent_bear(cd_tangent* t, const double* g, double* lambda)
{
    memcpy(t->y, g, (size_t)t->nv * sizeof *g);
    memset(lambda, 0, (size_t)t->nrow * sizeof *lambda);
    if (t->rank == 0) return;
    cd_lapack_qr_solve(t->nv, t->rank, t->factor, t->tau, t->y, t->work);
    for (int i = 0; i < t->rank; ++i) lambda[t->pivot[i]] = -t->scale[t->pivot[i]] * t->y[i];
}

// y = -U^-1 Q1 R^-T P'c
static void closing_step(cd_tangent* t, const double* c)
{
    const size_t nv = (size_t)t->nv;
    for (int i = 0; i < t->rank; ++i) t->y[i] = -t->scale[t->pivot[i]] * c[t->pivot[i]];
    cd_lapack_qr_transposed(t->nv, t->rank, t->factor, t->y);
    for (size_t i = (size_t)t->rank; i < nv; ++i) t->y[i] = 0;
    for (int k = t->rank - 1; k >= 0; --k) { // Q1 y by the reflections I - tau h h'
        const double* h   = t->factor + (size_t)k * nv;
        double        sum = t->y[k];
        for (int i = k + 1; i < t->nv; ++i) sum += h[i] * t->y[i];
        t->y[k] -= t->tau[k] * sum;
        for (int i = k + 1; i < t->nv; ++i) t->y[i] -= t->tau[k] * sum * h[i];
    }
    for (size_t i = 0; i < nv; ++i) t->y[i] /= t->unit[i];
}

void cd_tangent_answer(cd_tangent* t, const double* c, double* v)
{
    closing_step(t, c);
    memcpy(v, t->y, (size_t)t->nv * sizeof *v);
}

bool cd_tangent_close(cd_tangent* t)
{
    cardan_data* d = t->d;
    if (t->nrow == 0) return true;
    double gap, last = INFINITY;
    cardan_closure_error(d, &gap, NULL);
    for (int i = 0; i < CLOSINGS && gap > closed; ++i) {
        if (!isfinite(gap) || (gap < enough && gap > 0.5 * last)) break;
        if ((i == 0 || !(gap < 0.05 * last)) && !factor(t, false))
            return false; // a factor serves as long as it closes quickly
        cd_know_closure(d);
        closing_step(t, d->closure.value);
        cardan_model_move(d->m, d->q, t->y, d->q);
        cd_data_set(d, d->t, d->q, d->v, d->state);
        last = gap;
        cardan_closure_error(d, &gap, NULL);
    }
    return gap <= enough;
}

bool cd_tangent_close_velocity(cd_tangent* t)
{
    cardan_data* d = t->d;
    double       rate, fastest = 1;
    if (t->nrow == 0) return true;
    cardan_closure_error(d, NULL, &rate);
    if (rate == 0) return true;
    for (int i = 0; i < 2; ++i) { // the second for what rounding left
        if (i == 0 && !factor(t, false)) return false;
        cd_know_closure(d);
        closing_step(t, d->closure.rate);
        for (int v = 0; v < t->nv; ++v) d->v[v] += t->y[v];
        cd_set_velocity(d, d->v);
    }
    for (int v = 0; v < t->nv; ++v) fastest = fmax(fastest, fabs(d->v[v]));
    cardan_closure_error(d, NULL, &rate);
    return rate <= enough * fastest;
}

void cd_stand_still(cardan_data* d)
{
    for (int i = 0; i < d->m->nmotion; ++i) {
        const double law[3] = {d->closure.law[3 * i], 0, 0};
        memcpy(d->outer_law + 3 * i, law, sizeof law);
        d->outer[i] = true;
    }
    d->renew = true;
}
