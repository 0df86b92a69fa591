// SPDX-License-Identifier: BSD-3-Clause
// Inputs of an instant at the places of the chain.
#include "optimize/plan.h"

void cd_bind_interval(const cardan_plan* p, cd_binding* b, int k, double c)
{
    const cd_instant* s = &p->instant;
    if (p->horizon < 0) {
        cd_bind_value(b, s->h, p->h);
        cd_bind_value(b, s->in.time, (k + c) * p->h);
    } else {
        cd_bind_unknown(b, s->h, p->horizon, 1.0 / p->N);
        cd_bind_unknown(b, s->in.time, p->horizon, (k + c) / p->N);
    }
    for (int i = 0; i < p->nu; ++i) cd_bind_unknown(b, s->in.effort + p->task->control[i].v, cd_at_u(p, k) + i, 1);
}

void cd_bind_state(const cardan_plan* p, cd_binding* b, int unknown)
{
    for (int i = 0; i < p->n; ++i) {
        cd_bind_unknown(b, p->instant.in.q + i, unknown + i, 1);
        cd_bind_unknown(b, p->instant.in.v + i, unknown + p->n + i, 1);
    }
}

void cd_bind_accelerations(const cardan_plan* p, cd_binding* b, int unknown)
{
    for (int i = 0; i < p->n; ++i) cd_bind_unknown(b, p->instant.in.a + i, unknown + i, 1);
}

// A state that Runge-Kutta weights w make of the accelerations: v = v_k + h w'Z, q = q_k + h sum(w) v_k + h^2 w'A Z.
static void bind_weighted(const cardan_plan* p, cd_binding* b, int k, const double* w)
{
    const int    d = p->degree, x = cd_at_x(p, k);
    const double h = p->h;
    double       sum = 0, twice[CD_DEGREE_MAX] = {0};
    for (int i = 0; i < d; ++i) {
        sum += w[i];
        for (int l = 0; l < d; ++l) twice[l] += w[i] * p->scheme.A[i][l];
    }
    for (int i = 0; i < p->n; ++i) {
        const int q = p->instant.in.q + i, v = p->instant.in.v + i;
        cd_bind_unknown(b, q, x + i, 1);
        cd_bind_more(b, q, x + p->n + i, h * sum);
        for (int l = 0; l < d; ++l) cd_bind_more(b, q, cd_at_a(p, k, l) + i, h * h * twice[l]);
        cd_bind_unknown(b, v, x + p->n + i, 1);
        for (int l = 0; l < d; ++l) cd_bind_more(b, v, cd_at_a(p, k, l) + i, h * w[l]);
    }
}

void cd_bind_point(const cardan_plan* p, cd_binding* b, int k, int j)
{
    if (p->full) cd_bind_state(p, b, cd_at_point(p, k, j));
    else bind_weighted(p, b, k, p->scheme.A[j]);
    if (p->kept) cd_bind_accelerations(p, b, cd_at_a(p, k, j));
}

void cd_bind_end(const cardan_plan* p, cd_binding* b, int k)
{
    if (!p->full) {
        bind_weighted(p, b, k, p->scheme.b);
        return;
    }
    for (int i = 0; i < p->nx; ++i) {
        const int input = i < p->n ? p->instant.in.q + i : p->instant.in.v + i - p->n;
        cd_bind_value(b, input, 0);
        b->first[input] = b->nterm;
        cd_bind_more(b, input, cd_at_x(p, k) + i, p->scheme.D[0]);
        for (int j = 0; j < p->degree; ++j) cd_bind_more(b, input, cd_at_point(p, k, j) + i, p->scheme.D[j + 1]);
    }
}
