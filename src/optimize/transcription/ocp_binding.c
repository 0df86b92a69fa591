// SPDX-License-Identifier: BSD-3-Clause
// Bindings of the inputs of the point model at the points of the transcription.
#include "optimize/transcription/ocp.h"

#include "model/model.h"

void cd_bind_interval(const cardan_ocp* p, cd_binding* b, int k, double c)
{
    const cd_point_model* s = &p->point_model;
    if (p->horizon < 0) {
        cd_bind_value(b, s->h, p->h);
        cd_bind_value(b, s->in.time, (k + c) * p->h);
    } else {
        cd_bind_unknown(b, s->h, p->horizon, 1.0 / p->N);
        cd_bind_value(b, s->in.time, k + c);
    }
    for (int i = 0; i < p->nu; ++i)
        cd_bind_unknown(b, s->in.effort + p->task->control[i].velocity_index, cd_ocp_offset_u(p, k) + i, 1);
}

static void bind_many(cd_binding* b, int input, int count, int unknown)
{
    for (int i = 0; i < count; ++i) cd_bind_unknown(b, input + i, unknown + i, 1);
}

void cd_bind_interval_start(const cardan_ocp* p, cd_binding* b, int k)
{
    const cd_point_model* s = &p->point_model;
    bind_many(b, s->in.q, p->nq, cd_ocp_offset_x(p, k));
    bind_many(b, s->in.v, p->n, cd_ocp_offset_v(p, k));
    bind_many(b, s->in.state, p->ns, cd_ocp_offset_v(p, k) + p->n);
    for (int i = 0; i < s->nrotation_component; ++i) cd_bind_value(b, s->rotation + i, 0);
}

void cd_bind_accelerations(const cardan_ocp* p, cd_binding* b, int unknown)
{
    if (p->has_acceleration_unknowns) bind_many(b, p->point_model.in.a, p->n, unknown);
    bind_many(b, p->point_model.lambda, p->nl, unknown + (p->has_acceleration_unknowns ? p->n : 0));
}

// Return the input of coordinate i of a point.
static int coordinate_input(const cardan_ocp* p, int i)
{
    return p->q_of_v[i] >= 0 ? p->point_model.in.q + p->q_of_v[i] : p->point_model.rotation - 1 - p->q_of_v[i];
}

static void bind_base_quaternions(const cardan_ocp* p, cd_binding* b, int k)
{
    const cardan_model* m = p->task->model;
    for (int r = 0; r < m->nquaternion; ++r)
        bind_many(b, p->point_model.in.q + m->quaternion_q[r], 4, cd_ocp_offset_x(p, k) + m->quaternion_q[r]);
}

// Bind a state to the rates of the points with Runge-Kutta weights w.
static void bind_runge_kutta_state(const cardan_ocp* p, cd_binding* b, int k, const double* w)
{
    const cd_point_model* s = &p->point_model;
    const int             d = p->degree, x = cd_ocp_offset_x(p, k), v0 = cd_ocp_offset_v(p, k);
    const double          h   = p->scaled_by_h ? 1 : p->h;
    double                sum = 0, weights_A[CD_COLLOCATION_DEGREE_MAX] = {0};
    for (int i = 0; i < d; ++i) {
        sum += w[i];
        for (int l = 0; l < d; ++l) weights_A[l] += w[i] * p->scheme.A[i][l];
    }
    for (int i = 0; i < p->n; ++i) {
        const int q = p->q_of_v[i];
        if (q >= 0) {
            cd_bind_unknown(b, s->in.q + q, x + q, 1);
            cd_bind_add_term(b, s->in.q + q, v0 + i, h * sum);
            for (int l = 0; l < d; ++l)
                cd_bind_add_term(b, s->in.q + q, cd_ocp_offset_point(p, k, l) + p->offset_a + i, h * h * weights_A[l]);
        } else {
            cd_bind_empty(b, s->rotation - 1 - q);
            for (int l = 0; l < d; ++l)
                cd_bind_add_term(b, s->rotation - 1 - q, cd_ocp_offset_point(p, k, l) + p->offset_rotation_rate - 1 - q,
                                 h * w[l]);
        }
        cd_bind_unknown(b, s->in.v + i, v0 + i, 1);
        for (int l = 0; l < d; ++l)
            cd_bind_add_term(b, s->in.v + i, cd_ocp_offset_point(p, k, l) + p->offset_a + i, h * w[l]);
    }
    for (int i = 0; i < p->ns; ++i) {
        cd_bind_unknown(b, s->in.state + i, v0 + p->n + i, 1);
        for (int l = 0; l < d; ++l)
            cd_bind_add_term(b, s->in.state + i, cd_ocp_offset_point(p, k, l) + p->offset_state_rate + i, h * w[l]);
    }
}

void cd_bind_point(const cardan_ocp* p, cd_binding* b, int k, int j)
{
    const cd_point_model* s  = &p->point_model;
    const int             at = cd_ocp_offset_point(p, k, j);
    bind_base_quaternions(p, b, k);
    if (p->full_layout) {
        for (int i = 0; i < p->n; ++i) cd_bind_unknown(b, coordinate_input(p, i), at + p->offset_y + i, 1);
        bind_many(b, s->in.v, p->n, at + p->offset_v);
        bind_many(b, s->in.state, p->ns, at + p->offset_s);
    } else {
        bind_runge_kutta_state(p, b, k, p->scheme.A[j]);
        bind_many(b, s->rotation_rate, s->nrotation_component, at + p->offset_rotation_rate);
        bind_many(b, s->state_rate, p->ns, at + p->offset_state_rate);
    }
    if (p->has_acceleration_unknowns) bind_many(b, s->in.a, p->n, at + p->offset_a);
    bind_many(b, s->lambda, p->nl, at + p->offset_lambda);
}

// Bind an input to the interpolating polynomial at the end of the interval.
static void bind_polynomial(const cardan_ocp* p, cd_binding* b, int k, int input, int first, int at)
{
    cd_bind_empty(b, input);
    if (first >= 0) cd_bind_add_term(b, input, first, p->scheme.D[0]);
    for (int j = 0; j < p->degree; ++j)
        cd_bind_add_term(b, input, cd_ocp_offset_point(p, k, j) + at, p->scheme.D[j + 1]);
}

void cd_bind_interval_end(const cardan_ocp* p, cd_binding* b, int k)
{
    const cd_point_model* s = &p->point_model;
    bind_base_quaternions(p, b, k);
    if (!p->full_layout) {
        bind_runge_kutta_state(p, b, k, p->scheme.b);
        return;
    }
    for (int i = 0; i < p->n; ++i) {
        bind_polynomial(p, b, k, coordinate_input(p, i), p->q_of_v[i] >= 0 ? cd_ocp_offset_x(p, k) + p->q_of_v[i] : -1,
                        p->offset_y + i);
        bind_polynomial(p, b, k, s->in.v + i, cd_ocp_offset_v(p, k) + i, p->offset_v + i);
    }
    for (int i = 0; i < p->ns; ++i)
        bind_polynomial(p, b, k, s->in.state + i, cd_ocp_offset_v(p, k) + p->n + i, p->offset_s + i);
}
