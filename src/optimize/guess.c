// SPDX-License-Identifier: BSD-3-Clause
// Where the search starts: joints move on straight lines, at constant speed, held by static efforts; accelerations are zero. Loops are closed on the way.
#include "optimize/plan.h"

#include "core/memory.h"
#include "model/model.h"
#include "optimize/closer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

// Coordinates (nq) from values by velocities (n), turns as rotation vectors from the start.
static void place(const cardan_plan* p, const double* value, double* turn, double* q)
{
    for (int i = 0; i < p->n; ++i) turn[i] = p->q_of_v[i] < 0 ? value[i] : 0;
    cardan_model_move(p->task->model, p->task->model->q_start, turn, q);
    for (int i = 0; i < p->n; ++i)
        if (p->q_of_v[i] >= 0) q[p->q_of_v[i]] = value[i];
}

cardan_status cd_guess_ends(cardan_plan* p, cardan_report* report)
{
    cd_closer*    closer = NULL;
    double*       turn   = cd_allocate((size_t)p->n + 1, sizeof *turn);
    p->q_first           = cd_allocate((size_t)p->nq + 1, sizeof *p->q_first);
    p->q_last            = cd_allocate((size_t)p->nq + 1, sizeof *p->q_last);
    cardan_status status = turn && p->q_first && p->q_last ? cd_closer_create(p->task, &closer, report) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        place(p, p->task->q_start, turn, p->q_first);
        place(p, p->task->q_guess, turn, p->q_last);
        cd_closer_assemble(closer, 0, &p->task->start, p->q_first);
        cd_closer_assemble(closer, p->h * p->N, &p->task->end, p->q_last);
    }
    cd_closer_destroy(closer);
    free(turn);
    return status;
}

// From the first to the last state.
static void set_state(const cardan_plan* p, cd_closer* closer, int k, int j, double share, double* work)
{
    double *     way = work, *q = way + p->n, *v = q + p->nq;
    const double T = p->h * p->N;
    cardan_model_difference(p->task->model, p->q_first, p->q_last, way);
    for (int i = 0; i < p->n; ++i) {
        v[i] = way[i] / T;
        way[i] *= share;
    }
    cardan_model_move(p->task->model, p->q_first, way, q);
    cd_closer_close(closer, share * T, q, v);
    cd_plan_set_state(p, p->program.x_start, k, j, q, v, p->task->model->state_start);
}

// Efforts that hold the mechanism still at the beginning of interval k, inside their bounds.
static void set_efforts(const cardan_plan* p, cd_closer* closer, int k, double* effort)
{
    cd_closer_efforts(closer, k * p->h, p->program.x_start + cd_at_x(p, k), effort);
    for (int i = 0; i < p->nu; ++i) {
        const cd_control* c                   = &p->task->control[i];
        p->program.x_start[cd_at_u(p, k) + i] = isfinite(effort[i]) ? clamp(effort[i], c->lower, c->upper) : clamp(0, c->lower, c->upper);
    }
}

cardan_status cd_guess(cardan_plan* p, cardan_report* report)
{
    cd_closer*    closer = NULL;
    double*       work   = cd_allocate(2 * (size_t)p->n + (size_t)(p->nq + p->nu) + 1, sizeof *work);
    cardan_status status = work ? cd_closer_create(p->task, &closer, report) : CARDAN_NO_MEMORY;
    if (p->horizon >= 0) p->program.x_start[p->horizon] = p->h * p->N;
    for (int k = 0; status == CARDAN_OK && k <= p->N; ++k) {
        set_state(p, closer, k, -1, (double)k / p->N, work);
        if (k == p->N) break;
        for (int j = 0; j < p->degree; ++j) set_state(p, closer, k, j, (k + p->scheme.c[j]) / p->N, work);
        set_efforts(p, closer, k, work);
    }
    cd_closer_destroy(closer);
    free(work);
    return status;
}
