// SPDX-License-Identifier: BSD-3-Clause
// Static efforts with loops: with the tangent space N of the constraints (analysis/tangent_space.h) and the efforts tau
// of the tree, u is the least-squares solution of N'(B u - tau) = 0.
#include "optimize/transcription/loop_projection.h"

#include "analysis/tangent_space.h"
#include "core/memory.h"
#include "dynamics/data.h"
#include "dynamics/state.h"
#include "math/lapack.h"
#include "optimize/optimize_tolerances.h"

#include <cardan/assemble.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cd_loop_projection {
    const cardan_task* task;
    cardan_data*       data;
    bool               has_loops;
    cd_tangent_space   tangent;
    double *           zero_nv, *tau, *A, *b, *work;
    int*               pivot;
};

cardan_status cd_loop_projection_create(const cardan_task* task, cd_loop_projection** projection, cardan_report* report)
{
    const cardan_model* m = task->model;
    const size_t        n = (size_t)m->nv, nu = (size_t)task->ncontrol;
    cd_loop_projection* c = cd_allocate(1, sizeof *c);
    *projection           = c;
    if (!c) return CARDAN_NO_MEMORY;
    c->task      = task;
    c->has_loops = cardan_model_get_view(m).nconstraint > 0;
    c->zero_nv   = cd_allocate(n + 1, sizeof(double));
    c->tau       = cd_allocate(n + 1, sizeof(double));
    c->A         = cd_allocate(n * nu + 1, sizeof(double));
    c->b         = cd_allocate(n + nu + 1, sizeof(double));
    c->work      = cd_allocate((size_t)cd_lapack_least_squares_rectangular_work((int)n, (int)nu) + 1, sizeof(double));
    c->pivot     = cd_allocate(nu + 1, sizeof(int));
    if (!c->zero_nv || !c->tau || !c->A || !c->b || !c->work || !c->pivot) return CARDAN_NO_MEMORY;
    cardan_status status = cardan_data_create(m, cardan_task_formulation(task), &c->data, report);
    if (status == CARDAN_OK && c->has_loops) status = cd_tangent_space_create(c->data, &c->tangent, report);
    return status;
}

cardan_status cd_loop_projection_inertias(cd_loop_projection* c, const double* q, double* inertia)
{
    const cardan_model* m      = c->task->model;
    const size_t        n      = (size_t)m->nv;
    double*             M      = cd_allocate(n * n + 1, sizeof *M);
    cardan_status       status = M ? cd_data_set_state(c->data, 0, q, c->zero_nv, m->state_start) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = cardan_data_mass_matrix(c->data, M);
    for (size_t i = 0; i < n; ++i) inertia[i] = status == CARDAN_OK && M[i * n + i] > 0 ? M[i * n + i] : 1;
    free(M);
    return status == CARDAN_NO_MEMORY ? status : CARDAN_OK;
}

void cd_loop_projection_destroy(cd_loop_projection* c)
{
    if (!c) return;
    cd_tangent_space_release(&c->tangent);
    cardan_data_destroy(c->data);
    free(c->zero_nv), free(c->tau), free(c->A), free(c->b), free(c->work), free(c->pivot);
    free(c);
}

void cd_loop_projection_project(cd_loop_projection* c, double t, double* q, double* v)
{
    const cardan_model* m = c->task->model;
    if (!c->has_loops || cd_data_set_state(c->data, t, q, v, m->state_start) != CARDAN_OK ||
        !cd_tangent_space_project(&c->tangent))
        return;
    memcpy(q, c->data->q, (size_t)m->nq * sizeof *q);
    if (cd_tangent_space_project_velocity(&c->tangent)) memcpy(v, c->data->v, (size_t)m->nv * sizeof *v);
}

cardan_status cd_loop_projection_assemble(cd_loop_projection* c, double t, const cd_conditions* list, double* q)
{
    const cardan_model* m           = c->task->model;
    cardan_joint_start* start       = cd_allocate((size_t)m->njoint + 1, sizeof *start);
    double*             q_assembled = cd_allocate((size_t)m->nq + 1, sizeof *q_assembled);
    cardan_status       status      = start && q_assembled ? CARDAN_OK : CARDAN_NO_MEMORY;
    for (int j = 0; c->has_loops && status == CARDAN_OK && j < m->njoint; ++j) {
        const cardan_index_range range = m->tree_range[j];
        start[j]                       = cardan_joint_start_default(m, j);
        start[j].velocity_mode         = CARDAN_START_FREE;
        if (range.q < 0) continue;
        start[j].position_mode = CARDAN_START_GUESS;
        memcpy(start[j].q, q + range.q, (size_t)range.nq * sizeof *q);
        for (int i = 0; i < list->count; ++i) {
            const cd_condition* at = &list->list[i];
            if (at->kind == CD_CONDITION_Q && at->lower == at->upper && at->location.line > 0 &&
                at->velocity_index >= range.v && at->velocity_index < range.v + range.nv)
                start[j].position_mode = CARDAN_START_FIXED;
        }
    }
    if (c->has_loops && status == CARDAN_OK) status = cd_data_set_state(c->data, t, q, c->zero_nv, m->state_start);
    if (c->has_loops && status == CARDAN_OK)
        status = cardan_data_assemble(c->data, start, q_assembled, NULL, NULL, NULL);
    if (c->has_loops && status == CARDAN_OK)
        memcpy(q, q_assembled, (size_t)m->nq * sizeof *q);
    else if (c->has_loops && status != CARDAN_NO_MEMORY) {
        memset(q_assembled, 0, (size_t)m->nv * sizeof *q_assembled);
        cd_loop_projection_project(c, t, q, q_assembled);
    }
    free(start);
    free(q_assembled);
    return status == CARDAN_NO_MEMORY ? status : CARDAN_OK;
}

void cd_loop_projection_static_efforts(cd_loop_projection* c, double t, const double* q, double* effort)
{
    const cardan_task* task = c->task;
    const int          n = task->model->nv, nu = task->ncontrol;
    for (int i = 0; i < nu; ++i) effort[i] = NAN;
    if (cd_data_set_state(c->data, t, q, c->zero_nv, task->model->state_start) != CARDAN_OK ||
        cardan_data_inverse_dynamics(c->data, c->zero_nv, c->tau) != CARDAN_OK)
        return;
    for (int i = 0; i < nu; ++i) effort[i] = c->tau[task->control[i].velocity_index];
    if (!c->has_loops || !cd_tangent_space_compute(&c->tangent, false)) return;
    const cd_tangent_space* T = &c->tangent;
    for (int r = 0; r < T->nmotion; ++r) {
        const double* motion = T->basis + (size_t)r * (size_t)n;
        c->b[r]              = 0;
        for (int v = 0; v < n; ++v) c->b[r] += motion[v] / T->unit[v] * c->tau[v];
        for (int i = 0; i < nu; ++i)
            c->A[i * T->nmotion + r] =
                motion[task->control[i].velocity_index] / T->unit[task->control[i].velocity_index];
    }
    if (T->nmotion == 0 || cd_lapack_least_squares_rectangular(T->nmotion, nu, c->A, c->b, cd_control_rank_tolerance,
                                                               c->work, c->pivot) < 0)
        return;
    for (int i = 0; i < nu; ++i) effort[i] = c->b[i];
}
