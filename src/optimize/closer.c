// SPDX-License-Identifier: BSD-3-Clause
// Efforts of loops: with N the motions that constraints allow (analysis/tangent.h) and tau those of the tree, u is the
// least-squares solution of N'(B u - tau) = 0.
#include "optimize/closer.h"

#include "analysis/tangent.h"
#include "core/memory.h"
#include "dynamics/data.h"
#include "math/lapack.h"

#include <cardan/assemble.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cd_closer {
    const cardan_task* task;
    cardan_data*       data;
    bool               loops;
    cd_tangent         tangent;
    double *           still, *tau, *A, *b, *work;
    int*               pivot;
};

int cd_coordinate_at(const cardan_model* m, int v)
{
    int before = 0;
    for (int r = 0; r < m->nrotation; ++r) {
        if (v >= m->rotation[r] && v < m->rotation[r] + 3) return -1 - (3 * r + v - m->rotation[r]);
        before += m->rotation[r] < v;
    }
    return v + before;
}

cardan_status cd_closer_create(const cardan_task* task, cd_closer** closer, cardan_report* report)
{
    const cardan_model* m = task->model;
    const size_t        n = (size_t)m->nv, nu = (size_t)task->ncontrol;
    cd_closer*          c = cd_allocate(1, sizeof *c);
    *closer               = c;
    if (!c) return CARDAN_NO_MEMORY;
    c->task  = task;
    c->loops = cardan_model_look(m).nconstraint > 0;
    c->still = cd_allocate(n + 1, sizeof(double));
    c->tau   = cd_allocate(n + 1, sizeof(double));
    c->A     = cd_allocate(n * nu + 1, sizeof(double));
    c->b     = cd_allocate(n + nu + 1, sizeof(double));
    c->work  = cd_allocate((size_t)cd_lapack_rectangle_work((int)n, (int)nu) + 1, sizeof(double));
    c->pivot = cd_allocate(nu + 1, sizeof(int));
    if (!c->still || !c->tau || !c->A || !c->b || !c->work || !c->pivot) return CARDAN_NO_MEMORY;
    cardan_status status = cardan_data_create(m, cardan_task_formulation(task), &c->data, report);
    if (status == CARDAN_OK && c->loops) status = cd_tangent_create(c->data, &c->tangent, report);
    return status;
}

cardan_status cd_closer_inertias(cd_closer* c, const double* q, double* inertia)
{
    const cardan_model* m      = c->task->model;
    const size_t        n      = (size_t)m->nv;
    double*             M      = cd_allocate(n * n + 1, sizeof *M);
    cardan_status       status = M ? cd_data_set(c->data, 0, q, c->still, m->state_start) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) status = cardan_mass_matrix(c->data, M);
    for (size_t i = 0; i < n; ++i) inertia[i] = status == CARDAN_OK && M[i * n + i] > 0 ? M[i * n + i] : 1;
    free(M);
    return status == CARDAN_NO_MEMORY ? status : CARDAN_OK;
}

void cd_closer_destroy(cd_closer* c)
{
    if (!c) return;
    cd_tangent_release(&c->tangent);
    cardan_data_destroy(c->data);
    free(c->still), free(c->tau), free(c->A), free(c->b), free(c->work), free(c->pivot);
    free(c);
}

void cd_closer_close(cd_closer* c, double t, double* q, double* v)
{
    const cardan_model* m = c->task->model;
    if (!c->loops || cd_data_set(c->data, t, q, v, m->state_start) != CARDAN_OK || !cd_tangent_close(&c->tangent))
        return;
    memcpy(q, c->data->q, (size_t)m->nq * sizeof *q);
    if (cd_tangent_close_velocity(&c->tangent)) memcpy(v, c->data->v, (size_t)m->nv * sizeof *v);
}

cardan_status cd_closer_assemble(cd_closer* c, double t, const cd_conditions* list, double* q)
{
    const cardan_model* m     = c->task->model;
    cardan_start*       start = cd_allocate((size_t)m->njoint + 1, sizeof *start);
    double*             found = cd_allocate((size_t)m->nq + 1, sizeof *found);
    cardan_status       status = start && found ? CARDAN_OK : CARDAN_NO_MEMORY;
    for (int j = 0; c->loops && status == CARDAN_OK && j < m->njoint; ++j) {
        const cardan_slot slot = m->slot[j];
        start[j]               = cardan_start_of(m, j);
        start[j].velocity      = CARDAN_HOLD_LOOSE;
        if (slot.q < 0) continue;
        start[j].position = CARDAN_HOLD_GUESS;
        memcpy(start[j].q, q + slot.q, (size_t)slot.nq * sizeof *q);
        for (int i = 0; i < list->count; ++i) {
            const cd_condition* at = &list->list[i];
            if (at->on == CD_ON_Q && at->lower == at->upper && at->place.line > 0 && at->index >= slot.v &&
                at->index < slot.v + slot.nv)
                start[j].position = CARDAN_HOLD_EXACT;
        }
    }
    if (c->loops && status == CARDAN_OK) status = cd_data_set(c->data, t, q, c->still, m->state_start);
    if (c->loops && status == CARDAN_OK) status = cardan_assemble(c->data, start, found, NULL, NULL, NULL);
    if (c->loops && status == CARDAN_OK)
        memcpy(q, found, (size_t)m->nq * sizeof *q);
    else if (c->loops && status != CARDAN_NO_MEMORY) {
        memset(found, 0, (size_t)m->nv * sizeof *found);
        cd_closer_close(c, t, q, found);
    }
    free(start);
    free(found);
    return status == CARDAN_NO_MEMORY ? status : CARDAN_OK;
}

void cd_closer_efforts(cd_closer* c, double t, const double* q, double* effort)
{
    const cardan_task* task = c->task;
    const int          n = task->model->nv, nu = task->ncontrol;
    for (int i = 0; i < nu; ++i) effort[i] = NAN;
    if (cd_data_set(c->data, t, q, c->still, task->model->state_start) != CARDAN_OK ||
        cardan_inverse(c->data, c->still, c->tau) != CARDAN_OK)
        return;
    for (int i = 0; i < nu; ++i) effort[i] = c->tau[task->control[i].v];
    if (!c->loops || !cd_tangent_at(&c->tangent, false)) return;
    const cd_tangent* T = &c->tangent;
    for (int r = 0; r < T->n; ++r) {
        const double* motion = T->N + (size_t)r * (size_t)n;
        c->b[r]              = 0;
        for (int v = 0; v < n; ++v) c->b[r] += motion[v] / T->unit[v] * c->tau[v];
        for (int i = 0; i < nu; ++i) c->A[i * T->n + r] = motion[task->control[i].v] / T->unit[task->control[i].v];
    }
    if (T->n == 0 || cd_lapack_rectangle(T->n, nu, c->A, c->b, 1e-9, c->work, c->pivot) < 0) return;
    for (int i = 0; i < nu; ++i) effort[i] = c->b[i];
}
