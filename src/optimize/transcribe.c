// SPDX-License-Identifier: BSD-3-Clause
// From a task to a program: functions of one instant become blocks along the chain. Paper 003, section 2.2 and Table 3.
//
//   points       h f(X_j, u_k, Z_j) - (derivative of the interpolating polynomial at point j) = 0     full layout
//                residual of the dynamics = 0                                                         unless accelerations are substituted
//   ends         state at the end of interval k - x_(k+1) = 0
//   conditions   at the start, at the end, on the way
#include "optimize/plan.h"

#include "core/memory.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

typedef struct building {
    cardan_plan* p;
    cd_instant*  s;
    cd_graph*    g;
    bool*        unknown;  // (ninput)
    cd_binding   b;
    cd_node*     row;      // scratch
    double *     lower, *upper;
    bool         ok;
} building;

static cd_node input(building* w, int i) { return cd_input(w->g, i); }
static cd_node times(building* w, cd_node a, cd_node b) { return cd_binary(w->g, CD_MUL, a, b); }
static cd_node minus(building* w, cd_node a, cd_node b) { return cd_binary(w->g, CD_SUB, a, b); }
static cd_node plus(building* w, cd_node a, cd_node b) { return cd_binary(w->g, CD_ADD, a, b); }

static const cd_kind* make(building* w, const char* name, int nrow, cd_node objective)
{
    cd_kind* kind = cd_kind_create(w->g, name, nrow, w->row, objective, w->s->multipliers.sigma, w->unknown, w->s->multipliers);
    w->ok         = w->ok && cd_chain_own(&w->p->program, kind);
    return w->ok ? kind : NULL;
}

static void add(building* w, const cd_kind* kind, int interval, bool bounded)
{
    w->ok = w->ok && kind && cd_chain_add(&w->p->program, kind, interval, &w->b, bounded ? w->lower : NULL, bounded ? w->upper : NULL);
}

static void mark_unknowns(building* w)
{
    const cardan_plan* p = w->p;
    const cd_instant*  s = w->s;
    for (int i = 0; i < 3 * p->n; ++i) w->unknown[i] = true;
    for (int i = 0; i < p->nu; ++i) w->unknown[s->in.effort + p->task->control[i].v] = w->unknown[s->before + p->task->control[i].v] = true;
    for (int i = 0; i < p->degree * p->nx; ++i) w->unknown[s->other + i] = true;
    for (int i = 0; i < p->nx; ++i) w->unknown[s->next + i] = true;
    w->unknown[s->h] = w->unknown[s->in.time] = p->horizon >= 0;
}

// ---- points

// h rate - own x - sum of others
static cd_node derivative_row(building* w, int x, cd_node rate, int component)
{
    const cd_instant* s   = w->s;
    cd_node           sum = minus(w, times(w, input(w, s->h), rate), times(w, input(w, s->own), input(w, x)));
    for (int r = 0; r < w->p->degree; ++r)
        sum = minus(w, sum, times(w, input(w, s->others + r), input(w, s->other + r * w->p->nx + component)));
    return sum;
}

static const cd_kind* make_point(building* w)
{
    const cardan_plan* p = w->p;
    const cd_instant*  s = w->s;
    const int          n = p->n;
    int                m = 0;
    if (p->full) {
        for (int i = 0; i < n; ++i) w->row[m++] = derivative_row(w, s->in.q + i, input(w, s->in.v + i), i);
        for (int i = 0; i < n; ++i) w->row[m++] = derivative_row(w, s->in.v + i, p->kept ? input(w, s->in.a + i) : s->acceleration[i], n + i);
    }
    if (p->kept)
        for (int i = 0; i < n; ++i) w->row[m++] = s->residual[i];
    return make(w, "dynamics", m, CD_NO_NODE);
}

// The other states that the polynomial goes through: the beginning of the interval and the other points.
static void bind_others(building* w, int k, int j)
{
    const cardan_plan* p = w->p;
    const cd_instant*  s = w->s;
    if (!p->full) return;
    cd_bind_value(&w->b, s->own, p->scheme.C[j + 1][j + 1]);
    for (int r = 0, slot = 0; r <= p->degree; ++r) {
        if (r == j + 1) continue;
        const int at = r == 0 ? cd_at_x(p, k) : cd_at_point(p, k, r - 1);
        cd_bind_value(&w->b, s->others + slot, p->scheme.C[r][j + 1]);
        for (int i = 0; i < p->nx; ++i) cd_bind_unknown(&w->b, s->other + slot * p->nx + i, at + i, 1);
        ++slot;
    }
}

static const cd_kind* make_end(building* w)
{
    const cd_instant* s = w->s;
    const int         n = w->p->n;
    for (int i = 0; i < n; ++i) {
        w->row[i]     = minus(w, input(w, s->in.q + i), input(w, s->next + i));
        w->row[n + i] = minus(w, input(w, s->in.v + i), input(w, s->next + n + i));
    }
    return make(w, "end", 2 * n, CD_NO_NODE);
}

// ---- conditions

static void add_condition(building* w, int m, const cd_condition* c)
{
    const cd_instant* s = w->s;
    w->lower[m]         = c->lower;
    w->upper[m]         = c->upper;
    switch (c->on) {
    case CD_ON_Q: w->row[m] = input(w, s->in.q + c->index); break;
    case CD_ON_V: w->row[m] = input(w, s->in.v + c->index); break;
    case CD_ON_A: w->row[m] = w->p->kept ? input(w, s->in.a + c->index) : s->acceleration[c->index]; break;
    case CD_ON_VALUE: w->row[m] = cd_instant_formula(w->s, c->value); break;
    }
    w->ok = w->ok && w->row[m] >= 0;
}

// Conditions, and behind them the dynamics where accelerations have unknowns of their own.
static const cd_kind* make_conditions(building* w, const char* name, const cd_conditions* list, bool dynamics, cardan_expression cost)
{
    int m = 0;
    for (int i = 0; i < list->count; ++i) add_condition(w, m++, &list->list[i]);
    for (int i = 0; dynamics && i < w->p->n; ++i, ++m) {
        w->row[m]   = w->s->residual[i];
        w->lower[m] = w->upper[m] = 0;
    }
    const cd_node objective = cost == CARDAN_NONE ? CD_NO_NODE : cd_instant_formula(w->s, cost);
    return m == 0 && objective < 0 ? NULL : make(w, name, m, objective);
}

static void add_start(building* w)
{
    cardan_plan* p = w->p;
    cd_bind_interval(p, &w->b, 0, 0);
    cd_bind_state(p, &w->b, cd_at_x(p, 0));
    if (p->a_start >= 0) cd_bind_accelerations(p, &w->b, p->a_start);
    const cd_kind* kind = make_conditions(w, "start", &p->task->start, p->a_start >= 0, CARDAN_NONE);
    if (kind) add(w, kind, 0, true);
}

static void add_last(building* w)
{
    cardan_plan* p = w->p;
    cd_bind_interval(p, &w->b, p->N - 1, 1);
    cd_bind_state(p, &w->b, cd_at_x(p, p->N));
    if (p->a_end >= 0) cd_bind_accelerations(p, &w->b, p->a_end);
    else if (p->kept && p->scheme.ends) cd_bind_accelerations(p, &w->b, cd_at_a(p, p->N - 1, p->degree - 1));
    const cd_kind* kind = make_conditions(w, "last", &p->task->end, p->a_end >= 0, p->task->cost_final);
    if (kind) add(w, kind, p->N, true);
}

// Bounds of states at points are bounds of unknowns in the full layout, rows in the condensed one.
static const cd_kind* make_limits(building* w)
{
    const cardan_task* task = w->p->task;
    const cd_instant*  s    = w->s;
    int                m    = 0;
    if (w->p->full || !w->p->scheme.collocation) return NULL;
    for (int i = 0; i < 2 * w->p->n; ++i) {
        const int    c   = i % w->p->n;
        const double low = i < w->p->n ? task->q_lower[c] : task->v_lower[c], high = i < w->p->n ? task->q_upper[c] : task->v_upper[c];
        if (!isfinite(low) && !isfinite(high)) continue;
        w->row[m]     = input(w, i < w->p->n ? s->in.q + c : s->in.v + c);
        w->lower[m]   = low;
        w->upper[m++] = high;
    }
    return m > 0 ? make(w, "limits", m, CD_NO_NODE) : NULL;
}

static void limit_unknowns(cardan_plan* p, int at)
{
    for (int i = 0; i < p->n; ++i) {
        p->program.x_lower[at + i]        = p->task->q_lower[i];
        p->program.x_upper[at + i]        = p->task->q_upper[i];
        p->program.x_lower[at + p->n + i] = p->task->v_lower[i];
        p->program.x_upper[at + p->n + i] = p->task->v_upper[i];
    }
}

static void limit_all(cardan_plan* p)
{
    for (int k = 0; k <= p->N; ++k) limit_unknowns(p, cd_at_x(p, k));
    for (int k = 0; k < p->N; ++k) {
        for (int j = 0; p->full && j < p->degree; ++j) limit_unknowns(p, cd_at_point(p, k, j));
        for (int i = 0; i < p->nu; ++i) {
            p->program.x_lower[cd_at_u(p, k) + i] = p->task->control[i].lower;
            p->program.x_upper[cd_at_u(p, k) + i] = p->task->control[i].upper;
        }
    }
    if (p->horizon >= 0) {
        p->program.x_lower[p->horizon] = p->task->horizon_lower;
        p->program.x_upper[p->horizon] = p->task->horizon_upper;
    }
}

// ---- cost

// h sum of weight u^2 (+ time)
static const cd_kind* make_effort(building* w)
{
    const cardan_task* task = w->p->task;
    cd_node            sum  = cd_constant(w->g, task->cost_time);
    bool               any  = task->cost_time != 0 && w->p->horizon >= 0;
    for (int i = 0; i < w->p->nu; ++i) {
        const cd_control* c = &task->control[i];
        const cd_node     u = input(w, w->s->in.effort + c->v);
        if (c->effort == 0) continue;
        sum = plus(w, sum, times(w, cd_constant(w->g, c->effort), times(w, u, u)));
        any = true;
    }
    return any ? make(w, "effort", 0, times(w, input(w, w->s->h), sum)) : NULL;
}

// h sum of weight ((u_k - u_(k-1)) / h)^2
static const cd_kind* make_rate(building* w)
{
    cd_node sum = cd_constant(w->g, 0);
    bool    any = false;
    for (int i = 0; i < w->p->nu; ++i) {
        const cd_control* c = &w->p->task->control[i];
        const cd_node     d = minus(w, input(w, w->s->in.effort + c->v), input(w, w->s->before + c->v));
        if (c->rate == 0) continue;
        sum = plus(w, sum, times(w, cd_constant(w->g, c->rate), times(w, d, d)));
        any = true;
    }
    return any ? make(w, "rate", 0, cd_binary(w->g, CD_DIV, sum, input(w, w->s->h))) : NULL;
}

static const cd_kind* make_integral(building* w)
{
    if (w->p->task->cost_integral == CARDAN_NONE) return NULL;
    const cd_node value = cd_instant_formula(w->s, w->p->task->cost_integral);
    w->ok               = w->ok && value >= 0;
    return w->ok ? make(w, "integral", 0, times(w, times(w, input(w, w->s->h), input(w, w->s->weight)), value)) : NULL;
}

// ---- the chain

typedef struct kinds {
    const cd_kind *point, *end, *limits, *path, *effort, *rate, *integral;
} kinds;

static void add_interval(building* w, const kinds* kind, int k)
{
    cardan_plan*      p = w->p;
    const cd_instant* s = w->s;
    w->b.nterm          = 0;
    for (int j = 0; j < p->degree; ++j) {
        const bool repeats = p->scheme.ends && j == p->degree - 1;  // the end, which has unknowns of its own
        cd_bind_interval(p, &w->b, k, p->scheme.c[j]);
        cd_bind_point(p, &w->b, k, j);
        bind_others(w, k, j);
        cd_bind_value(&w->b, s->weight, p->scheme.b[j]);
        add(w, kind->point, k, false);
        if (kind->limits && !repeats) {
            for (int i = 0, m = 0; i < p->nx; ++i) {
                const double low = i < p->n ? p->task->q_lower[i] : p->task->v_lower[i - p->n], high = i < p->n ? p->task->q_upper[i] : p->task->v_upper[i - p->n];
                if (!isfinite(low) && !isfinite(high)) continue;
                w->lower[m]   = low;
                w->upper[m++] = high;
            }
            add(w, kind->limits, k, true);
        }
        if (kind->integral) add(w, kind->integral, k, false);
        if (kind->path && p->scheme.collocation) {
            for (int i = 0; i < p->task->path.count; ++i) w->lower[i] = p->task->path.list[i].lower, w->upper[i] = p->task->path.list[i].upper;
            add(w, kind->path, k, true);
        }
    }
    cd_bind_end(p, &w->b, k);
    for (int i = 0; i < p->nx; ++i) cd_bind_unknown(&w->b, s->next + i, cd_at_x(p, k + 1) + i, 1);
    add(w, kind->end, k, false);
    if (kind->path && !p->scheme.ends) {
        cd_bind_interval(p, &w->b, k, 1);
        cd_bind_state(p, &w->b, cd_at_x(p, k + 1));
        for (int i = 0; i < p->task->path.count; ++i) w->lower[i] = p->task->path.list[i].lower, w->upper[i] = p->task->path.list[i].upper;
        add(w, kind->path, k, true);
    }
    if (kind->effort) add(w, kind->effort, k, false);
    for (int i = 0; k > 0 && i < p->nu; ++i) cd_bind_unknown(&w->b, s->before + p->task->control[i].v, cd_at_u(p, k - 1) + i, 1);
    if (kind->rate && k > 0) add(w, kind->rate, k, false);
}

static void build(building* w)
{
    cardan_plan* p = w->p;
    mark_unknowns(w);
    kinds kind = {make_point(w), make_end(w), make_limits(w), NULL, make_effort(w), make_rate(w), make_integral(w)};
    kind.path  = make_conditions(w, "path", &p->task->path, false, CARDAN_NONE);
    add_start(w);
    for (int k = 0; w->ok && k < p->N; ++k) add_interval(w, &kind, k);
    w->b.nterm = 0;
    add_last(w);
    limit_all(p);
    w->ok = w->ok && cd_chain_end(&p->program);
}

cardan_status cd_transcribe(cardan_plan* p, cardan_report* report)
{
    building  w    = {.p = p, .s = &p->instant, .g = p->instant.graph, .ok = true};
    const int last = p->N * p->stride + p->nx, most = 4 * p->n + p->task->start.count + p->task->end.count + p->task->path.count + 1;
    const int n    = last + (p->a_start >= 0 ? p->n : 0) + (p->a_end >= 0 ? p->n : 0) + (p->horizon >= 0 ? 1 : 0);
    w.unknown      = cd_allocate((size_t)p->instant.ninput + 1, sizeof *w.unknown);
    w.row          = cd_allocate((size_t)most, sizeof *w.row);
    w.lower        = cd_allocate((size_t)most, sizeof *w.lower);
    w.upper        = cd_allocate((size_t)most, sizeof *w.upper);
    w.ok           = cd_binding_create(&w.b, p->instant.ninput) && w.unknown && w.row && w.lower && w.upper;
    w.ok           = w.ok && cd_chain_begin(&p->program, p->instant.ninput, n, p->instant.multipliers);
    if (w.ok) build(&w);
    cd_binding_release(&w.b);
    free(w.unknown);
    free(w.row);
    free(w.lower);
    free(w.upper);
    return w.ok ? CARDAN_OK : cardan_fail(report, CARDAN_NO_MEMORY, p->task->place, "out of memory");
}
