// SPDX-License-Identifier: BSD-3-Clause
// Newton's method on the constraints and on the equilibrium of what they leave free, in the singular vectors of J.
#include "analysis/still.h"

#include "math/lapack.h"

#include <cardan/dynamics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double dependent = 1e-9;  // singular values of J, relative: rows that repeat others
static const double weak      = 1e-7;  // stiffness relative to the forces: nothing holds this motion
static const double closed    = 1e-13; // [m, rad] last correction
static const double settled   = 1e-10; // the same of the equilibrium
static const double apart     = 2e-5;  // difference quotients, in radians or lengths

static int least(int a, int b) { return a < b ? a : b; }

static void layout(cd_still* s, cd_arena* a)
{
    const int nv = s->nv, nrow = s->nrow, most = least(nv, nrow);
    CD_TAKE(a, s->q, s->d->m->nq);
    CD_TAKE(a, s->unit, nv);
    CD_TAKE(a, s->c, nrow);
    CD_TAKE(a, s->f, nv);
    CD_TAKE(a, s->lambda, nrow);
    CD_TAKE(a, s->J, nv * nrow);
    CD_TAKE(a, s->U, nv * nv);
    CD_TAKE(a, s->sigma, most);
    CD_TAKE(a, s->V, most * nrow);
    CD_TAKE(a, s->H, nv * nv);
    CD_TAKE(a, s->left, nv * nv);
    CD_TAKE(a, s->values, nv);
    CD_TAKE(a, s->right, nv * nv);
    CD_TAKE(a, s->x, nv);
    CD_TAKE(a, s->y, nv);
    CD_TAKE(a, s->z, nv);
    CD_TAKE(a, s->push, nv);
    CD_TAKE(a, s->row, nrow);
    CD_TAKE(a, s->work, cd_lapack_svd_work(nv, nrow > nv ? nrow : nv));
    cd_state_slopes_layout(s->d, a, &s->slopes);
    CD_TAKE(a, s->curvature, nv * nv);
    CD_TAKE(a, s->by_q, s->slopes.n * nv);
    CD_TAKE(a, s->by_v, s->slopes.n * nv);
    CD_TAKE(a, s->by_s, s->slopes.n * s->d->m->nstate);
}

cd_still* cd_still_create(cardan_data* d, const bool* idle)
{
    cd_still* s = cd_allocate(1, sizeof *s);
    if (!s) return NULL;
    s->d    = d;
    s->idle = idle;
    s->nv   = d->m->nv;
    s->nrow = d->closure.nrow;
    layout(s, &s->arena);
    if (!cd_arena_reserve(&s->arena)) {
        free(s);
        return NULL;
    }
    layout(s, &s->arena);
    const double length = d->length;
    for (int i = 0; i < s->nv; ++i) s->unit[i] = v3_dot(d->k.S[i].a, d->k.S[i].a) > 0 ? 1 : 1 / length;
    return s;
}

void cd_still_destroy(cd_still* s)
{
    if (!s) return;
    cd_arena_release(&s->arena);
    free(s);
}

// ---- forces and rows at a state

static bool set(cd_still* s, const double* q)
{
    memset(s->push, 0, (size_t)s->nv * sizeof *s->push);
    return cd_data_set(s->d, 0, q, s->push, s->d->state) == CARDAN_OK;
}

// f (nv) of the state set, in units.
static void forces(cd_still* s, double* f)
{
    cardan_residual(s->d, s->d->rest, f);
    for (int i = 0; i < s->nv; ++i) f[i] = s->idle[i] ? 0 : f[i] / s->unit[i];
}

// Calls `take` for every entry of J at the state set: rows act on the twists of links, which all velocities on the way
// to ground move.
typedef void taker(cd_still* s, int row, int v, double J, double* out);

static void entries(cd_still* s, taker* take, double* out)
{
    const cardan_data*  d = s->d;
    const cardan_model* m = d->m;
    cd_know_rows(s->d);
    for (int k = 0; k < d->rows.nblock; ++k) {
        const cd_row_block* b = &d->rows.block[k];
        for (int n = 0; n < b->nend; ++n) {
            const int link = b->link[n];
            if (link < 0) continue;
            for (int v = m->link[link].v + m->link[link].nv - 1; v >= 0; v = m->v_parent[v]) {
                const frame   T = d->world.pose[m->v_link[v]];
                const vec3    w = m3_mul(T.R, d->k.S[v].a);
                const spatial V = {w,
                                   v3_add(m3_mul(T.R, d->k.S[v].l), v3_cross(w, v3_sub(d->world.pose[link].p, T.p)))};
                for (int i = 0; i < b->nrow; ++i)
                    take(s, b->row + i, v, sv_dot(b->G[i * b->nend + n], V) / s->unit[v], out);
            }
        }
    }
}

static void take_entry(cd_still* s, int row, int v, double J, double* out) { out[v * s->nrow + row] += J; }
static void take_force(cd_still* s, int row, int v, double J, double* out) { out[v] += J * s->lambda[row]; }

static void rows(cd_still* s)
{
    memset(s->J, 0, (size_t)(s->nv * s->nrow) * sizeof *s->J);
    entries(s, take_entry, s->J);
}

// L = f + J'lambda (nv) at the state set.
static void gradient(cd_still* s, double* L)
{
    forces(s, L);
    entries(s, take_force, L);
}

// part * dr/dq of the state set, r with these multipliers, added to H (nv x nv, row major, in units) in rows that are
// idle or not.
static void add_slopes(cd_still* s, const double* lambda, bool idle, double part)
{
    const int nv = s->nv;
    cd_state_slopes_at(s->d, s->d->rest, lambda, &s->slopes, s->by_q, s->by_v, s->by_s);
    for (int i = 0; i < nv; ++i)
        for (int j = 0; j < nv; ++j)
            if (s->idle[i] == idle)
                s->curvature[i * nv + j] += part *
                                            s->by_q[(size_t)j * (size_t)s->slopes.n + (size_t)(s->slopes.r + i)] /
                                            (s->unit[i] * s->unit[j]);
}

// H of the state set, exactly. Where forces do not count, those of constraints do: r less r without multipliers.
static void know_curvature(cd_still* s)
{
    bool any = false;
    if (s->curved) return;
    s->curved = true;
    memset(s->curvature, 0, (size_t)(s->nv * s->nv) * sizeof *s->curvature);
    for (int i = 0; i < s->nv; ++i) any = any || s->idle[i];
    add_slopes(s, s->lambda, false, 1);
    if (!any) return;
    add_slopes(s, s->lambda, true, 1);
    memset(s->row, 0, (size_t)s->nrow * sizeof *s->row);
    add_slopes(s, s->row, true, -1);
}

static void curve_by_differences(cd_still* s, const double* x, double* y);

// y = H x in units, at the state set. Gears that lose power by their load have no slopes where who drives may change.
static void curve(cd_still* s, const double* x, double* y)
{
    if (s->d->closure.nlossy > 0) {
        curve_by_differences(s, x, y);
        set(s, s->q);
        return;
    }
    know_curvature(s);
    for (int i = 0; i < s->nv; ++i) {
        y[i] = 0;
        for (int j = 0; j < s->nv; ++j) y[i] += s->curvature[i * s->nv + j] * x[j];
    }
}

// By differences to both sides. The data are moved.
static void curve_by_differences(cd_still* s, const double* x, double* y)
{
    double size = 0;
    for (int i = 0; i < s->nv; ++i) size = fmax(size, fabs(x[i]));
    memset(y, 0, (size_t)s->nv * sizeof *y);
    if (!(size > 0)) return;
    double* q = s->d->q;
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < s->nv; ++i) s->z[i] = side * apart / size * x[i] / s->unit[i];
        cardan_model_move(s->d->m, s->q, s->z, q);
        set(s, q);
        gradient(s, s->z);
        for (int i = 0; i < s->nv; ++i) y[i] += side * s->z[i] * size / (2 * apart);
    }
}

// ---- factors

// x = pseudo-inverse of J times row vector r (nrow).
static void reach(const cd_still* s, const double* r, double* x)
{
    memset(x, 0, (size_t)s->nv * sizeof *x);
    for (int k = 0; k < s->rank; ++k) {
        double sum = 0;
        for (int j = 0; j < s->nrow; ++j) sum += s->V[k * s->nrow + j] * r[j];
        for (int i = 0; i < s->nv; ++i) x[i] += s->U[i * s->nv + k] * sum / s->sigma[k];
    }
}

// What the free motions do about the force y: x += N w, N'H N w = -N'y; neutral motions do nothing.
static void settle(cd_still* s, const double* y, double* x)
{
    for (int k = 0; k < s->nfree - s->nneutral; ++k) {
        double sum = 0;
        for (int i = 0; i < s->nfree; ++i)
            for (int j = 0; j < s->nv; ++j) sum += s->left[i * s->nfree + k] * s->U[j * s->nv + s->rank + i] * y[j];
        for (int i = 0; i < s->nfree; ++i)
            for (int j = 0; j < s->nv; ++j)
                x[j] -= s->U[j * s->nv + s->rank + i] * s->right[k * s->nfree + i] * sum / s->values[k];
    }
}

static bool factor_free(cd_still* s)
{
    s->nneutral = 0;
    if (s->nfree == 0) return true;
    for (int k = 0; k < s->nfree; ++k) {
        for (int i = 0; i < s->nv; ++i) s->x[i] = s->U[i * s->nv + s->rank + k];
        curve(s, s->x, s->y);
        for (int i = 0; i < s->nfree; ++i) {
            double sum = 0;
            for (int j = 0; j < s->nv; ++j) sum += s->U[j * s->nv + s->rank + i] * s->y[j];
            s->H[i * s->nfree + k] = sum;
        }
    }
    if (!cd_lapack_svd(s->nfree, s->nfree, s->H, s->values, s->left, s->right, s->work)) return false;
    for (int k = 0; k < s->nfree; ++k) s->nneutral += !(s->values[k] > fmax(weak * s->size, dependent * s->values[0]));
    return true;
}

// Everything about the position q: constraints, forces, and the factors of both.
static bool look(cd_still* s)
{
    if (!set(s, s->q)) return false;
    s->curved = false;
    cd_know_closure(s->d);
    memcpy(s->c, s->d->closure.value, (size_t)s->nrow * sizeof *s->c);
    rows(s);
    if (s->d->closure.singular != CARDAN_NONE) return false;
    forces(s, s->f);
    const int most = least(s->nv, s->nrow);
    if (!cd_lapack_svd(s->nv, s->nrow, s->J, s->sigma, s->U, s->V, s->work)) return false;
    s->rank = 0;
    while (s->rank < most && s->sigma[s->rank] > dependent * s->sigma[0]) ++s->rank;
    s->nfree = s->nv - s->rank;
    s->size  = 0;
    memset(s->lambda, 0, (size_t)s->nrow * sizeof *s->lambda);
    for (int i = 0; i < s->nv; ++i) s->size = fmax(s->size, fabs(s->f[i]));
    for (int k = 0; k < s->rank; ++k) {
        double sum = 0;
        for (int i = 0; i < s->nv; ++i) sum += s->U[i * s->nv + k] * s->f[i];
        for (int j = 0; j < s->nrow; ++j) s->lambda[j] -= s->V[k * s->nrow + j] * sum / s->sigma[k];
    }
    return isfinite(s->size) && factor_free(s);
}

static double largest(const cd_still* s, const double* x)
{
    double most = 0;
    for (int i = 0; i < s->nv; ++i)
        if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
    return most;
}

// One step of Newton's method; its sizes: to the constraints, and of the equilibrium.
static bool step(cd_still* s, double* x, double* gap, double* rest)
{
    if (!look(s)) return false;
    for (int j = 0; j < s->nrow; ++j) s->row[j] = -s->c[j];
    reach(s, s->row, x);
    *gap  = largest(s, x);
    *rest = 0;
    if (s->nfree > s->nneutral) {
        double* y = s->y;
        curve(s, x, y);
        for (int i = 0; i < s->nv; ++i) y[i] += s->f[i];
        memcpy(s->push, x, (size_t)s->nv * sizeof *x);
        settle(s, y, s->push);
        for (int i = 0; i < s->nv; ++i) s->z[i] = s->push[i] - x[i];
        *rest = largest(s, s->z);
        memcpy(x, s->push, (size_t)s->nv * sizeof *x);
    }
    return isfinite(*gap) && isfinite(*rest);
}

bool cd_still_solve(cd_still* s, double* q, double most, double* moved)
{
    enum { TRIES = 60 };
    const double longest = 0.2;
    double*      x       = s->x;
    bool         done    = false;
    memcpy(s->q, q, (size_t)s->d->m->nq * sizeof *q);
    *moved = 0;
    for (int n = 0; n < TRIES && !done && *moved <= most; ++n) {
        double gap, rest;
        if (!step(s, x, &gap, &rest)) return false;
        const double size = largest(s, x), part = size > longest ? longest / size : 1;
        *moved += part * size;
        for (int i = 0; i < s->nv; ++i) s->y[i] = part * x[i] / s->unit[i];
        cardan_model_move(s->d->m, s->q, s->y, s->q);
        done = gap <= closed && rest <= settled;
    }
    if (!done || *moved > most || !look(s)) return false;
    double left = 0;
    for (int j = 0; j < s->nrow; ++j) left = fmax(left, fabs(s->c[j]));
    memcpy(q, s->q, (size_t)s->d->m->nq * sizeof *q);
    return left <= 1e-10;
}

// ---- what follows from it

void cd_still_tangent(cd_still* s, int row, double* t, double* miss)
{
    memset(s->row, 0, (size_t)s->nrow * sizeof *s->row);
    s->row[row] = 1;
    reach(s, s->row, t);
    for (int k = 0; k < s->rank; ++k)
        for (int j = 0; j < s->nrow; ++j) s->row[j] -= s->V[k * s->nrow + row] * s->V[k * s->nrow + j];
    *miss = 0;
    for (int j = 0; j < s->nrow; ++j) *miss = fmax(*miss, fabs(s->row[j]));
    if (s->nfree > s->nneutral) {
        curve(s, t, s->y);
        settle(s, s->y, t);
    }
    for (int i = 0; i < s->nv; ++i) t[i] /= s->unit[i];
}

double cd_still_force(const cd_still* s, const double* t)
{
    double sum = 0;
    for (int i = 0; i < s->nv; ++i) sum += s->f[i] * s->unit[i] * t[i];
    return sum;
}

double cd_still_stiffness(cd_still* s, const double* t1, const double* t2)
{
    double sum = 0;
    for (int i = 0; i < s->nv; ++i) s->x[i] = t2[i] * s->unit[i];
    curve(s, s->x, s->y);
    for (int i = 0; i < s->nv; ++i) sum += t1[i] * s->unit[i] * s->y[i];
    return sum;
}

void cd_still_free(const cd_still* s, int k, double* motion)
{
    for (int j = 0; j < s->nv; ++j) {
        motion[j] = 0;
        for (int n = 0; n < s->nfree; ++n) motion[j] += s->U[j * s->nv + s->rank + n] * s->right[k * s->nfree + n];
        motion[j] /= s->unit[j];
    }
}
