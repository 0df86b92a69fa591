// SPDX-License-Identifier: BSD-3-Clause
// Where the search starts: joints move on straight lines, at constant speed, held by static efforts; accelerations are zero.
#include "optimize/plan.h"

#include "core/memory.h"
#include "model/model.h"

#include <cardan/dynamics.h>
#include <math.h>
#include <stdlib.h>

static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static void set_state(const cardan_plan* p, int at, double share)
{
    const cardan_task* task = p->task;
    const double       T    = p->h * p->N;
    for (int i = 0; i < p->n; ++i) {
        const double way                      = task->q_guess[i] - task->q_start[i];
        p->program.x_start[at + i]        = task->q_start[i] + share * way;
        p->program.x_start[at + p->n + i] = way / T;
    }
}

// Efforts that hold the mechanism still at the beginning of interval k, inside their bounds.
static cardan_status set_efforts(const cardan_plan* p, cardan_data* data, int k, double* work)
{
    const int     n      = p->n;
    double *      still  = work, *effort = work + n;
    cardan_status status = cardan_data_set(data, k * p->h, p->program.x_start + cd_at_x(p, k), still, p->task->model->state_start);
    if (status == CARDAN_OK) status = cardan_inverse(data, still, effort);
    for (int i = 0; status == CARDAN_OK && i < p->nu; ++i) {
        const cd_control* c                     = &p->task->control[i];
        p->program.x_start[cd_at_u(p, k) + i] = isfinite(effort[c->v]) ? clamp(effort[c->v], c->lower, c->upper) : 0;
    }
    return status;
}

cardan_status cd_guess(cardan_plan* p, cardan_report* report)
{
    cardan_data*  data   = NULL;
    double*       work   = cd_allocate(2 * (size_t)p->n + 1, sizeof *work);
    cardan_status status = work ? cardan_data_create(p->task->model, cardan_task_formulation(p->task), &data, report) : CARDAN_NO_MEMORY;
    for (int k = 0; status == CARDAN_OK && k <= p->N; ++k) {
        set_state(p, cd_at_x(p, k), (double)k / p->N);
        if (k == p->N) break;
        for (int j = 0; p->full && j < p->degree; ++j) set_state(p, cd_at_point(p, k, j), (k + p->scheme.c[j]) / p->N);
        status = set_efforts(p, data, k, work);
    }
    if (p->horizon >= 0) p->program.x_start[p->horizon] = p->h * p->N;
    cardan_data_destroy(data);
    free(work);
    return status;
}
