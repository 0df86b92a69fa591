// SPDX-License-Identifier: BSD-3-Clause
// Newton's method for the constraints and for the equilibrium of the free motions, in the singular vectors of J.
#include "analysis/suspension/quasi_static.h"
#include "analysis/analysis_tolerances.h"

#include "dynamics/rows/constraint_update.h"
#include "dynamics/state.h"
#include "math/lapack.h"
#include "math/norm_inf.h"

#include <cardan/dynamics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double difference_step = 2e-5; // [rad, length_scale] of difference quotients

static int smaller(int a, int b) { return a < b ? a : b; }

static void layout(cd_quasi_static* s, cd_arena* a)
{
    const int nv = s->nv, nrow = s->nrow, most = smaller(nv, nrow);
    CD_ARENA_ARRAY(a, s->q, s->d->m->nq);
    CD_ARENA_ARRAY(a, s->unit, nv);
    CD_ARENA_ARRAY(a, s->c, nrow);
    CD_ARENA_ARRAY(a, s->f, nv);
    CD_ARENA_ARRAY(a, s->lambda, nrow);
    CD_ARENA_ARRAY(a, s->J, nv * nrow);
    CD_ARENA_ARRAY(a, s->U, nv * nv);
    CD_ARENA_ARRAY(a, s->sigma, most);
    CD_ARENA_ARRAY(a, s->V, most * nrow);
    CD_ARENA_ARRAY(a, s->H, nv * nv);
    CD_ARENA_ARRAY(a, s->stiffness_U, nv * nv);
    CD_ARENA_ARRAY(a, s->stiffness_value, nv);
    CD_ARENA_ARRAY(a, s->stiffness_Vt, nv * nv);
    CD_ARENA_ARRAY(a, s->x, nv);
    CD_ARENA_ARRAY(a, s->y, nv);
    CD_ARENA_ARRAY(a, s->z, nv);
    CD_ARENA_ARRAY(a, s->trial, nv);
    CD_ARENA_ARRAY(a, s->row_scratch, nrow);
    CD_ARENA_ARRAY(a, s->work, cd_lapack_svd_work(nv, nrow > nv ? nrow : nv));
    cd_state_jacobian_layout(s->d, a, &s->state_jacobian);
    CD_ARENA_ARRAY(a, s->curvature, nv * nv);
    CD_ARENA_ARRAY(a, s->by_q, s->state_jacobian.nresidual * nv);
    CD_ARENA_ARRAY(a, s->by_v, s->state_jacobian.nresidual * nv);
    CD_ARENA_ARRAY(a, s->by_s, s->state_jacobian.nresidual * s->d->m->nstate);
}

cd_quasi_static* cd_quasi_static_create(cardan_data* d, const bool* is_ignored)
{
    cd_quasi_static* s = cd_allocate(1, sizeof *s);
    if (!s) return NULL;
    s->d          = d;
    s->is_ignored = is_ignored;
    s->nv         = d->m->nv;
    s->nrow       = d->constraints.nrow;
    layout(s, &s->arena);
    if (!cd_arena_reserve(&s->arena)) {
        free(s);
        return NULL;
    }
    layout(s, &s->arena);
    const double length = d->units.length_scale;
    for (int i = 0; i < s->nv; ++i) s->unit[i] = cd_velocity_is_rotation(d->m, i) ? 1 : 1 / length;
    return s;
}

void cd_quasi_static_destroy(cd_quasi_static* s)
{
    if (!s) return;
    cd_arena_release(&s->arena);
    free(s);
}

// ---- forces and rows at a state

static bool set_position(cd_quasi_static* s, const double* q)
{
    memset(s->trial, 0, (size_t)s->nv * sizeof *s->trial);
    return cd_data_set_state(s->d, 0, q, s->trial, s->d->state) == CARDAN_OK;
}

// Compute f (nv) at the current state, in units.
static void applied_forces(cd_quasi_static* s, double* f)
{
    cardan_data_residual(s->d, s->d->scratch.zero_nv, f);
    for (int i = 0; i < s->nv; ++i) f[i] = s->is_ignored[i] ? 0 : f[i] / s->unit[i];
}

// Call `sink` for every entry of J at the current state. Rows act on the twists of links, to which all velocities on
// the path to ground contribute.
typedef void entry_sink(cd_quasi_static* s, int row, int v, double J, double* out);

static void for_each_entry(cd_quasi_static* s, entry_sink* sink, double* out)
{
    const cardan_data*  d = s->d;
    const cardan_model* m = d->m;
    cd_update_rows(s->d);
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
                    sink(s, b->row + i, v, sv_dot(b->G[i * b->nend + n], V) / s->unit[v], out);
            }
        }
    }
}

static void store_entry(cd_quasi_static* s, int row, int v, double J, double* out) { out[v * s->nrow + row] += J; }
static void add_constraint_force(cd_quasi_static* s, int row, int v, double J, double* out)
{
    out[v] += J * s->lambda[row];
}

static void assemble_jacobian(cd_quasi_static* s)
{
    memset(s->J, 0, (size_t)(s->nv * s->nrow) * sizeof *s->J);
    for_each_entry(s, store_entry, s->J);
}

// Compute L = f + J'lambda (nv) at the current state.
static void lagrangian_gradient(cd_quasi_static* s, double* L)
{
    applied_forces(s, L);
    for_each_entry(s, add_constraint_force, L);
}

// Add part * dr/dq at the current state, r with the given multipliers, to H (nv x nv, row major, in units), in the rows
// that are ignored or in the others.
static void add_jacobian(cd_quasi_static* s, const double* lambda, bool is_ignored, double part)
{
    const int nv = s->nv;
    cd_state_jacobian_compute(s->d, s->d->scratch.zero_nv, lambda, &s->state_jacobian, s->by_q, s->by_v, s->by_s);
    for (int i = 0; i < nv; ++i)
        for (int j = 0; j < nv; ++j)
            if (s->is_ignored[i] == is_ignored)
                s->curvature[i * nv + j] += part *
                                            s->by_q[(size_t)j * (size_t)s->state_jacobian.nresidual +
                                                    (size_t)(s->state_jacobian.r_offset + i)] /
                                            (s->unit[i] * s->unit[j]);
}

// Compute H at the current state. In ignored rows only constraint forces count: derivative of r minus derivative
// of r without multipliers.
static void update_curvature(cd_quasi_static* s)
{
    bool any = false;
    if (s->curvature_valid) return;
    s->curvature_valid = true;
    memset(s->curvature, 0, (size_t)(s->nv * s->nv) * sizeof *s->curvature);
    for (int i = 0; i < s->nv; ++i) any = any || s->is_ignored[i];
    add_jacobian(s, s->lambda, false, 1);
    if (!any) return;
    add_jacobian(s, s->lambda, true, 1);
    memset(s->row_scratch, 0, (size_t)s->nrow * sizeof *s->row_scratch);
    add_jacobian(s, s->row_scratch, true, -1);
}

static void curvature_times_difference(cd_quasi_static* s, const double* x, double* y);

// Compute y = H x in units, at the current state. By differences for gears whose losses depend on load: the derivative
// does not exist where the direction of power changes.
static void curvature_times(cd_quasi_static* s, const double* x, double* y)
{
    if (s->d->constraints.nlossy > 0) {
        curvature_times_difference(s, x, y);
        set_position(s, s->q);
        return;
    }
    update_curvature(s);
    for (int i = 0; i < s->nv; ++i) {
        y[i] = 0;
        for (int j = 0; j < s->nv; ++j) y[i] += s->curvature[i * s->nv + j] * x[j];
    }
}

// Compute y = H x by central differences. Changes the state of the data.
static void curvature_times_difference(cd_quasi_static* s, const double* x, double* y)
{
    double size = 0;
    for (int i = 0; i < s->nv; ++i) size = fmax(size, fabs(x[i]));
    memset(y, 0, (size_t)s->nv * sizeof *y);
    if (!(size > 0)) return;
    double* q = s->d->q;
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < s->nv; ++i) s->z[i] = side * difference_step / size * x[i] / s->unit[i];
        cardan_model_integrate_position(s->d->m, s->q, s->z, q);
        set_position(s, q);
        lagrangian_gradient(s, s->z);
        for (int i = 0; i < s->nv; ++i) y[i] += side * s->z[i] * size / (2 * difference_step);
    }
}

// ---- factorizations

// x = pseudo-inverse of J times r (nrow).
static void pseudo_inverse_times(const cd_quasi_static* s, const double* r, double* x)
{
    memset(x, 0, (size_t)s->nv * sizeof *x);
    for (int k = 0; k < s->rank; ++k) {
        double sum = 0;
        for (int j = 0; j < s->nrow; ++j) sum += s->V[k * s->nrow + j] * r[j];
        for (int i = 0; i < s->nv; ++i) x[i] += s->U[i * s->nv + k] * sum / s->sigma[k];
    }
}

// Add the Newton step of the free motions for the force y: x += N w, N'H N w = -N'y; neutral motions do not change.
static void add_equilibrium_step(cd_quasi_static* s, const double* y, double* x)
{
    for (int k = 0; k < s->nfree - s->nneutral; ++k) {
        double sum = 0;
        for (int i = 0; i < s->nfree; ++i)
            for (int j = 0; j < s->nv; ++j)
                sum += s->stiffness_U[i * s->nfree + k] * s->U[j * s->nv + s->rank + i] * y[j];
        for (int i = 0; i < s->nfree; ++i)
            for (int j = 0; j < s->nv; ++j)
                x[j] -= s->U[j * s->nv + s->rank + i] * s->stiffness_Vt[k * s->nfree + i] * sum / s->stiffness_value[k];
    }
}

static bool factor_stiffness(cd_quasi_static* s)
{
    s->nneutral = 0;
    if (s->nfree == 0) return true;
    for (int k = 0; k < s->nfree; ++k) {
        for (int i = 0; i < s->nv; ++i) s->x[i] = s->U[i * s->nv + s->rank + k];
        curvature_times(s, s->x, s->y);
        for (int i = 0; i < s->nfree; ++i) {
            double sum = 0;
            for (int j = 0; j < s->nv; ++j) sum += s->U[j * s->nv + s->rank + i] * s->y[j];
            s->H[i * s->nfree + k] = sum;
        }
    }
    if (!cd_lapack_svd(s->nfree, s->nfree, s->H, s->stiffness_value, s->stiffness_U, s->stiffness_Vt, s->work))
        return false;
    for (int k = 0; k < s->nfree; ++k)
        s->nneutral += !(s->stiffness_value[k] > fmax(cd_stiffness_tolerance * s->force_scale,
                                                      cd_analysis_rank_tolerance * s->stiffness_value[0]));
    return true;
}

// Evaluate constraints and forces at q and factorize both. Returns false if they are singular or not finite.
static bool evaluate_position(cd_quasi_static* s)
{
    if (!set_position(s, s->q)) return false;
    s->curvature_valid = false;
    cd_update_constraint_values(s->d);
    memcpy(s->c, s->d->constraints.value, (size_t)s->nrow * sizeof *s->c);
    assemble_jacobian(s);
    if (s->d->constraints.singular_constraint != CARDAN_NONE) return false;
    applied_forces(s, s->f);
    const int most = smaller(s->nv, s->nrow);
    if (!cd_lapack_svd(s->nv, s->nrow, s->J, s->sigma, s->U, s->V, s->work)) return false;
    s->rank = 0;
    while (s->rank < most && s->sigma[s->rank] > cd_analysis_rank_tolerance * s->sigma[0]) ++s->rank;
    s->nfree       = s->nv - s->rank;
    s->force_scale = 0;
    memset(s->lambda, 0, (size_t)s->nrow * sizeof *s->lambda);
    for (int i = 0; i < s->nv; ++i) s->force_scale = fmax(s->force_scale, fabs(s->f[i]));
    for (int k = 0; k < s->rank; ++k) {
        double sum = 0;
        for (int i = 0; i < s->nv; ++i) sum += s->U[i * s->nv + k] * s->f[i];
        for (int j = 0; j < s->nrow; ++j) s->lambda[j] -= s->V[k * s->nrow + j] * sum / s->sigma[k];
    }
    return isfinite(s->force_scale) && factor_stiffness(s);
}

// Compute one Newton step x and the magnitudes of its two parts: onto the constraints, and of the equilibrium.
static bool newton_step(cd_quasi_static* s, double* x, double* constraint_step, double* equilibrium_step)
{
    if (!evaluate_position(s)) return false;
    for (int j = 0; j < s->nrow; ++j) s->row_scratch[j] = -s->c[j];
    pseudo_inverse_times(s, s->row_scratch, x);
    *constraint_step  = cd_norm_inf(s->nv, x);
    *equilibrium_step = 0;
    if (s->nfree > s->nneutral) {
        double* y = s->y;
        curvature_times(s, x, y);
        for (int i = 0; i < s->nv; ++i) y[i] += s->f[i];
        memcpy(s->trial, x, (size_t)s->nv * sizeof *x);
        add_equilibrium_step(s, y, s->trial);
        for (int i = 0; i < s->nv; ++i) s->z[i] = s->trial[i] - x[i];
        *equilibrium_step = cd_norm_inf(s->nv, s->z);
        memcpy(x, s->trial, (size_t)s->nv * sizeof *x);
    }
    return isfinite(*constraint_step) && isfinite(*equilibrium_step);
}

bool cd_quasi_static_solve(cd_quasi_static* s, double* q, double max_distance, double* moved)
{
    enum { MAX_ITERATIONS = 60 };
    const double max_step = 0.2;
    double*      x        = s->x;
    bool         done     = false;
    memcpy(s->q, q, (size_t)s->d->m->nq * sizeof *q);
    *moved = 0;
    for (int n = 0; n < MAX_ITERATIONS && !done && *moved <= max_distance; ++n) {
        double constraint_step, equilibrium_step;
        if (!newton_step(s, x, &constraint_step, &equilibrium_step)) return false;
        const double size = cd_norm_inf(s->nv, x), factor = size > max_step ? max_step / size : 1;
        *moved += factor * size;
        for (int i = 0; i < s->nv; ++i) s->y[i] = factor * x[i] / s->unit[i];
        cardan_model_integrate_position(s->d->m, s->q, s->y, s->q);
        done =
            constraint_step <= cd_analysis_projection_tolerance && equilibrium_step <= cd_quasi_static_step_tolerance;
    }
    if (!done || *moved > max_distance || !evaluate_position(s)) return false;
    double violation = 0;
    for (int j = 0; j < s->nrow; ++j) violation = fmax(violation, fabs(s->c[j]));
    memcpy(q, s->q, (size_t)s->d->m->nq * sizeof *q);
    return violation <= cd_accepted_projection_violation;
}

// ---- results at the solved position

void cd_quasi_static_tangent(cd_quasi_static* s, int row, double* t, double* unfollowed)
{
    memset(s->row_scratch, 0, (size_t)s->nrow * sizeof *s->row_scratch);
    s->row_scratch[row] = 1;
    pseudo_inverse_times(s, s->row_scratch, t);
    for (int k = 0; k < s->rank; ++k)
        for (int j = 0; j < s->nrow; ++j) s->row_scratch[j] -= s->V[k * s->nrow + row] * s->V[k * s->nrow + j];
    *unfollowed = 0;
    for (int j = 0; j < s->nrow; ++j) *unfollowed = fmax(*unfollowed, fabs(s->row_scratch[j]));
    if (s->nfree > s->nneutral) {
        curvature_times(s, t, s->y);
        add_equilibrium_step(s, s->y, t);
    }
    for (int i = 0; i < s->nv; ++i) t[i] /= s->unit[i];
}

double cd_quasi_static_force(const cd_quasi_static* s, const double* t)
{
    double sum = 0;
    for (int i = 0; i < s->nv; ++i) sum += s->f[i] * s->unit[i] * t[i];
    return sum;
}

double cd_quasi_static_stiffness(cd_quasi_static* s, const double* t1, const double* t2)
{
    double sum = 0;
    for (int i = 0; i < s->nv; ++i) s->x[i] = t2[i] * s->unit[i];
    curvature_times(s, s->x, s->y);
    for (int i = 0; i < s->nv; ++i) sum += t1[i] * s->unit[i] * s->y[i];
    return sum;
}

void cd_quasi_static_free_motion(const cd_quasi_static* s, int k, double* motion)
{
    for (int j = 0; j < s->nv; ++j) {
        motion[j] = 0;
        for (int n = 0; n < s->nfree; ++n)
            motion[j] += s->U[j * s->nv + s->rank + n] * s->stiffness_Vt[k * s->nfree + n];
        motion[j] /= s->unit[j];
    }
}
