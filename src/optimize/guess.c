// SPDX-License-Identifier: BSD-3-Clause
// Where the search starts: joints move on straight lines to a pose that meets the end conditions (guess_reach.c), at
// constant speed, held by static efforts; accelerations are zero. Or they move as a file says, its time stretched to
// the horizon; what it does not say is as without it. Loops are closed on the way. Where the solution of the same
// program stands beside the file, that is the start, with its multipliers.
#include "optimize/plan.h"

#include "core/memory.h"
#include "math/quaternion.h"
#include "model/model.h"
#include "optimize/closer.h"
#include "optimize/course.h"
#include "optimize/guess_drawn.h"

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
    cd_closer* closer = NULL;
    double*    turn   = cd_allocate((size_t)p->n + 1, sizeof *turn);
    p->q_first        = cd_allocate((size_t)p->nq + 1, sizeof *p->q_first);
    p->q_last         = cd_allocate((size_t)p->nq + 1, sizeof *p->q_last);
    cardan_status status =
        turn && p->q_first && p->q_last ? cd_closer_create(p->task, &closer, report) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        place(p, p->task->q_start, turn, p->q_first);
        place(p, p->task->q_guess, turn, p->q_last);
        status = cd_closer_assemble(closer, 0, &p->task->start, p->q_first);
        if (status == CARDAN_OK) status = cd_closer_assemble(closer, p->h * p->N, &p->task->end, p->q_last);
    }
    cd_closer_destroy(closer);
    free(turn);
    return status;
}

// What the file says over it; rotations stay rotations.
static void follow(const cardan_plan* p, const cd_course* course, double share, double* q, double* v)
{
    const cardan_model* m     = p->task->model;
    const double        quick = cd_course_duration(course) / (p->h * p->N);
    for (int i = 0; i < p->n; ++i) {
        const int c = p->q_of_v[i];
        if (c >= 0 && cd_course_value(course, CD_COURSE_Q, c, share, &q[c])) v[i] = 0;
        if (cd_course_value(course, CD_COURSE_V, i, share, &v[i])) v[i] *= quick;
    }
    for (int r = 0; r < m->nrotation; ++r) {
        double* e = q + m->rotation_q[r];
        for (int i = 0; i < 4; ++i) cd_course_value(course, CD_COURSE_Q, m->rotation_q[r] + i, share, &e[i]);
        q4_normalize(e);
    }
}

static void set_accelerations(const cardan_plan* p, const cd_course* course, int k, int j, double share)
{
    const double quick = cd_course_duration(course) / (p->h * p->N), unit = p->scaled ? p->h * p->h : 1;
    for (int i = 0; p->at_a >= 0 && i < p->n; ++i) {
        double a = 0;
        cd_course_value(course, CD_COURSE_A, i, share, &a);
        p->program.x_start[cd_at_point(p, k, j) + p->at_a + i] = a * quick * quick * unit;
    }
}

// Adds the accelerations of the displacement.
static void add_accelerations(const cardan_plan* p, int k, int j)
{
    const double unit = p->scaled ? p->h * p->h : 1;
    for (int i = 0; p->at_a >= 0 && i < p->n; ++i)
        p->program.x_start[cd_at_point(p, k, j) + p->at_a + i] += unit * p->drawn->ddy[i];
}

// From the first to the last state, or as the file says.
static void set_state(const cardan_plan* p, const cd_course* course, cd_closer* closer, int k, int j, double share,
                      double* work)
{
    double *     way = work, *q = way + p->n, *v = q + p->nq;
    const double T = p->h * p->N;
    cardan_model_difference(p->task->model, p->q_first, p->q_last, way);
    for (int i = 0; i < p->n; ++i) {
        v[i] = way[i] / T;
        way[i] *= share;
    }
    cardan_model_move(p->task->model, p->q_first, way, q);
    if (course) follow(p, course, share, q, v);
    if (course && j >= 0) set_accelerations(p, course, k, j, share);
    if (p->drawn) cd_displace(p, p->drawn, share, q, v);
    if (p->drawn && j >= 0) add_accelerations(p, k, j);
    cd_closer_close(closer, share * T, q, v);
    cd_plan_set_state(p, p->program.x_start, k, j, q, v, p->task->model->state_start);
}

// Efforts of the file or of the task, else those that hold the mechanism still at the beginning of interval k; inside
// their bounds.
static void set_efforts(const cardan_plan* p, const cd_course* course, cd_closer* closer, int k, double* effort)
{
    const double share = (double)k / p->N;
    cd_closer_efforts(closer, k * p->h, p->program.x_start + cd_at_x(p, k), effort);
    for (int i = 0; i < p->nu; ++i) {
        const cd_control* c     = &p->task->control[i];
        double            value = isfinite(c->guess) ? c->guess : isfinite(effort[i]) ? effort[i] : 0;
        if (!cd_course_value(course, CD_COURSE_CONTROL, c->v, share, &value))
            cd_course_value(course, CD_COURSE_EFFORT, c->v, share, &value);
        p->program.x_start[cd_at_u(p, k) + i] = clamp(value, c->lower, c->upper);
    }
}

cardan_status cd_guess(cardan_plan* p, cardan_report* report)
{
    const char*   file   = p->wish.guess ? p->wish.guess : p->task->guess_file;
    cd_closer*    closer = NULL;
    cd_course*    course = NULL;
    double*       work   = cd_allocate(2 * (size_t)p->n + (size_t)(p->nq + p->nu) + 1, sizeof *work);
    cardan_status status = work ? cd_closer_create(p->task, &closer, report) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK && file)
        status = cd_course_read(p->task->model, file, p->wish.guess ? cardan_nowhere() : p->task->guess_place, &course,
                                report);
    if (status == CARDAN_OK && course && p->horizon >= 0 && !p->drawn)
        p->h = clamp(cd_course_duration(course), p->task->horizon_lower, p->task->horizon_upper) / p->N;
    if (p->horizon >= 0) p->program.x_start[p->horizon] = p->h * p->N;
    if (status == CARDAN_OK && !course && (p->drawn || !p->task->q_guessed)) status = cd_guess_reach(p, closer);
    for (int k = 0; status == CARDAN_OK && k <= p->N; ++k) {
        set_state(p, course, closer, k, -1, (double)k / p->N, work);
        if (k == p->N) break;
        for (int j = 0; j < p->degree; ++j) set_state(p, course, closer, k, j, (k + p->scheme.c[j]) / p->N, work);
        set_efforts(p, course, closer, k, work);
    }
    if (status == CARDAN_OK && file && !p->drawn) status = cd_solution_take(p, file);
    cd_closer_destroy(closer);
    cd_course_destroy(course);
    free(work);
    return status;
}
