// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/linear/linearization_rounding.h"
#include "analysis/analysis_tolerances.h"

#include "analysis/motion_description.h"
#include "analysis/jacobian_bounds.h"

#include "math/norm_inf.h"

#include <math.h>
#include <string.h>

typedef struct rounding_work {
    cd_linearization*  l;
    cd_arena           arena;
    cd_jacobian_bounds b;
    double *           W, *Zp, *Zv; // (nw x nv) row major; (nv x np), (nv x nw) column major: absolute values
    double *           x, *size;    // (2 nv) scratch; (np + nw) units of the joint coordinates: 1 or a length
} rounding_work;

static bool reserve(rounding_work* k)
{
    const size_t nv = (size_t)k->l->d->m->nv, np = (size_t)k->l->np, nw = (size_t)k->l->nw;
    for (int pass = 0; pass < 2; ++pass) {
        cd_jacobian_bounds_layout(k->l->d, &k->arena, &k->b);
        CD_ARENA_ARRAY(&k->arena, k->W, nw * nv);
        CD_ARENA_ARRAY(&k->arena, k->Zp, nv * np);
        CD_ARENA_ARRAY(&k->arena, k->Zv, nv * nw);
        CD_ARENA_ARRAY(&k->arena, k->x, 2 * nv);
        CD_ARENA_ARRAY(&k->arena, k->size, np + nw);
        if (pass == 0 && !cd_arena_reserve(&k->arena)) return false;
    }
    return true;
}

// Compute the state Jacobian with bounds at the accelerations and multipliers of the state. Returns false on failure.
static bool bound_jacobian(rounding_work* k)
{
    cd_linearization* l = k->l;
    cardan_data*      d = l->d;
    cd_linearization_set_state(l, NULL);
    if (cardan_data_accelerate(d, l->a, NULL, NULL) != CARDAN_OK) return false;
    memcpy(l->lambda, d->solve.lambda, (size_t)d->solver_rows.nrow * sizeof *l->lambda);
    cd_jacobian_bounds_compute(&k->b, l->a0, l->lambda, l->tangent.unit);
    return true;
}

// ---- propagation of the bounds

// Z (nv x n, column major) = |N T^-1|, with the block of T^-1 that begins at (at, at).
static void velocity_responses(const cd_linearization* l, int n, const double* N, int at, double* Z)
{
    const int nv = l->d->m->nv;
    for (int j = 0; j < n; ++j)
        for (int v = 0; v < nv; ++v) {
            double sum = 0;
            for (int h = 0; h < n; ++h)
                sum += N[(size_t)h * (size_t)nv + (size_t)v] *
                       l->inverse[(size_t)(at + j) * (size_t)l->n + (size_t)(at + h)];
            Z[(size_t)j * (size_t)nv + (size_t)v] = fabs(sum);
        }
}

// W (nw x nv, row major) = |T Nv'|: accelerations of the chosen joint coordinates per generalized force.
static void acceleration_responses(const cd_linearization* l, double* W)
{
    const int nv = l->d->m->nv;
    for (int i = 0; i < l->nw; ++i)
        for (int v = 0; v < nv; ++v) {
            double sum = 0;
            for (int h = 0; h < l->nw; ++h)
                sum += l->T[(size_t)(l->np + h) * (size_t)l->n + (size_t)(l->np + i)] *
                       l->Nv[(size_t)h * (size_t)nv + (size_t)v];
            W[(size_t)i * (size_t)nv + (size_t)v] = fabs(sum);
        }
}

// Add to a column of E, in the rows of accelerations and states: bounds (columns of b.rows) times z (count).
static void fill_column(const rounding_work* k, int count, const double* bound, const double* z, double* column)
{
    const cd_linearization* l  = k->l;
    const size_t            nv = (size_t)l->d->m->nv, n = (size_t)k->b.rows;
    memset(k->x, 0, nv * sizeof *k->x);
    for (int c = 0; c < count; ++c) {
        if (z[c] == 0) continue;
        for (size_t v = 0; v < nv; ++v) k->x[v] += bound[(size_t)c * n + (size_t)l->state_jacobian.r_offset + v] * z[c];
        for (int i = 0; i < l->nz; ++i)
            column[l->np + l->nw + i] += bound[(size_t)c * n + (size_t)(l->state_jacobian.g_offset + i)] * z[c];
    }
    for (int i = 0; i < l->nw; ++i)
        for (size_t v = 0; v < nv; ++v) column[l->np + i] += k->W[(size_t)i * nv + v] * k->x[v];
}

static void propagate_bounds(rounding_work* k, double* E)
{
    const cd_linearization* l = k->l;
    const size_t            n = (size_t)l->n, nv = (size_t)l->d->m->nv;
    const double            one = 1;
    for (int j = 0; j < l->np; ++j) fill_column(k, (int)nv, k->b.bound.q, k->Zp + (size_t)j * nv, E + (size_t)j * n);
    for (int j = 0; j < l->nw; ++j)
        fill_column(k, (int)nv, k->b.bound.v, k->Zv + (size_t)j * nv, E + (size_t)(l->np + j) * n);
    for (int j = 0; j < l->nz; ++j)
        fill_column(k, 1, k->b.bound.s + (size_t)j * (size_t)k->b.rows, &one, E + (size_t)(l->np + l->nw + j) * n);
}

// ---- round-off due to the state itself

// [1/s^2] Largest acceleration, in units, by the sum of the magnitudes of weight and other forces.
static double applied_accelerations(rounding_work* k)
{
    cd_linearization*   l = k->l;
    const cardan_model* m = l->d->m;
    double *            x = k->x, *y = k->x + m->nv, most = 0;
    cardan_data_inverse_dynamics(l->d, l->d->scratch.zero_nv, x);
    cd_inverse_dynamics(m, &l->d->k, l->d->scratch.zero_nv, NULL, NULL, y);
    for (int i = 0; i < l->nw; ++i) {
        double sum = 0;
        for (int v = 0; v < m->nv; ++v)
            sum += k->W[(size_t)i * (size_t)m->nv + (size_t)v] * (fabs(y[v]) + fabs(x[v] - y[v]));
        most = fmax(most, sum / k->size[l->np + i]);
    }
    return most;
}

// [1/s^2] Round-off in stiffness over inertia: weight, accelerations and velocities rotate with the bodies. At an
// equilibrium the accelerations are residuals of the search, and count in full as round-off.
static double acceleration_roundoff(rounding_work* k, double fastest)
{
    cd_linearization* l       = k->l;
    const double*     g       = l->d->m->view.gravity;
    const double      weight  = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) / l->tangent.length,
                 a            = cd_norm_inf_scaled(l->d->m->nv, l->a0, l->tangent.unit);
    const bool is_equilibrium = fastest == 0 && a <= cd_equilibrium_acceleration_tolerance * applied_accelerations(k);
    return k->b.relative_roundoff * (weight + fastest * fastest) + (is_equilibrium ? 1 : k->b.relative_roundoff) * a;
}

static void add_state_roundoff(rounding_work* k, double* E)
{
    const cd_linearization* l  = k->l;
    const int               np = l->np, ncoordinate = l->np + l->nw;
    const double            fastest = cd_norm_inf_scaled(l->d->m->nv, l->v0, l->tangent.unit),
                 acceleration_bound = acceleration_roundoff(k, fastest);
    for (int j = 0; j < ncoordinate; ++j)
        for (int i = 0; i < ncoordinate; ++i) {
            const double unit = k->size[i] / k->size[j];
            if (i >= np && j < np)
                E[(size_t)j * (size_t)l->n + (size_t)i] += unit * acceleration_bound;
            else if ((i < np) == (j < np))
                E[(size_t)j * (size_t)l->n + (size_t)i] += unit * k->b.relative_roundoff * fastest;
        }
}

static void compute_units(rounding_work* k)
{
    const cd_linearization* l = k->l;
    const cardan_model*     m = l->d->m;
    for (int i = 0; i < l->np + l->nw; ++i) {
        const int entry = i < l->np ? l->position_entry[i] : l->velocity_entry[i - l->np];
        k->size[i]      = 1;
        for (int j = 0; j < m->njoint; ++j) {
            const int axis = entry - m->joint_range[j].v;
            if (m->joint_range[j].v >= 0 && axis >= 0 && axis < m->joint_range[j].nv &&
                !cd_joint_velocity_is_rotation(m, j, axis))
                k->size[i] = l->tangent.length;
        }
    }
}

static bool compute_rounding(rounding_work* k, double* E)
{
    const cd_linearization* l = k->l;
    const size_t            n = (size_t)l->n;
    if (!bound_jacobian(k)) return false;
    compute_units(k);
    acceleration_responses(l, k->W);
    velocity_responses(l, l->np, l->Np, 0, k->Zp);
    velocity_responses(l, l->nw, l->Nv, l->np, k->Zv);
    for (size_t i = 0; i < n * n; ++i) E[i] = k->b.relative_roundoff * fabs(l->A[i]);
    propagate_bounds(k, E);
    add_state_roundoff(k, E);
    return true;
}

bool cd_linearization_rounding(cd_linearization* l, double* E)
{
    rounding_work k    = {.l = l};
    const bool    good = reserve(&k) && compute_rounding(&k, E);
    cd_arena_release(&k.arena);
    return good;
}
