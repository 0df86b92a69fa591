// SPDX-License-Identifier: BSD-3-Clause
// Initial guess: joints move on straight lines to a configuration that satisfies the end conditions
// (guess_end_configuration.c), at constant velocity, with static efforts; accelerations are zero. Or they follow
// a recorded trajectory, with its time scaled to the horizon; quantities that it does not contain are as without
// it. All states are projected onto the loops. If a solution of the same NLP is stored with the file, it is the
// start, with its multipliers.
#include "optimize/transcription/ocp.h"

#include "core/memory.h"
#include "math/quaternion.h"
#include "model/model.h"
#include "optimize/transcription/loop_projection.h"
#include "optimize/transcription/recorded_trajectory.h"
#include "optimize/transcription/guess_random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

// Compute coordinates (nq) from values per velocity (n); orientations are rotation vectors from the start.
static void set_configuration(const cardan_ocp* p, const double* value, double* rotation, double* q)
{
    for (int i = 0; i < p->n; ++i) rotation[i] = p->q_of_v[i] < 0 ? value[i] : 0;
    cardan_model_integrate_position(p->task->model, p->task->model->q_start, rotation, q);
    for (int i = 0; i < p->n; ++i)
        if (p->q_of_v[i] >= 0) q[p->q_of_v[i]] = value[i];
}

cardan_status cd_ocp_guess_end_configurations(cardan_ocp* p, cardan_report* report)
{
    cd_loop_projection* projection = NULL;
    double*             rotation   = cd_allocate((size_t)p->n + 1, sizeof *rotation);
    p->q_first                     = cd_allocate((size_t)p->nq + 1, sizeof *p->q_first);
    p->q_last                      = cd_allocate((size_t)p->nq + 1, sizeof *p->q_last);
    cardan_status status = rotation && p->q_first && p->q_last ? cd_loop_projection_create(p->task, &projection, report)
                                                               : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        set_configuration(p, p->task->q_start, rotation, p->q_first);
        set_configuration(p, p->task->q_guess_end, rotation, p->q_last);
        status = cd_loop_projection_assemble(projection, 0, &p->task->start, p->q_first);
        if (status == CARDAN_OK)
            status = cd_loop_projection_assemble(projection, p->h * p->N, &p->task->end, p->q_last);
    }
    cd_loop_projection_destroy(projection);
    free(rotation);
    return status;
}

// Overwrite the state with the values of the recorded trajectory; quaternions are normalized.
static void apply_recorded(const cardan_ocp* p, const cd_recorded_trajectory* trajectory, double fraction, double* q,
                           double* v)
{
    const cardan_model* m           = p->task->model;
    const double        speed_ratio = cd_recorded_trajectory_duration(trajectory) / (p->h * p->N);
    for (int i = 0; i < p->n; ++i) {
        const int c = p->q_of_v[i];
        if (c >= 0 && cd_recorded_trajectory_value(trajectory, CD_CHANNEL_Q, c, fraction, &q[c])) v[i] = 0;
        if (cd_recorded_trajectory_value(trajectory, CD_CHANNEL_V, i, fraction, &v[i])) v[i] *= speed_ratio;
    }
    for (int r = 0; r < m->nquaternion; ++r) {
        double* e = q + m->quaternion_q[r];
        for (int i = 0; i < 4; ++i)
            cd_recorded_trajectory_value(trajectory, CD_CHANNEL_Q, m->quaternion_q[r] + i, fraction, &e[i]);
        q4_normalize(e);
    }
}

static void set_accelerations(const cardan_ocp* p, const cd_recorded_trajectory* trajectory, int k, int j,
                              double fraction)
{
    const double speed_ratio = cd_recorded_trajectory_duration(trajectory) / (p->h * p->N),
                 unit        = p->scaled_by_h ? p->h * p->h : 1;
    for (int i = 0; p->offset_a >= 0 && i < p->n; ++i) {
        double a = 0;
        cd_recorded_trajectory_value(trajectory, CD_CHANNEL_A, i, fraction, &a);
        p->nlp.x_start[cd_ocp_offset_point(p, k, j) + p->offset_a + i] = a * speed_ratio * speed_ratio * unit;
    }
}

// Add the accelerations of the random displacement.
static void add_accelerations(const cardan_ocp* p, int k, int j)
{
    const double unit = p->scaled_by_h ? p->h * p->h : 1;
    for (int i = 0; p->offset_a >= 0 && i < p->n; ++i)
        p->nlp.x_start[cd_ocp_offset_point(p, k, j) + p->offset_a + i] += unit * p->displacement->ddy[i];
}

// Set the state at a fraction of the horizon, on the line from the first to the last configuration or from the file.
static void set_state(const cardan_ocp* p, const cd_recorded_trajectory* trajectory, cd_loop_projection* projection,
                      int k, int j, double fraction, double* work)
{
    double *     displacement = work, *q = displacement + p->n, *v = q + p->nq;
    const double T = p->h * p->N;
    cardan_model_position_difference(p->task->model, p->q_first, p->q_last, displacement);
    for (int i = 0; i < p->n; ++i) {
        v[i] = displacement[i] / T;
        displacement[i] *= fraction;
    }
    cardan_model_integrate_position(p->task->model, p->q_first, displacement, q);
    if (trajectory) apply_recorded(p, trajectory, fraction, q, v);
    if (trajectory && j >= 0) set_accelerations(p, trajectory, k, j, fraction);
    if (p->displacement) cd_random_displacement_apply(p, p->displacement, fraction, q, v);
    if (p->displacement && j >= 0) add_accelerations(p, k, j);
    cd_loop_projection_project(projection, fraction * T, q, v);
    cd_ocp_set_state(p, p->nlp.x_start, k, j, q, v, p->task->model->state_start);
}

// Set the efforts of the file or of the task, else those of static equilibrium at the beginning of
// interval k; within bounds.
static void set_efforts(const cardan_ocp* p, const cd_recorded_trajectory* trajectory, cd_loop_projection* projection,
                        int k, double* effort)
{
    const double fraction = (double)k / p->N;
    cd_loop_projection_static_efforts(projection, k * p->h, p->nlp.x_start + cd_ocp_offset_x(p, k), effort);
    for (int i = 0; i < p->nu; ++i) {
        const cd_control* c     = &p->task->control[i];
        double            value = isfinite(c->guess) ? c->guess : isfinite(effort[i]) ? effort[i] : 0;
        if (!cd_recorded_trajectory_value(trajectory, CD_CHANNEL_CONTROL, c->velocity_index, fraction, &value))
            cd_recorded_trajectory_value(trajectory, CD_CHANNEL_EFFORT, c->velocity_index, fraction, &value);
        p->nlp.x_start[cd_ocp_offset_u(p, k) + i] = clamp(value, c->lower, c->upper);
    }
}

cardan_status cd_ocp_guess_trajectory(cardan_ocp* p, cardan_report* report)
{
    const char*             file       = p->options.guess ? p->options.guess : p->task->guess_file;
    cd_loop_projection*     projection = NULL;
    cd_recorded_trajectory* trajectory = NULL;
    double*                 work       = cd_allocate(2 * (size_t)p->n + (size_t)(p->nq + p->nu) + 1, sizeof *work);
    cardan_status           status = work ? cd_loop_projection_create(p->task, &projection, report) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK && file)
        status = cd_recorded_trajectory_read(p->task->model, file,
                                             p->options.guess ? cardan_location_none() : p->task->guess_location,
                                             &trajectory, report);
    if (status == CARDAN_OK && trajectory && p->horizon >= 0 && !p->displacement)
        p->h =
            clamp(cd_recorded_trajectory_duration(trajectory), p->task->horizon_lower, p->task->horizon_upper) / p->N;
    if (p->horizon >= 0) p->nlp.x_start[p->horizon] = p->h * p->N;
    if (status == CARDAN_OK && !trajectory && (p->displacement || !p->task->has_q_guess))
        status = cd_ocp_guess_satisfy_end_conditions(p, projection);
    for (int k = 0; status == CARDAN_OK && k <= p->N; ++k) {
        set_state(p, trajectory, projection, k, -1, (double)k / p->N, work);
        if (k == p->N) break;
        for (int j = 0; j < p->degree; ++j)
            set_state(p, trajectory, projection, k, j, (k + p->scheme.c[j]) / p->N, work);
        set_efforts(p, trajectory, projection, k, work);
    }
    if (status == CARDAN_OK && file && !p->displacement) status = cd_ocp_load_solution(p, file);
    cd_loop_projection_destroy(projection);
    cd_recorded_trajectory_destroy(trajectory);
    free(work);
    return status;
}
