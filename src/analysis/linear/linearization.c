// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/linear/linearization.h"
#include "analysis/analysis_tolerances.h"

#include "dynamics/state.h"
#include "math/dense_cholesky.h"
#include "dynamics/contacts/rigid_contacts.h"
#include "model/reaction_signals.h"
#include "model/shape_bristles.h"

#include <cardan/assemble.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void layout(cd_linearization* l)
{
    const cardan_model* m  = l->d->m;
    const size_t        nv = (size_t)m->nv, n = 2 * nv + (size_t)m->nstate, all = (size_t)m->nv_joint;
    CD_ARENA_ARRAY(&l->arena, l->q0, (size_t)m->nq);
    CD_ARENA_ARRAY(&l->arena, l->v0, nv);
    CD_ARENA_ARRAY(&l->arena, l->z0, (size_t)m->nstate);
    CD_ARENA_ARRAY(&l->arena, l->a0, nv);
    CD_ARENA_ARRAY(&l->arena, l->M, nv * nv);
    CD_ARENA_ARRAY(&l->arena, l->Np, nv * nv);
    CD_ARENA_ARRAY(&l->arena, l->Nv, nv * nv);
    CD_ARENA_ARRAY(&l->arena, l->position_entry, nv);
    CD_ARENA_ARRAY(&l->arena, l->velocity_entry, nv);
    CD_ARENA_ARRAY(&l->arena, l->q, (size_t)m->nq);
    CD_ARENA_ARRAY(&l->arena, l->v, nv);
    CD_ARENA_ARRAY(&l->arena, l->a, nv);
    CD_ARENA_ARRAY(&l->arena, l->z, (size_t)m->nstate);
    CD_ARENA_ARRAY(&l->arena, l->x, n + all);
    CD_ARENA_ARRAY(&l->arena, l->joint_velocities, all * nv);
    CD_ARENA_ARRAY(&l->arena, l->joint_v, all);
    CD_ARENA_ARRAY(&l->arena, l->joint_a, all);
    CD_ARENA_ARRAY(&l->arena, l->entry, all);
    cd_state_jacobian_layout(l->d, &l->arena, &l->state_jacobian);
    const size_t rows = (size_t)l->state_jacobian.nresidual;
    CD_ARENA_ARRAY(&l->arena, l->by_q, rows * nv);
    CD_ARENA_ARRAY(&l->arena, l->by_v, rows * nv);
    CD_ARENA_ARRAY(&l->arena, l->by_s, rows * (size_t)m->nstate);
    CD_ARENA_ARRAY(&l->arena, l->column, rows);
    CD_ARENA_ARRAY(&l->arena, l->dq, nv);
    CD_ARENA_ARRAY(&l->arena, l->dv, nv);
    CD_ARENA_ARRAY(&l->arena, l->da, nv);
    CD_ARENA_ARRAY(&l->arena, l->dz, (size_t)m->nstate);
    CD_ARENA_ARRAY(&l->arena, l->lambda, (size_t)l->d->solver_rows.nrow);
}

// Assign the arrays whose size depends on the dimension of the tangent spaces.
static void layout_matrices(cd_linearization* l)
{
    const cardan_model* m = l->d->m;
    const size_t        n = (size_t)l->n, all = (size_t)m->nv_joint;
    CD_ARENA_ARRAY(&l->matrix_arena, l->T, n * n);
    CD_ARENA_ARRAY(&l->matrix_arena, l->inverse, n * n);
    CD_ARENA_ARRAY(&l->matrix_arena, l->A, n * n);
    CD_ARENA_ARRAY(&l->matrix_arena, l->X, n * n);
    CD_ARENA_ARRAY(&l->matrix_arena, l->Y, n * n);
    CD_ARENA_ARRAY(&l->matrix_arena, l->work, n * n + 2 * all + (size_t)m->view.noutput);
    CD_ARENA_ARRAY(&l->matrix_arena, l->pivot, n);
}

// Orthonormalize the motions N (nv x n, in units) in the mass metric: N'MN = L L', N <- U^-1 N L^-T. Returns
// CARDAN_SINGULAR if a motion has zero inertia.
static cardan_status orthonormalize(cd_linearization* l, int n, const double* units, double* N)
{
    const size_t nv = (size_t)l->d->m->nv;
    double*      W  = cd_allocate(nv * (size_t)n + (size_t)n * (size_t)n + 1, sizeof *W);
    if (!W) return CARDAN_NO_MEMORY;
    double* G = W + nv * (size_t)n; // W = M N, G = N'M N
    for (size_t k = 0; k < (size_t)n; ++k)
        for (size_t i = 0; i < nv; ++i) N[k * nv + i] = units[k * nv + i] / l->tangent.unit[i];
    for (size_t k = 0; k < (size_t)n; ++k)
        for (size_t i = 0; i < nv; ++i) {
            double sum = 0;
            for (size_t j = 0; j < nv; ++j) sum += l->M[i * nv + j] * N[k * nv + j];
            W[k * nv + i] = sum;
        }
    for (size_t i = 0; i < (size_t)n; ++i)
        for (size_t j = 0; j < (size_t)n; ++j) {
            double sum = 0;
            for (size_t k = 0; k < nv; ++k) sum += N[i * nv + k] * W[j * nv + k];
            G[i * (size_t)n + j] = sum;
        }
    const bool good = dense_factor(n, G, cd_motion_inertia_tolerance, NULL) == n;
    for (size_t k = 0; good && k < (size_t)n; ++k) { // columns of N L^-T by forward substitution
        for (size_t j = 0; j <= k; ++j) {
            const double f = G[k * (size_t)n + j];
            if (j == k) {
                for (size_t i = 0; i < nv; ++i) N[k * nv + i] /= f;
            } else {
                for (size_t i = 0; i < nv; ++i) N[k * nv + i] -= f * N[j * nv + i];
            }
        }
    }
    free(W);
    return good ? CARDAN_OK : CARDAN_SINGULAR;
}

static cardan_status fail_no_inertia(const cd_linearization* l, cardan_status status, cardan_report* report)
{
    if (status == CARDAN_NO_MEMORY)
        return cardan_fail(report, status, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while linearizing '%s'", l->d->m->view.name);
    return cardan_fail(
        report, CARDAN_SINGULAR, CARDAN_CODE_ZERO_INERTIA, cardan_location_none(),
        "some motion of '%s' has no inertia, so that it has no frequencies; give the moving bodies a mass",
        l->d->m->view.name);
}

static cardan_status prepare(cd_linearization* l, cardan_report* report)
{
    cardan_data*  d      = l->d;
    cardan_status status = CARDAN_OK;
    if (d->rows.nrow > 0) status = cardan_data_project(d, NULL, NULL, NULL, NULL, report);
    if (status == CARDAN_OK) status = cardan_data_accelerate(d, l->a0, NULL, report);
    if (status == CARDAN_OK) status = cardan_data_mass_matrix(d, l->M);
    if (status != CARDAN_OK) return status;
    memcpy(l->q0, d->q, (size_t)d->m->nq * sizeof *l->q0);
    memcpy(l->v0, d->v, (size_t)d->m->nv * sizeof *l->v0);
    if (l->nz > 0) memcpy(l->z0, d->state, (size_t)l->nz * sizeof *l->z0);
    if (!cd_tangent_space_compute(&l->tangent, true))
        return cardan_fail(report, CARDAN_NOT_FINITE, CARDAN_CODE_NOT_FINITE, cardan_location_none(),
                           "constraints are not finite");
    l->np = l->tangent.nmotion;
    if ((status = orthonormalize(l, l->np, l->tangent.basis, l->Np)) != CARDAN_OK)
        return fail_no_inertia(l, status, report);
    cd_tangent_space_compute(&l->tangent, false);
    l->nw = l->tangent.nmotion;
    if ((status = orthonormalize(l, l->nw, l->tangent.basis, l->Nv)) != CARDAN_OK)
        return fail_no_inertia(l, status, report);
    l->n = l->np + l->nw + l->nz;
    cardan_data_joint_motions(d, l->a0, NULL, l->joint_v, l->joint_a);
    return CARDAN_OK;
}

static cardan_status compute_matrices(cd_linearization* l, cardan_report* report)
{
    const char* name = l->d->m->view.name;
    layout_matrices(l);
    if (!cd_arena_reserve(&l->matrix_arena))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory while linearizing '%s'", name);
    layout_matrices(l);
    if (!cd_linearization_choose_coordinates(l))
        return cardan_fail(report, CARDAN_SINGULAR, CARDAN_CODE_COORDINATES_UNDETERMINED, cardan_location_none(),
                           "the motions of '%s' are not determined by the coordinates of its joints at t = %g s", name,
                           l->d->t);
    if (cd_linearization_derivatives(l, NULL)) return CARDAN_OK;
    if (l->dof_at_state > l->dof_nearby)
        return cardan_fail(report, CARDAN_SINGULAR, CARDAN_CODE_SINGULAR_CONFIGURATION, cardan_location_none(),
                           "'%s' has no linear model at t = %g s: the configuration is singular, %d motion%s possible "
                           "at first order and nearby %d",
                           name, l->d->t, l->dof_at_state, l->dof_at_state == 1 ? " is" : "s are", l->dof_nearby);
    return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_NOT_LINEARIZABLE, cardan_location_none(),
                       "'%s' cannot be linearized at t = %g s: its accelerations near the state cannot be computed",
                       name, l->d->t);
}

cardan_status cd_linearization_create(cardan_data* d, cd_linearization* l, cardan_report* report)
{
    if (cd_refuse_reaction_signals(d->m, "which linear models do not support", report) != CARDAN_OK ||
        cd_refuse_rigid_contacts(d->m, "which linear models do not support", report) != CARDAN_OK ||
        cd_refuse_bristles(d->m, "which linear models do not support", report) != CARDAN_OK)
        return CARDAN_UNSUPPORTED;
    *l                   = (cd_linearization){.d = d, .nz = d->m->nstate};
    cardan_status status = cd_tangent_space_create(d, &l->tangent, report);
    if (status != CARDAN_OK) return status;
    layout(l);
    if (cd_arena_reserve(&l->arena)) {
        layout(l);
        status = prepare(l, report);
        if (status == CARDAN_OK) status = compute_matrices(l, report);
    } else {
        status = cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                             "out of memory while linearizing '%s'", d->m->view.name);
    }
    if (status != CARDAN_OK) cd_linearization_release(l);
    return status;
}

void cd_linearization_release(cd_linearization* l)
{
    cd_arena_release(&l->arena);
    cd_arena_release(&l->matrix_arena);
    cd_tangent_space_release(&l->tangent);
}
