// SPDX-License-Identifier: BSD-3-Clause
// Inputs of an instant at the places of the chain.
#include "optimize/plan.h"

#include "model/model.h"

void cd_bind_interval(const cardan_plan* p, cd_binding* b, int k, double c)
{
    const cd_instant* s = &p->instant;
    if (p->horizon < 0) {
        cd_bind_value(b, s->h, p->h);
        cd_bind_value(b, s->in.time, (k + c) * p->h);
    } else {
        cd_bind_unknown(b, s->h, p->horizon, 1.0 / p->N);
        cd_bind_value(b, s->in.time, k + c);
    }
    for (int i = 0; i < p->nu; ++i) cd_bind_unknown(b, s->in.effort + p->task->control[i].v, cd_at_u(p, k) + i, 1);
}

static void bind_many(cd_binding* b, int input, int count, int unknown)
{
    for (int i = 0; i < count; ++i) cd_bind_unknown(b, input + i, unknown + i, 1);
}

void cd_bind_node(const cardan_plan* p, cd_binding* b, int k)
{
    const cd_instant* s = &p->instant;
    bind_many(b, s->in.q, p->nq, cd_at_x(p, k));
    bind_many(b, s->in.v, p->n, cd_at_v(p, k));
    bind_many(b, s->in.state, p->ns, cd_at_v(p, k) + p->n);
    for (int i = 0; i < s->nturn; ++i) cd_bind_value(b, s->turn + i, 0);
}

void cd_bind_ends(const cardan_plan* p, cd_binding* b, int unknown)
{
    if (p->kept) bind_many(b, p->instant.in.a, p->n, unknown);
    bind_many(b, p->instant.lambda, p->nl, unknown + (p->kept ? p->n : 0));
}

// Input of coordinate i of a point.
static int coordinate_input(const cardan_plan* p, int i)
{
    return p->q_of_v[i] >= 0 ? p->instant.in.q + p->q_of_v[i] : p->instant.turn - 1 - p->q_of_v[i];
}

static void bind_bases(const cardan_plan* p, cd_binding* b, int k)
{
    const cardan_model* m = p->task->model;
    for (int r = 0; r < m->nrotation; ++r)
        bind_many(b, p->instant.in.q + m->rotation_q[r], 4, cd_at_x(p, k) + m->rotation_q[r]);
}

// A state that Runge-Kutta weights w make of the rates of points.
static void bind_weighted(const cardan_plan* p, cd_binding* b, int k, const double* w)
{
    const cd_instant* s = &p->instant;
    const int         d = p->degree, x = cd_at_x(p, k), v0 = cd_at_v(p, k);
    const double      h   = p->scaled ? 1 : p->h;
    double            sum = 0, twice[CD_DEGREE_MAX] = {0};
    for (int i = 0; i < d; ++i) {
        sum += w[i];
        for (int l = 0; l < d; ++l) twice[l] += w[i] * p->scheme.A[i][l];
    }
    for (int i = 0; i < p->n; ++i) {
        const int q = p->q_of_v[i];
        if (q >= 0) {
            cd_bind_unknown(b, s->in.q + q, x + q, 1);
            cd_bind_more(b, s->in.q + q, v0 + i, h * sum);
            for (int l = 0; l < d; ++l)
                cd_bind_more(b, s->in.q + q, cd_at_point(p, k, l) + p->at_a + i, h * h * twice[l]);
        } else {
            cd_bind_none(b, s->turn - 1 - q);
            for (int l = 0; l < d; ++l)
                cd_bind_more(b, s->turn - 1 - q, cd_at_point(p, k, l) + p->at_turn_rate - 1 - q, h * w[l]);
        }
        cd_bind_unknown(b, s->in.v + i, v0 + i, 1);
        for (int l = 0; l < d; ++l) cd_bind_more(b, s->in.v + i, cd_at_point(p, k, l) + p->at_a + i, h * w[l]);
    }
    for (int i = 0; i < p->ns; ++i) {
        cd_bind_unknown(b, s->in.state + i, v0 + p->n + i, 1);
        for (int l = 0; l < d; ++l)
            cd_bind_more(b, s->in.state + i, cd_at_point(p, k, l) + p->at_state_rate + i, h * w[l]);
    }
}

void cd_bind_point(const cardan_plan* p, cd_binding* b, int k, int j)
{
    const cd_instant* s  = &p->instant;
    const int         at = cd_at_point(p, k, j);
    bind_bases(p, b, k);
    if (p->full) {
        for (int i = 0; i < p->n; ++i) cd_bind_unknown(b, coordinate_input(p, i), at + p->at_y + i, 1);
        bind_many(b, s->in.v, p->n, at + p->at_v);
        bind_many(b, s->in.state, p->ns, at + p->at_s);
    } else {
        bind_weighted(p, b, k, p->scheme.A[j]);
        bind_many(b, s->turn_rate, s->nturn, at + p->at_turn_rate);
        bind_many(b, s->state_rate, p->ns, at + p->at_state_rate);
    }
    if (p->kept) bind_many(b, s->in.a, p->n, at + p->at_a);
    bind_many(b, s->lambda, p->nl, at + p->at_l);
}

// The interpolating polynomial at the end.
static void bind_polynomial(const cardan_plan* p, cd_binding* b, int k, int input, int first, int at)
{
    cd_bind_none(b, input);
    if (first >= 0) cd_bind_more(b, input, first, p->scheme.D[0]);
    for (int j = 0; j < p->degree; ++j) cd_bind_more(b, input, cd_at_point(p, k, j) + at, p->scheme.D[j + 1]);
}

void cd_bind_end(const cardan_plan* p, cd_binding* b, int k)
{
    const cd_instant* s = &p->instant;
    bind_bases(p, b, k);
    if (!p->full) {
        bind_weighted(p, b, k, p->scheme.b);
        return;
    }
    for (int i = 0; i < p->n; ++i) {
        bind_polynomial(p, b, k, coordinate_input(p, i), p->q_of_v[i] >= 0 ? cd_at_x(p, k) + p->q_of_v[i] : -1,
                        p->at_y + i);
        bind_polynomial(p, b, k, s->in.v + i, cd_at_v(p, k) + i, p->at_v + i);
    }
    for (int i = 0; i < p->ns; ++i) bind_polynomial(p, b, k, s->in.state + i, cd_at_v(p, k) + p->n + i, p->at_s + i);
}
