// SPDX-License-Identifier: BSD-3-Clause
// Exact derivatives of the accelerations at a state: A = dx'/dx (linearization.h). For each component of (xi, eta, z),
// positions, velocities and states change, the velocities so that the constraints remain satisfied, and the
// accelerations follow from (dynamics/derivatives/state_jacobian.h):
//
//   dq = Np,  J dv = -c'_q dq;      dv = Nv;      dz          M da + J'dlambda = -dr,   J da = -dc''
//
// Dual numbers give the changes of joint velocities, joint accelerations and outputs along this direction,
// off-tree joints included:
//
//   A = dx' (dx)^-1
#include "analysis/linear/linearization.h"
#include "analysis/analysis_tolerances.h"
#include "dynamics/rows/joint_coordinates.h"
#include "math/norm_inf.h"

#include <math.h>
#include <string.h>

// Add columns times x (count) to l->column.
static void add_columns(const cd_linearization* l, const double* columns, int count, const double* x)
{
    const size_t n = (size_t)l->state_jacobian.nresidual;
    for (int j = 0; j < count; ++j)
        for (size_t i = 0; x[j] != 0 && i < n; ++i) l->column[i] += columns[(size_t)j * n + i] * x[j];
}

// Set dq, dv, dz of component j of (xi, eta, z) and the derivatives of all equations along them.
static void set_direction(cd_linearization* l, int j)
{
    const int    nv   = l->d->m->nv;
    const size_t size = (size_t)nv * sizeof *l->dq;
    memset(l->dq, 0, size);
    memset(l->dv, 0, size);
    if (l->nz > 0) memset(l->dz, 0, (size_t)l->nz * sizeof *l->dz);
    memset(l->column, 0, (size_t)l->state_jacobian.nresidual * sizeof *l->column);
    if (j < l->np) {
        memcpy(l->dq, l->Np + (size_t)j * (size_t)nv, size);
        add_columns(l, l->by_q, nv, l->dq);
        if (l->tangent.nrow > 0)
            cd_tangent_space_min_norm_change(&l->tangent, l->column + l->state_jacobian.c_rate_offset, l->dv);
    } else if (j < l->np + l->nw) {
        memcpy(l->dv, l->Nv + (size_t)(j - l->np) * (size_t)nv, size);
    } else {
        l->dz[j - l->np - l->nw] = 1;
    }
    add_columns(l, l->by_v, nv, l->dv);
    add_columns(l, l->by_s, l->nz, l->dz);
}

bool cd_linearization_column(cd_linearization* l, int j, double* H)
{
    const cardan_data*  d = l->d;
    const cardan_model* m = d->m;
    const size_t        n = (size_t)l->n;
    double *            X = l->X + (size_t)j * n, *Y = l->Y + (size_t)j * n, *v = l->work, *a = v + m->nv_joint;
    set_direction(l, j);
    if (cd_state_jacobian_solve(l->d, &l->state_jacobian, l->column, l->da, l->lambda) != CARDAN_OK) return false;
    const cd_dual_state     x     = {d->q, d->v, d->state, l->a0, NULL};
    const cd_dual_direction along = {l->dq, l->dv, l->da, l->dz};
    cd_dual_directional_derivative(m, d->t, &x, l->state_jacobian.dual, &along, v, a,
                                   H ? H + (size_t)j * (size_t)m->view.noutput : NULL);
    for (int i = 0; i < l->np; ++i) Y[i] = v[l->position_entry[i]];
    for (int i = 0; i < l->nw; ++i) {
        X[l->np + i] = v[l->velocity_entry[i]];
        Y[l->np + i] = a[l->velocity_entry[i]];
    }
    for (int i = 0; i < l->nz; ++i) Y[l->np + l->nw + i] = l->column[l->state_jacobian.g_offset + i];
    return true;
}

// Compute the state Jacobian, the factorization and the tangent space at the state itself. Returns false on failure.
static bool compute_state_jacobian(cd_linearization* l)
{
    cardan_data* d = l->d;
    cd_linearization_set_state(l, NULL);
    if (cardan_data_accelerate(d, l->a, NULL, NULL) != CARDAN_OK || !cd_tangent_space_compute(&l->tangent, false))
        return false;
    memcpy(l->lambda, d->solve.lambda, (size_t)d->solver_rows.nrow * sizeof *l->lambda);
    cd_state_jacobian_compute(d, l->a, l->lambda, &l->state_jacobian, l->by_q, l->by_v, l->by_s);
    cd_update_off_tree_joints(d);
    return true;
}

// Return whether the state is singular: at a singular configuration the tangent space has more dimensions than nearby;
// close to one, some motions are weakly constrained.
static bool is_singular(cd_linearization* l)
{
    const int nv = l->d->m->nv;
    if (l->tangent.nrow == 0) return false;
    cd_linearization_set_state(l, NULL);
    if (!cd_tangent_space_compute(&l->tangent, false)) return false;
    l->dof_at_state = l->nw + cd_tangent_space_near_singular(&l->tangent);
    l->dof_nearby   = l->nw;
    for (int j = 0; j < l->np && l->dof_at_state == l->dof_nearby; ++j) {
        l->x[j] = cd_probe_distance / cd_norm_inf_scaled(nv, l->Np + (size_t)j * (size_t)nv, l->tangent.unit);
        if (cd_linearization_set_state(l, l->x) && cd_tangent_space_compute(&l->tangent, false))
            l->dof_nearby = l->tangent.nmotion < l->nw ? l->tangent.nmotion : l->nw;
        l->x[j] = 0;
    }
    return l->dof_at_state > l->dof_nearby;
}

// Return the component of y x w for joint velocity `entry`, y from motion j; 0 if it does not belong to a quaternion.
static double cross_component(const cd_linearization* l, int entry, int j, const double* w)
{
    const cardan_model* m = l->d->m;
    for (int k = 0; k < m->njoint; ++k) {
        const cardan_index_range range = m->joint_range[k];
        const int                first = range.v + range.nv - 3;
        if (range.v < 0 || range.nq == range.nv || entry < first || entry >= first + 3) continue;
        const double* y = l->joint_velocities + (size_t)j * (size_t)m->nv_joint + first;
        const int     i = entry - first, a = (i + 1) % 3, b = (i + 2) % 3;
        return y[a] * w[first + b] - y[b] * w[first + a];
    }
    return 0;
}

// Transform from axes of the second body to axes fixed in the first.
static void to_fixed_axes(cd_linearization* l)
{
    const size_t n = (size_t)l->n;
    for (int j = 0; j < l->np; ++j)
        for (int i = 0; i < l->nw; ++i) {
            l->X[(size_t)j * n + (size_t)(l->np + i)] += cross_component(l, l->velocity_entry[i], j, l->joint_v);
            l->Y[(size_t)j * n + (size_t)(l->np + i)] += cross_component(l, l->velocity_entry[i], j, l->joint_a);
        }
}

static bool fill_columns(cd_linearization* l, double* H)
{
    const size_t n = (size_t)l->n, np = (size_t)l->np;
    const bool   has_losses = l->d->constraints.nlossy > 0;
    memset(l->X, 0, n * n * sizeof *l->X);
    memset(l->Y, 0, n * n * sizeof *l->Y);
    memset(l->x, 0, n * sizeof *l->x);
    if (H) memset(H, 0, (size_t)l->d->m->view.noutput * n * sizeof *H);
    bool good = !is_singular(l) && (has_losses || compute_state_jacobian(l));
    for (int j = 0; j < l->n && good; ++j) {
        good = has_losses ? cd_linearization_column_difference(l, j, H) : cd_linearization_column(l, j, H);
        for (size_t i = 0; i < n; ++i)
            if (i < np || i >= np + (size_t)l->nw) l->X[(size_t)j * n + i] = l->T[(size_t)j * n + i];
    }
    cd_linearization_set_state(l, NULL);
    return good;
}

// Compute C = A B, all n x n, column major.
static void multiply(size_t n, const double* A, const double* B, double* C)
{
    memset(C, 0, n * n * sizeof *C);
    for (size_t j = 0; j < n; ++j)
        for (size_t k = 0; k < n; ++k)
            for (size_t i = 0; i < n; ++i) C[j * n + i] += A[k * n + i] * B[j * n + k];
}

bool cd_linearization_derivatives(cd_linearization* l, double* H)
{
    const size_t n = (size_t)l->n, count = (size_t)l->d->m->view.noutput;
    if (!fill_columns(l, H)) return false;
    to_fixed_axes(l);
    if (!cd_linearization_invert(l, l->X, l->work)) return false;
    multiply(n, l->Y, l->work, l->A);
    for (size_t i = 0; H && i < count; ++i) { // rows of H X^-1
        for (size_t j = 0; j < n; ++j) l->x[j] = H[j * count + i];
        for (size_t j = 0; j < n; ++j) {
            double sum = 0;
            for (size_t k = 0; k < n; ++k) sum += l->x[k] * l->work[j * n + k];
            H[j * count + i] = sum;
        }
    }
    for (size_t i = 0; i < n * n; ++i)
        if (!isfinite(l->A[i])) return false;
    return true;
}
