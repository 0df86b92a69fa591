// SPDX-License-Identifier: BSD-3-Clause
// States of the mechanism from the unknowns of an OCP, and unknowns from states.
#include "optimize/transcription/ocp.h"

#include "math/quaternion.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

double cd_ocp_interval_length(const cardan_ocp* p, const double* x)
{
    return p->horizon < 0 ? p->h : x[p->horizon] / p->N;
}

// q = base rotated by y, Cayley map
static void cayley_rotate(const double* base, const double* y, double* q)
{
    const double p[4] = {1, y[0] / 2, y[1] / 2, y[2] / 2};
    q4_mul(base, p, q);
    q4_normalize(q);
}

static void cayley_between(const double* base, const double* q, double* y)
{
    const double back[4] = {base[0], -base[1], -base[2], -base[3]};
    double       p[4];
    q4_mul(back, q, p);
    for (int i = 0; i < 3; ++i) y[i] = 2 * p[1 + i] / p[0];
}

static void get_point_full(const cardan_ocp* p, const double* x, int k, int j, double* q, double* v, double* state)
{
    const double*       at = x + cd_ocp_offset_point(p, k, j);
    const cardan_model* m  = p->task->model;
    for (int i = 0; i < p->n; ++i)
        if (p->q_of_v[i] >= 0) q[p->q_of_v[i]] = at[p->offset_y + i];
    for (int r = 0; r < m->nquaternion; ++r)
        cayley_rotate(x + cd_ocp_offset_x(p, k) + m->quaternion_q[r], at + p->offset_y + m->quaternion_v[r],
                      q + m->quaternion_q[r]);
    memcpy(v, at + p->offset_v, (size_t)p->n * sizeof *v);
    if (state) memcpy(state, at + p->offset_s, (size_t)p->ns * sizeof *state);
}

// Sum over the points of weight w_l times unknown `at` of each point.
static double weighted_sum(const cardan_ocp* p, const double* x, int k, const double* w, int at)
{
    double sum = 0;
    for (int l = 0; l < p->degree; ++l) sum += w[l] * x[cd_ocp_offset_point(p, k, l) + at];
    return sum;
}

static void get_point_condensed(const cardan_ocp* p, const double* x, int k, int j, double* q, double* v, double* state)
{
    const cardan_model* m               = p->task->model;
    const double        interval_length = cd_ocp_interval_length(p, x), h = p->scaled_by_h ? 1 : interval_length,
                 unit = p->scaled_by_h ? interval_length : 1;
    const double *x0 = x + cd_ocp_offset_x(p, k), *v0 = x + cd_ocp_offset_v(p, k), *w = p->scheme.A[j];
    double        weights_A[CD_COLLOCATION_DEGREE_MAX] = {0};
    for (int r = 0; r < p->degree; ++r)
        for (int l = 0; l < p->degree; ++l) weights_A[l] += w[r] * p->scheme.A[r][l];
    for (int i = 0; i < p->n; ++i) {
        const int c = p->q_of_v[i];
        v[i]        = (v0[i] + h * weighted_sum(p, x, k, w, p->offset_a + i)) / unit;
        if (c >= 0)
            q[c] = x0[c] + h * p->scheme.c[j] * v0[i] + h * h * weighted_sum(p, x, k, weights_A, p->offset_a + i);
    }
    for (int r = 0; r < m->nquaternion; ++r) {
        double y[3];
        for (int i = 0; i < 3; ++i) y[i] = h * weighted_sum(p, x, k, w, p->offset_rotation_rate + 3 * r + i);
        cayley_rotate(x0 + m->quaternion_q[r], y, q + m->quaternion_q[r]);
    }
    for (int i = 0; state && i < p->ns; ++i)
        state[i] = v0[p->n + i] + h * weighted_sum(p, x, k, w, p->offset_state_rate + i);
}

void cd_ocp_get_state(const cardan_ocp* p, const double* x, int k, int j, double* q, double* v, double* state)
{
    if (j >= 0) {
        if (p->full_layout)
            get_point_full(p, x, k, j, q, v, state);
        else
            get_point_condensed(p, x, k, j, q, v, state);
        return;
    }
    const double unit = p->scaled_by_h ? cd_ocp_interval_length(p, x) : 1;
    memcpy(q, x + cd_ocp_offset_x(p, k), (size_t)p->nq * sizeof *q);
    for (int i = 0; i < p->n; ++i) v[i] = x[cd_ocp_offset_v(p, k) + i] / unit;
    if (state) memcpy(state, x + cd_ocp_offset_v(p, k) + p->n, (size_t)p->ns * sizeof *state);
}

// Points of the condensed layout only have rates: rotation rates are set, accelerations remain unchanged.
void cd_ocp_set_state(const cardan_ocp* p, double* x, int k, int j, const double* q, const double* v,
                      const double* state)
{
    const cardan_model* m    = p->task->model;
    const double        unit = p->scaled_by_h ? p->h : 1;
    if (j < 0) {
        memcpy(x + cd_ocp_offset_x(p, k), q, (size_t)p->nq * sizeof *q);
        for (int i = 0; i < p->n; ++i) x[cd_ocp_offset_v(p, k) + i] = unit * v[i];
        if (state) memcpy(x + cd_ocp_offset_v(p, k) + p->n, state, (size_t)p->ns * sizeof *state);
        return;
    }
    double* at = x + cd_ocp_offset_point(p, k, j);
    if (!p->full_layout) {
        for (int r = 0; r < m->nquaternion; ++r)
            for (int i = 0; i < 3; ++i) at[p->offset_rotation_rate + 3 * r + i] = unit * v[m->quaternion_v[r] + i];
        return;
    }
    for (int i = 0; i < p->n; ++i)
        if (p->q_of_v[i] >= 0) at[p->offset_y + i] = q[p->q_of_v[i]];
    for (int r = 0; r < m->nquaternion; ++r)
        cayley_between(x + cd_ocp_offset_x(p, k) + m->quaternion_q[r], q + m->quaternion_q[r],
                       at + p->offset_y + m->quaternion_v[r]);
    memcpy(at + p->offset_v, v, (size_t)p->n * sizeof *v);
    if (state) memcpy(at + p->offset_s, state, (size_t)p->ns * sizeof *state);
}
