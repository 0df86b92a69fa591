// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/statics.h"

#include <math.h>
#include <string.h>

static const double difference = 5e-4;  // [rad, lengths] of the central differences
static const double cancelled  = 1e-12; // of the forces at work: what is left of stiffness that they cause
static const double differed   = 1e-9;  // of the stiffness, where it comes from differences

static void layout(cd_statics* s)
{
    const size_t nv = (size_t)s->d->m->nv, nq = (size_t)s->d->m->nq, all = nv + (size_t)s->nz + 1;
    CD_TAKE(&s->arena, s->q0, nq);
    CD_TAKE(&s->arena, s->z0, (size_t)s->nz + 1);
    CD_TAKE(&s->arena, s->N0, nv * nv);
    CD_TAKE(&s->arena, s->v0, nv);
    CD_TAKE(&s->arena, s->g, all);
    CD_TAKE(&s->arena, s->x, all);
    CD_TAKE(&s->arena, s->p, all);
    CD_TAKE(&s->arena, s->lower, all);
    CD_TAKE(&s->arena, s->upper, all);
    CD_TAKE(&s->arena, s->lambda, s->here.nrow);
    CD_TAKE(&s->arena, s->state_size, (size_t)s->nz);
    CD_TAKE(&s->arena, s->rate_size, (size_t)s->nz);
    cd_slope_bounds_layout(s->d, &s->arena, &s->bounds);
    CD_TAKE(&s->arena, s->change, s->d->m->nv);
}

cardan_status cd_statics_create(cardan_data* d, cd_statics* s, cardan_report* report)
{
    *s                   = (cd_statics){.d = d, .nz = d->m->nstate, .force = 1};
    cardan_status status = cd_tangent_create(d, &s->here, report);
    if (status != CARDAN_OK) return status;
    layout(s);
    if (!cd_arena_reserve(&s->arena)) {
        cd_tangent_release(&s->here);
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_nowhere(),
                           "no memory to analyse '%s'", d->m->view.name);
    }
    layout(s);
    cd_stand_still(d);
    status = cd_data_set(d, d->t, d->q, s->v0, d->state);
    if (status != CARDAN_OK) cd_statics_release(s);
    return status;
}

void cd_statics_release(cd_statics* s)
{
    cd_arena_release(&s->arena);
    cd_tangent_release(&s->here);
}

// Largest of the forces at work: the weight, efforts along coordinates, wrenches of force elements.
static double forces_at_work(cd_statics* s)
{
    cardan_data*        d    = s->d;
    const cardan_model* m    = d->m;
    const double*       g    = m->view.gravity;
    double              most = 0, mass = 0;
    cd_know_forces(d);
    for (int i = 0; i < m->nlink; ++i) mass += m->link[i].m;
    most = mass * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * s->here.length;
    cd_inverse_dynamics(m, &d->k, s->v0, NULL, NULL, s->x);
    for (int v = 0; v < m->nv; ++v) most = fmax(most, fmax(fabs(s->x[v]), fabs(d->effort[v])) / s->here.unit[v]);
    for (int i = 0; d->pushed && i < m->nlink; ++i) {
        const spatial F = d->wrench[i];
        most            = fmax(most, sqrt(v3_dot(F.a, F.a)) + s->here.length * sqrt(v3_dot(F.l, F.l)));
    }
    return most;
}

// ---- sizes of states

// Largest of part i of the columns by positions, in units; part i: a row of the slopes.
static double by_motion(const cd_statics* s, int row)
{
    const cd_slope_bounds* b    = &s->bounds;
    double                 most = 0;
    for (int v = 0; v < s->d->m->nv; ++v)
        most = fmax(most, fabs(b->here.q[(size_t)v * (size_t)b->rows + (size_t)row]) / s->here.unit[v]);
    return most;
}

// Force per state i, in units.
static double force_of(const cd_statics* s, int i)
{
    const cd_slope_bounds* b    = &s->bounds;
    double                 most = 0;
    for (int v = 0; v < s->d->m->nv; ++v)
        most = fmax(most, fabs(b->here.s[(size_t)i * (size_t)b->rows + (size_t)(b->slopes.r + v)]) / s->here.unit[v]);
    return most;
}

static double by_state(const cd_statics* s, int i, int j)
{
    const cd_slope_bounds* b = &s->bounds;
    return fabs(b->here.s[(size_t)j * (size_t)b->rows + (size_t)(b->slopes.g + i)]);
}

// Size of a state: its value, or the change that balances its rate, or the change that a motion by one unit makes, or
// the one that moves the forces at work, whichever of these two is less.
static double state_size(const cd_statics* s, int i)
{
    const double own = by_state(s, i, i), rate = fabs(s->d->rates[3 * s->d->m->view.nforce + i]),
                 moved = own > 0 ? by_motion(s, s->bounds.slopes.g + i) / own : 0, force = force_of(s, i),
                 pushed = force > 0 ? s->force / force : 0;
    const double made   = moved > 0 && pushed > 0 ? fmin(moved, pushed) : fmax(moved, pushed);
    const double size   = fmax(fmax(fabs(s->z0[i]), own > 0 ? rate / own : 0), made);
    return size > 0 && isfinite(size) ? size : 1;
}

// Size of a rate: what it is, or what motions by one unit and states of their sizes make of it.
static double rate_size(const cd_statics* s, int i)
{
    double size = fmax(fabs(s->d->rates[3 * s->d->m->view.nforce + i]), by_motion(s, s->bounds.slopes.g + i));
    for (int j = 0; j < s->nz; ++j) size = fmax(size, by_state(s, i, j) * s->state_size[j]);
    return size > 0 && isfinite(size) ? size : 1;
}

static void know_sizes(cd_statics* s)
{
    if (s->nz == 0) return;
    cd_know_forces(s->d);
    memset(s->lambda, 0, (size_t)s->here.nrow * sizeof *s->lambda);
    cd_slope_bounds_at(&s->bounds, s->v0, s->lambda, s->here.unit);
    cd_know_forces(s->d);
    for (int i = 0; i < s->nz; ++i) s->state_size[i] = state_size(s, i);
    for (int i = 0; i < s->nz; ++i) s->rate_size[i] = rate_size(s, i);
}

// ---- the centre

bool cd_statics_centre(cd_statics* s)
{
    cardan_data* d = s->d;
    if (!cd_tangent_close(&s->here) || !cd_tangent_at(&s->here, false)) return false;
    s->n    = s->here.n;
    s->size = s->n + s->nz;
    s->rank = s->rank_near = s->here.rank;
    memcpy(s->q0, d->q, (size_t)d->m->nq * sizeof *s->q0);
    if (s->nz > 0) memcpy(s->z0, d->state, (size_t)s->nz * sizeof *s->z0);
    memcpy(s->N0, s->here.N, (size_t)d->m->nv * (size_t)s->n * sizeof *s->N0);
    s->work  = forces_at_work(s);
    s->force = s->work > 0 ? s->work : 1;
    know_sizes(s);
    return true;
}

cardan_status cd_statics_fail(const cd_statics* s, cardan_report* report)
{
    const cardan_model* m    = s->d->m;
    const char*         name = m->view.name;
    for (int v = 0; v < m->nv; ++v) {
        if (isfinite(s->g[v])) continue;
        int       local;
        const int j = cardan_model_joint_of_velocity(m, v, &local);
        return cardan_fail(report, CARDAN_DIVERGED, CARDAN_CODE_NOT_FINITE, cardan_nowhere(),
                           "at t = %g s the force on joint '%s' (coordinate %d) of '%s' is not finite; look for a "
                           "formula that is not defined there",
                           s->d->t, m->joint[j].name, local + 1, name);
    }
    for (int i = 0; i < s->nz; ++i)
        if (!isfinite(s->d->rates[3 * m->view.nforce + i]))
            return cardan_fail(report, CARDAN_DIVERGED, CARDAN_CODE_NOT_FINITE, m->view.state[i].place,
                               "at t = %g s the rate of state '%s' is not finite", s->d->t, m->view.state[i].name);
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_ASSEMBLY_FAILED, cardan_nowhere(),
                       "at t = %g s the loops of '%s' do not close", s->d->t, name);
}

bool cd_statics_move(cd_statics* s, const double* p)
{
    cardan_data* d  = s->d;
    const int    nv = d->m->nv;
    for (int i = 0; i < nv; ++i) {
        double sum = 0;
        for (int k = 0; k < s->n; ++k) sum += s->N0[(size_t)k * (size_t)nv + (size_t)i] * p[k];
        s->x[i] = sum / s->here.unit[i];
    }
    cardan_model_move(d->m, s->q0, s->x, d->q);
    for (int i = 0; i < s->nz; ++i) d->state[i] = s->z0[i] + s->state_size[i] * p[s->n + i];
    cd_data_set(d, d->t, d->q, s->v0, d->state);
    return cd_tangent_close(&s->here);
}

bool cd_statics_unbalanced(cd_statics* s, double* x)
{
    cardan_data*      d = s->d;
    const cd_tangent* t = &s->here;
    ++s->evaluations;
    cardan_inverse(d, s->v0, s->g);
    bool good = true;
    for (int i = 0; i < t->nv; ++i) {
        s->g[i] /= t->unit[i];
        good = good && isfinite(s->g[i]);
    }
    if (t->nrow == 0) {
        memcpy(x, s->g, (size_t)t->nv * sizeof *x);
        return good;
    }
    if (!cd_tangent_at(&s->here, false)) return false;
    memset(x, 0, (size_t)t->nv * sizeof *x);
    for (int k = 0; k < t->n; ++k) {
        const double* column = t->N + (size_t)k * (size_t)t->nv;
        double        sum    = 0;
        for (int i = 0; i < t->nv; ++i) sum += column[i] * s->g[i];
        for (int i = 0; i < t->nv; ++i) x[i] += sum * column[i];
    }
    return good;
}

bool cd_statics_residual(cd_statics* s, const double* p, double* r)
{
    const cardan_data* d  = s->d;
    const int          nv = d->m->nv;
    if (!cd_statics_move(s, p) || !cd_statics_unbalanced(s, s->x)) return false;
    bool good = true;
    if (s->here.rank > s->rank_near) s->rank_near = s->here.rank;
    for (int k = 0; k < s->n; ++k) {
        double sum = 0;
        for (int i = 0; i < nv; ++i) sum += s->N0[(size_t)k * (size_t)nv + (size_t)i] * s->x[i];
        r[k] = sum;
        good = good && isfinite(sum);
    }
    for (int i = 0; i < s->nz; ++i) {
        r[s->n + i] = -s->force * d->rates[3 * d->m->view.nforce + i] / s->rate_size[i];
        good        = good && isfinite(r[s->n + i]);
    }
    return good;
}

static const double weight[2] = {8.0 / 12, -1.0 / 12}; // (8 (r(h) - r(-h)) - (r(2h) - r(-2h))) / 12 h

// Looks to both sides of the centre, along all motions at once, whether constraints have more rank there.
static bool look_beside(cd_statics* s)
{
    for (int side = -1; side <= 1; side += 2) {
        for (int k = 0; k < s->n; ++k) s->p[k] = side * difference * (1 + 0.5 * sin(1 + 7.3 * k)) * (k % 2 ? 1 : -1);
        if (!cd_statics_residual(s, s->p, s->upper)) return false;
    }
    memset(s->p, 0, (size_t)s->size * sizeof *s->p);
    return cd_statics_residual(s, s->p, s->upper); // and back
}

static bool is_centre(const cd_statics* s, const double* p)
{
    for (int i = 0; i < s->size; ++i)
        if (p[i] != 0) return false;
    return s->d->closure.nlossy == 0;
}

// y (size x size) of columns by positions and states: rows of motions left (nv x n) times the rows of r, and rows of
// rates; both of the columns times right (nv x n), and times sizes of states. `magnitudes`: all of it as magnitudes.
static void project(cd_statics* s, const cd_slope_columns* c, bool magnitudes, double* y)
{
    const size_t nv = (size_t)s->d->m->nv, rows = (size_t)s->bounds.rows, size = (size_t)s->size, n = (size_t)s->n;
    for (size_t j = 0; j < size; ++j) {
        double* column = y + j * size;
        memset(s->change, 0, nv * sizeof *s->change);
        memset(column, 0, size * sizeof *column);
        for (size_t k = 0; k < (j < n ? nv : 1); ++k) {
            const double* slope = j < n ? c->q + k * rows : c->s + (j - n) * rows;
            const double  w     = j < n ? s->N0[j * nv + k] / s->here.unit[k] : s->state_size[j - n];
            const double  part  = magnitudes ? fabs(w) : w;
            for (size_t v = 0; v < nv; ++v)
                s->change[v] += part * slope[(size_t)s->bounds.slopes.r + v] / s->here.unit[v];
            for (size_t i = n; i < size; ++i)
                column[i] += (magnitudes ? 1 : -1) * s->force / s->rate_size[i - n] * part *
                             slope[(size_t)s->bounds.slopes.g + i - n];
        }
        for (size_t i = 0; i < n; ++i)
            for (size_t v = 0; v < nv; ++v)
                column[i] += (magnitudes ? fabs(s->N0[i * nv + v]) : s->N0[i * nv + v]) * s->change[v];
    }
}

// False where the centre is singular, or something is not finite.
static bool stiffness_at_centre(cd_statics* s, double* K)
{
    if (s->here.nrow > 0 && (!look_beside(s) || s->rank_near > s->rank || s->here.rank != s->rank)) return false;
    if (s->here.nrow == 0) cd_statics_residual(s, s->p, s->upper);
    cd_tangent_bear(&s->here, s->g, s->lambda);
    cd_slope_bounds_at(&s->bounds, s->v0, s->lambda, s->here.unit);
    project(s, &s->bounds.here, false, K);
    for (int i = 0; i < s->size * s->size; ++i)
        if (!isfinite(K[i])) return false;
    return true;
}

bool cd_statics_stiffness(cd_statics* s, const double* p, double* K)
{
    const int size = s->size;
    memcpy(s->p, p, (size_t)size * sizeof *p);
    s->exact = is_centre(s, p) && stiffness_at_centre(s, K);
    if (s->exact) return true;
    memcpy(s->p, p, (size_t)size * sizeof *p);
    memset(K, 0, (size_t)size * (size_t)size * sizeof *K);
    for (int j = 0; j < size; ++j) {
        const double h = difference;
        for (int k = 1; k <= 2; ++k) {
            s->p[j] = p[j] + k * h;
            if (!cd_statics_residual(s, s->p, s->upper)) return false;
            s->p[j] = p[j] - k * h;
            if (!cd_statics_residual(s, s->p, s->lower)) return false;
            for (int i = 0; i < size; ++i)
                K[(size_t)j * (size_t)size + (size_t)i] += weight[k - 1] * (s->upper[i] - s->lower[i]) / h;
        }
        s->p[j] = p[j];
    }
    return true;
}

void cd_statics_rounding(cd_statics* s, const double* K, double* E)
{
    const size_t size = (size_t)s->size, n = (size_t)s->n;
    double       most = 0;
    if (s->exact) {
        project(s, &s->bounds.bound, true, E);
    } else {
        for (size_t i = 0; i < size * size; ++i) most = fmax(most, fabs(K[i]));
        for (size_t i = 0; i < size * size; ++i) E[i] = differed * most;
    }
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) E[j * size + i] += cancelled * s->work;
}
