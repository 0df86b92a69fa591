// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/statics.h"

#include <math.h>
#include <string.h>

static const double difference = 5e-4; // [rad, lengths] of the central differences

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
        return cardan_fail(report, CARDAN_NO_MEMORY, cardan_nowhere(), "no memory to analyse '%s'", d->m->view.name);
    }
    layout(s);
    cd_stand_still(d);
    status = cardan_data_set(d, d->t, d->q, s->v0, d->state);
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
    return most > 0 ? most : 1;
}

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
    s->force = forces_at_work(s);
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
        return cardan_fail(report, CARDAN_DIVERGED, cardan_nowhere(),
                           "at t = %g s the force on joint '%s' (coordinate %d) of '%s' is not finite; look for a "
                           "formula that is not defined there",
                           s->d->t, m->joint[j].name, local + 1, name);
    }
    for (int i = 0; i < s->nz; ++i)
        if (!isfinite(s->d->rates[3 * m->view.nforce + i]))
            return cardan_fail(report, CARDAN_DIVERGED, m->view.state[i].place,
                               "at t = %g s the rate of state '%s' is not finite", s->d->t, m->view.state[i].name);
    return cardan_fail(report, CARDAN_NOT_CONVERGED, cardan_nowhere(), "at t = %g s the loops of '%s' do not close",
                       s->d->t, name);
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
    for (int i = 0; i < s->nz; ++i) d->state[i] = s->z0[i] + p[s->n + i];
    cardan_data_set(d, d->t, d->q, s->v0, d->state);
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
        r[s->n + i] = -s->force * d->rates[3 * d->m->view.nforce + i];
        good        = good && isfinite(r[s->n + i]);
    }
    return good;
}

static const double weight[2] = {8.0 / 12, -1.0 / 12}; // (8 (r(h) - r(-h)) - (r(2h) - r(-2h))) / 12 h

// x (nv) += part (g + J'lambda), in units, at the centre moved by h along motion k, without closing. False where that
// is not finite.
static bool add_gradient(cd_statics* s, int k, double h, double part, double* x)
{
    cardan_data* d  = s->d;
    const int    nv = d->m->nv;
    for (int i = 0; i < nv; ++i) s->x[i] = h * s->N0[(size_t)k * (size_t)nv + (size_t)i] / s->here.unit[i];
    cardan_model_move(d->m, s->q0, s->x, d->q);
    cardan_data_set(d, d->t, d->q, s->v0, d->state);
    cardan_inverse(d, s->v0, s->g);
    cd_know_rows(d);
    cd_jacobian_transposed(d, &d->rows, s->lambda, s->g);
    bool good = true;
    for (int i = 0; i < nv; ++i) {
        x[i] += part * s->g[i] / s->here.unit[i];
        good = good && isfinite(s->g[i]);
    }
    return good;
}

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
    return s->nz == 0 && s->here.nrow > 0;
}

// False where the centre is singular, or something is not finite.
static bool stiffness_at_centre(cd_statics* s, double* K)
{
    const int nv = s->d->m->nv;
    if (!look_beside(s) || s->rank_near > s->rank || s->here.rank != s->rank) return false;
    cd_tangent_bear(&s->here, s->g, s->lambda);
    for (int j = 0; j < s->n; ++j) {
        memset(s->change, 0, (size_t)nv * sizeof *s->change);
        for (int k = 1; k <= 2; ++k)
            for (int side = -1; side <= 1; side += 2)
                if (!add_gradient(s, j, side * k * difference, side * weight[k - 1] / difference, s->change))
                    return false;
        for (int i = 0; i < s->n; ++i) {
            double sum = 0;
            for (int v = 0; v < nv; ++v) sum += s->N0[(size_t)i * (size_t)nv + (size_t)v] * s->change[v];
            K[(size_t)j * (size_t)s->size + (size_t)i] = sum;
        }
    }
    return true;
}

bool cd_statics_stiffness(cd_statics* s, const double* p, double* K)
{
    if (is_centre(s, p) && stiffness_at_centre(s, K)) return true;
    const int size = s->size;
    memcpy(s->p, p, (size_t)size * sizeof *p);
    memset(K, 0, (size_t)size * (size_t)size * sizeof *K);
    for (int j = 0; j < size; ++j) {
        const double h = j < s->n ? difference : difference * fmax(1, fabs(s->z0[j - s->n] + p[j]));
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
