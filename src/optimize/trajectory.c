// SPDX-License-Identifier: BSD-3-Clause
// The motion that the unknowns say, row by row, and the same controls on the runtime.
#include "optimize/plan.h"

#include "core/memory.h"
#include "model/model.h"

#include <cardan/dynamics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// State at point j of interval k.
static void point_state(const cardan_plan* p, int k, int j, double* q, double* v)
{
    const double* x = p->solved.x;
    const int     n = p->n, d = p->degree;
    const double  h = p->horizon < 0 ? p->h : x[p->horizon] / p->N;
    for (int i = 0; i < n; ++i) {
        if (p->full) {
            q[i] = x[cd_at_point(p, k, j) + i];
            v[i] = x[cd_at_point(p, k, j) + n + i];
            continue;
        }
        const double v0 = x[cd_at_x(p, k) + n + i];
        double       sum = 0, twice = 0;
        for (int l = 0; l < d; ++l) {
            double aa = 0;
            for (int r = 0; r < d; ++r) aa += p->scheme.A[j][r] * p->scheme.A[r][l];
            sum += p->scheme.A[j][l] * x[cd_at_a(p, k, l) + i];
            twice += aa * x[cd_at_a(p, k, l) + i];
        }
        v[i] = v0 + h * sum;
        q[i] = x[cd_at_x(p, k) + i] + h * p->scheme.c[j] * v0 + h * h * twice;
    }
}

static void efforts_at(const cardan_plan* p, int k, double* effort)
{
    memset(effort, 0, (size_t)p->n * sizeof *effort);
    for (int i = 0; i < p->nu; ++i) effort[p->task->control[i].v] = p->solved.x[cd_at_u(p, k < p->N ? k : p->N - 1) + i];
}

static cardan_status tell_row(cardan_plan* p, cardan_data* data, int k, double t)
{
    const size_t at = (size_t)p->nrow * (size_t)p->n;
    p->t[p->nrow++] = t;
    efforts_at(p, k, p->effort + at);
    cardan_data_load(data, p->effort + at, NULL);
    cardan_status status = cardan_data_set(data, t, p->q + at, p->v + at, p->task->model->state_start);
    if (status == CARDAN_OK) status = cardan_accelerate(data, p->a + at, NULL, NULL);
    return status == CARDAN_NO_MEMORY ? status : CARDAN_OK;  // the row shows what is not finite
}

cardan_status cd_plan_tell(cardan_plan* p)
{
    const int     n = p->n, inside = p->scheme.collocation ? p->degree - p->scheme.ends : 0;
    const double  h = p->horizon < 0 ? p->h : p->solved.x[p->horizon] / p->N;
    cardan_data*  data   = NULL;
    cardan_status status = cardan_data_create(p->task->model, cardan_task_formulation(p->task), &data, NULL);
    p->nrow              = 0;
    for (int k = 0; status == CARDAN_OK && k <= p->N; ++k) {
        const size_t at = (size_t)p->nrow * (size_t)n;
        memcpy(p->q + at, p->solved.x + cd_at_x(p, k), (size_t)n * sizeof(double));
        memcpy(p->v + at, p->solved.x + cd_at_x(p, k) + n, (size_t)n * sizeof(double));
        status = tell_row(p, data, k, k * h);
        for (int j = 0; status == CARDAN_OK && k < p->N && j < inside; ++j) {
            const size_t row = (size_t)p->nrow * (size_t)n;
            point_state(p, k, j, p->q + row, p->v + row);
            status = tell_row(p, data, k, (k + p->scheme.c[j]) * h);
        }
    }
    cardan_data_destroy(data);
    return status;
}

// ---- check by simulation

typedef struct flight {
    cardan_data*  data;
    const double* state;
    int           n;
    double *      x, *y, *k;  // (2n), (2n), (4 x 2n)
} flight;

static cardan_status slope(flight* f, double t, const double* y, double* rate, cardan_report* report)
{
    memcpy(rate, y + f->n, (size_t)f->n * sizeof *rate);
    cardan_status status = cardan_data_set(f->data, t, y, y + f->n, f->state);
    if (status == CARDAN_OK) status = cardan_accelerate(f->data, rate + f->n, NULL, report);
    return status;
}

// One classical Runge-Kutta step.
static cardan_status step(flight* f, double t, double h, cardan_report* report)
{
    static const double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const int           n = 2 * f->n;
    cardan_status       status = CARDAN_OK;
    for (int s = 0; status == CARDAN_OK && s < 4; ++s) {
        for (int i = 0; i < n; ++i) f->y[i] = f->x[i] + (s > 0 ? h * c[s] * f->k[(s - 1) * n + i] : 0);
        status = slope(f, t + c[s] * h, f->y, f->k + s * n, report);
    }
    for (int s = 0; status == CARDAN_OK && s < 4; ++s)
        for (int i = 0; i < n; ++i) f->x[i] += h * b[s] * f->k[s * n + i];
    return status;
}

enum { STEPS = 64 };  // per interval: four more digits than its points have

cardan_status cardan_plan_check(const cardan_plan* p, double* q_off, double* v_off, cardan_report* report)
{
    const size_t  n      = (size_t)p->n;
    const double  h      = (p->horizon < 0 ? p->h : p->solved.x[p->horizon] / p->N) / STEPS;
    flight        f      = {.n = p->n, .state = p->task->model->state_start};
    double*       work   = cd_allocate(14 * n + 1, sizeof *work);
    cardan_status status = work ? cardan_data_create(p->task->model, cardan_task_formulation(p->task), &f.data, report) : CARDAN_NO_MEMORY;
    *q_off = *v_off = 0;
    if (work) f.x = work, f.y = work + 2 * n, f.k = work + 4 * n;
    if (status == CARDAN_OK) memcpy(f.x, p->solved.x, 2 * n * sizeof(double));
    for (int k = 0; status == CARDAN_OK && k < p->N; ++k) {
        efforts_at(p, k, work + 12 * n);
        cardan_data_load(f.data, work + 12 * n, NULL);
        for (int s = 0; status == CARDAN_OK && s < STEPS; ++s) status = step(&f, (k * STEPS + s) * h, h, report);
    }
    for (size_t i = 0; status == CARDAN_OK && i < n; ++i) {
        const double* end = p->solved.x + cd_at_x(p, p->N);
        *q_off            = fmax(*q_off, fabs(f.x[i] - end[i]));
        *v_off            = fmax(*v_off, fabs(f.x[n + i] - end[n + i]));
    }
    cardan_data_destroy(f.data);
    free(work);
    return status;
}
