// SPDX-License-Identifier: BSD-3-Clause
// Trajectory of the unknowns, sample by sample, and its verification by simulation with the same controls.
#include "optimize/transcription/ocp.h"

#include "core/check_arguments.h"
#include "core/memory.h"
#include "model/model.h"

#include <cardan/assemble.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Rate of a rotation vector x for the angular velocity w, local axes: dexp^-1(x) w, truncated to the terms needed by a
// Runge-Kutta step of order 4.
static void rotation_vector_rate(const double* x, const double* w, double* rate)
{
    const double first[3]  = {x[1] * w[2] - x[2] * w[1], x[2] * w[0] - x[0] * w[2], x[0] * w[1] - x[1] * w[0]};
    const double second[3] = {x[1] * first[2] - x[2] * first[1], x[2] * first[0] - x[0] * first[2],
                              x[0] * first[1] - x[1] * first[0]};
    for (int i = 0; i < 3; ++i) rate[i] = w[i] + first[i] / 2 + second[i] / 12;
}

static void efforts_at(const cardan_ocp* p, int k, double* effort)
{
    memset(effort, 0, (size_t)p->n * sizeof *effort);
    for (int i = 0; i < p->nu; ++i)
        effort[p->task->control[i].velocity_index] = p->solution.x[cd_ocp_offset_u(p, k < p->N ? k : p->N - 1) + i];
}

static cardan_status add_sample(cardan_ocp* p, cardan_data* data, int k, int j, double t)
{
    const size_t row = (size_t)p->nsample, at = row * (size_t)p->n;
    double *     q = p->q + row * (size_t)p->nq, *state = p->state + row * (size_t)p->ns;
    p->t[p->nsample++] = t;
    cd_ocp_get_state(p, p->solution.x, k, j, q, p->v + at, state);
    efforts_at(p, k, p->effort + at);
    cardan_data_set_external_forces(data, p->effort + at, NULL);
    cardan_status status = cardan_data_set_state(data, t, q, p->v + at, state);
    if (status == CARDAN_OK) status = cardan_data_accelerate(data, p->a + at, NULL, NULL);
    double violation = 0;
    cardan_data_constraint_violation(data, &violation, NULL);
    p->max_violation = fmax(p->max_violation, violation);
    return status == CARDAN_NO_MEMORY ? status : CARDAN_OK; // values that are not finite appear in the sample
}

cardan_status cd_ocp_update_trajectory(cardan_ocp* p)
{
    const int     ninterior = p->scheme.collocation ? p->degree - p->scheme.includes_end : 0;
    const double  h         = cd_ocp_interval_length(p, p->solution.x);
    cardan_data*  data      = NULL;
    cardan_status status    = cardan_data_create(p->task->model, cardan_task_formulation(p->task), &data, NULL);
    p->nsample              = 0;
    p->max_violation        = 0;
    for (int k = 0; status == CARDAN_OK && k <= p->N; ++k) {
        status = add_sample(p, data, k, -1, k * h);
        for (int j = 0; status == CARDAN_OK && k < p->N && j < ninterior; ++j)
            status = add_sample(p, data, k, j, (k + p->scheme.c[j]) * h);
    }
    cardan_data_destroy(data);
    return status;
}

// ---- verification by simulation

// State of a simulation and rates of the four stages; positions are integrated from velocities, so that
// quaternions keep unit norm.
typedef struct rk4_run {
    cardan_data*        data;
    const cardan_model* m;
    double *            q, *v, *s;               // current state
    double *            dq, *q_at, *v_at, *s_at; // state of a stage
    double*             k;                       // (4 x (2 nv + nstate)) rates of the stages
} rk4_run;

// Do one classical Runge-Kutta step. Rotations are integrated as rotation vectors in the tangent space at
// the beginning of the step.
static cardan_status rk4_step(rk4_run* f, double t, double h, cardan_report* report)
{
    static const double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const int           n = f->m->nv, ns = f->m->nstate, width = 2 * n + ns;
    cardan_status       status = CARDAN_OK;
    for (int s = 0; status == CARDAN_OK && s < 4; ++s) {
        const double* before = f->k + (s > 0 ? s - 1 : 0) * width;
        const double  part   = h * c[s];
        double*       k      = f->k + s * width;
        for (int i = 0; i < n; ++i) f->dq[i] = part * before[i], f->v_at[i] = f->v[i] + part * before[n + i];
        for (int i = 0; i < ns; ++i) f->s_at[i] = f->s[i] + part * before[2 * n + i];
        cardan_model_integrate_position(f->m, f->q, f->dq, f->q_at);
        status = cardan_data_set_state(f->data, t + part, f->q_at, f->v_at, f->s_at);
        if (status == CARDAN_OK) status = cardan_data_accelerate(f->data, k + n, k + 2 * n, report);
        memcpy(k, f->v_at, (size_t)n * sizeof *k);
        for (int r = 0; r < f->m->nquaternion; ++r)
            rotation_vector_rate(f->dq + f->m->quaternion_v[r], f->v_at + f->m->quaternion_v[r],
                                 k + f->m->quaternion_v[r]);
    }
    for (int i = 0; status == CARDAN_OK && i < width; ++i) {
        double sum = 0;
        for (int s = 0; s < 4; ++s) sum += h * b[s] * f->k[s * width + i];
        if (i < n)
            f->dq[i] = sum;
        else if (i < 2 * n)
            f->v[i - n] += sum;
        else
            f->s[i - 2 * n] += sum;
    }
    if (status != CARDAN_OK) return status;
    cardan_model_integrate_position(f->m, f->q, f->dq, f->q_at);
    memcpy(f->q, f->q_at, (size_t)f->m->nq * sizeof *f->q);
    return CARDAN_OK;
}

enum { STEPS_PER_INTERVAL = 64 }; // four more digits than the points of an interval have

cardan_status cardan_ocp_verify(const cardan_ocp* p, double* q_error, double* v_error, cardan_report* report)
{
    CD_REQUIRE_POINTER(p, "ocp", report);
    CD_REQUIRE_POINTER(q_error, "q_error", report);
    CD_REQUIRE_POINTER(v_error, "v_error", report);
    const size_t  n = (size_t)p->n, nq = (size_t)p->nq, ns = (size_t)p->ns;
    const double  h    = cd_ocp_interval_length(p, p->solution.x) / STEPS_PER_INTERVAL;
    rk4_run       f    = {.m = p->task->model};
    double*       work = cd_allocate(13 * n + 3 * nq + 6 * ns + 1, sizeof *work);
    cardan_status status =
        work ? cardan_data_create(p->task->model, cardan_task_formulation(p->task), &f.data, report) : CARDAN_NO_MEMORY;
    *q_error = *v_error = 0;
    if (status == CARDAN_OK) {
        f.q = work, f.q_at = f.q + nq, f.v = f.q_at + nq, f.v_at = f.v + n, f.dq = f.v_at + n, f.s = f.dq + n,
        f.s_at = f.s + ns, f.k = f.s_at + ns;
        cd_ocp_get_state(p, p->solution.x, 0, -1, f.q, f.v, f.s);
    }
    double* effort = work ? work + 11 * n + 2 * nq + 6 * ns : NULL;
    for (int k = 0; status == CARDAN_OK && k < p->N; ++k) {
        efforts_at(p, k, effort);
        cardan_data_set_external_forces(f.data, effort, NULL);
        for (int s = 0; status == CARDAN_OK && s < STEPS_PER_INTERVAL; ++s)
            status = rk4_step(&f, (k * STEPS_PER_INTERVAL + s) * h, h, report);
    }
    if (status == CARDAN_OK) {
        cd_ocp_get_state(p, p->solution.x, p->N, -1, f.q_at, f.v_at, NULL);
        cardan_model_position_difference(f.m, f.q_at, f.q, f.dq);
        for (size_t i = 0; i < n; ++i) {
            *q_error = fmax(*q_error, fabs(f.dq[i]));
            *v_error = fmax(*v_error, fabs(f.v[i] - f.v_at[i]));
        }
    }
    cardan_data_destroy(f.data);
    free(work);
    return status;
}
