// SPDX-License-Identifier: BSD-3-Clause
// From a task to a program: functions of one instant become blocks along the chain. Paper 003, section 2.2 and Table 3.
//
//   points       h f(X_j, u_k, Z_j) - (derivative of the interpolating polynomial at point j) = 0     full layout
//                residual of the dynamics = 0                                                         unless
//                accelerations are substituted
//                J a - gamma = 0                                                                      constraints
//   ends         state at the end of interval k - x_(k+1) = 0, moved along J' where there are constraints
//   closed       constraints in positions and velocities, at x_0 ... x_N
//   conditions   at the start, at the end, on the way
#include "optimize/building.h"

#include "core/memory.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

const cd_kind* cd_make_kind(building* w, const char* name, int nrow, cd_node objective)
{
    cd_kind* kind = cd_kind_create(w->g, name, nrow, w->row, objective, w->s->multipliers.sigma, w->unknown,
                                   w->s->multipliers, w->s->implicit.n > 0 ? &w->s->implicit : NULL);
    w->ok         = w->ok && cd_chain_own(&w->p->program, kind);
    return w->ok ? kind : NULL;
}

void cd_add_block(building* w, const cd_kind* kind, int interval, bool bounded)
{
    w->ok = w->ok && kind &&
            cd_chain_add(&w->p->program, kind, interval, &w->b, bounded ? w->lower : NULL, bounded ? w->upper : NULL);
}

static void mark(building* w, int first, int count)
{
    for (int i = 0; i < count; ++i) w->unknown[first + i] = true;
}

static void mark_unknowns(building* w)
{
    const cardan_plan* p = w->p;
    const cd_instant*  s = w->s;
    mark(w, s->in.q, p->nq + 2 * p->n);
    for (int i = 0; i < p->nu; ++i)
        w->unknown[s->in.effort + p->task->control[i].v] = w->unknown[s->before + p->task->control[i].v] = true;
    mark(w, s->in.state, p->ns);
    mark(w, s->lambda, p->nl);
    mark(w, s->other, p->degree * (2 * p->n + p->ns));
    mark(w, s->next, p->nx);
    mark(w, s->turn, s->nturn);
    mark(w, s->turn_rate, s->nturn);
    mark(w, s->state_rate, p->ns);
    mark(w, s->push, 2 * p->nl);
    w->unknown[s->h] = p->horizon >= 0;
}

// ---- points

// h rate - own x - sum of others
static cd_node derivative_row(building* w, cd_node x, cd_node rate, int component)
{
    const cd_instant* s    = w->s;
    const int         wide = 2 * w->p->n + w->p->ns;
    cd_node           sum  = minus(w, times(w, input(w, s->h), rate), times(w, input(w, s->own), x));
    for (int r = 0; r < w->p->degree; ++r)
        sum = minus(w, sum, times(w, input(w, s->others + r), input(w, s->other + r * wide + component)));
    return sum;
}

static int full_rows(building* w)
{
    const cardan_plan* p = w->p;
    const cd_instant*  s = w->s;
    const int          n = p->n;
    int                m = 0;
    for (int i = 0; i < n; ++i) {
        const int c = p->q_of_v[i];
        w->row[m++] = c >= 0 ? derivative_row(w, input(w, s->in.q + c), s->v[i], i)
                             : derivative_row(w, input(w, s->turn - 1 - c), s->turning[-1 - c], i);
    }
    for (int i = 0; i < n; ++i)
        w->row[m++] =
            derivative_row(w, input(w, s->in.v + i), p->kept ? input(w, s->in.a + i) : s->acceleration[i], n + i);
    for (int i = 0; i < p->ns; ++i) w->row[m++] = derivative_row(w, input(w, s->in.state + i), s->rate[i], 2 * n + i);
    return m;
}

// Rates that are unknowns, in units of h where all are.
static int rate_rows(building* w)
{
    const cd_instant* s    = w->s;
    const cd_node     unit = w->p->scaled ? input(w, s->h) : cd_constant(w->g, 1);
    int               m    = 0;
    for (int i = 0; i < s->nturn; ++i)
        w->row[m++] = minus(w, input(w, s->turn_rate + i), times(w, unit, s->turning[i]));
    for (int i = 0; i < w->p->ns; ++i) w->row[m++] = minus(w, input(w, s->state_rate + i), times(w, unit, s->rate[i]));
    return m;
}

static const cd_kind* make_point(building* w)
{
    const cardan_plan* p = w->p;
    int                m = p->full ? full_rows(w) : rate_rows(w);
    for (int i = 0; p->kept && i < p->n; ++i) w->row[m++] = w->s->residual[i];
    for (int i = 0; i < p->nl; ++i) w->row[m++] = w->s->closing[i];
    return cd_make_kind(w, "dynamics", m, CD_NO_NODE);
}

static void bind_other(building* w, int input, int unknown)
{
    if (unknown >= 0)
        cd_bind_unknown(&w->b, input, unknown, 1);
    else
        cd_bind_value(&w->b, input, 0);
}

// The other states that the polynomial goes through: the beginning of the interval and the other points.
static void bind_others(building* w, int k, int j)
{
    const cardan_plan* p = w->p;
    const cd_instant*  s = w->s;
    const int          n = p->n, wide = 2 * n + p->ns;
    if (!p->full) return;
    cd_bind_value(&w->b, s->own, p->scheme.C[j + 1][j + 1]);
    for (int r = 0, slot = 0; r <= p->degree; ++r) {
        if (r == j + 1) continue;
        const int at = r == 0 ? 0 : cd_at_point(p, k, r - 1), to = s->other + slot * wide;
        cd_bind_value(&w->b, s->others + slot, p->scheme.C[r][j + 1]);
        for (int i = 0; i < n; ++i)
            bind_other(w, to + i, r > 0 ? at + p->at_y + i : p->q_of_v[i] >= 0 ? cd_at_x(p, k) + p->q_of_v[i] : -1);
        for (int i = 0; i < n; ++i) bind_other(w, to + n + i, r > 0 ? at + p->at_v + i : cd_at_v(p, k) + i);
        for (int i = 0; i < p->ns; ++i) bind_other(w, to + 2 * n + i, r > 0 ? at + p->at_s + i : cd_at_v(p, k) + n + i);
        ++slot;
    }
}

// ---- ends

// Component i of J'p, positions or velocities.
static cd_node pushed(building* w, int i, bool positions)
{
    const cd_ties* l   = &w->p->loops;
    cd_node        sum = cd_constant(w->g, 0);
    for (int r = 0; r < l->nclosed; ++r)
        if (!positions || l->position[r])
            sum =
                plus(w, sum, times(w, w->s->J[r * w->p->n + i], input(w, w->s->push + (positions ? 0 : w->p->nl) + r)));
    return sum;
}

static const cd_kind* make_end(building* w)
{
    const cardan_plan*  p = w->p;
    const cd_instant*   s = w->s;
    const cardan_model* m = p->task->model;
    for (int i = 0; i < p->n; ++i) {
        const int c = p->q_of_v[i];
        if (c >= 0) w->row[c] = minus(w, plus(w, input(w, s->in.q + c), pushed(w, i, true)), input(w, s->next + c));
        w->row[p->nq + i] =
            minus(w, plus(w, input(w, s->in.v + i), pushed(w, i, false)), input(w, s->next + p->nq + i));
    }
    for (int r = 0; r < m->nrotation; ++r) {
        cd_node base[4], x[3];
        for (int i = 0; i < 4; ++i) base[i] = input(w, s->in.q + m->rotation_q[r] + i);
        for (int i = 0; i < 3; ++i) x[i] = plus(w, input(w, s->turn + 3 * r + i), pushed(w, m->rotation[r] + i, true));
        cd_turned(w->g, base, x, w->row + m->rotation_q[r]);
        for (int i = 0; i < 4; ++i)
            w->row[m->rotation_q[r] + i] =
                minus(w, w->row[m->rotation_q[r] + i], input(w, s->next + m->rotation_q[r] + i));
    }
    for (int i = 0; i < p->ns; ++i)
        w->row[p->nq + p->n + i] = minus(w, input(w, s->in.state + i), input(w, s->next + p->nq + p->n + i));
    return cd_make_kind(w, "end", p->nx, CD_NO_NODE);
}

static void add_end(building* w, const cd_kind* kind, int k)
{
    const cardan_plan* p  = w->p;
    int                at = cd_at_push(p, k);
    cd_bind_end(p, &w->b, k);
    for (int i = 0; i < p->nx; ++i) cd_bind_unknown(&w->b, w->s->next + i, cd_at_x(p, k + 1) + i, 1);
    for (int r = 0; r < p->loops.nclosed; ++r)
        if (p->loops.position[r]) cd_bind_unknown(&w->b, w->s->push + r, at++, 1);
    for (int r = 0; r < p->loops.nclosed; ++r) cd_bind_unknown(&w->b, w->s->push + p->nl + r, at++, 1);
    cd_add_block(w, kind, k, false);
}

static const cd_kind* make_closed(building* w)
{
    const cd_ties* l = &w->p->loops;
    int            m = 0;
    for (int r = 0; r < l->nclosed; ++r)
        if (l->position[r]) w->row[m++] = w->s->position[r];
    for (int r = 0; r < l->nclosed; ++r) w->row[m++] = w->s->velocity[r];
    return m > 0 ? cd_make_kind(w, "closed", m, CD_NO_NODE) : NULL;
}

// ---- the chain

typedef struct kinds {
    const cd_kind *point, *end, *closed, *limits, *path, *effort, *rate, *integral;
} kinds;

static void add_path(building* w, const kinds* kind, int k)
{
    if (!kind->path) return;
    cd_bound_path(w);
    cd_add_block(w, kind->path, k, true);
}

static void add_limits(building* w, const kinds* kind, int k)
{
    if (!kind->limits) return;
    cd_bound_limits(w);
    cd_add_block(w, kind->limits, k, true);
}

static void add_point(building* w, const kinds* kind, int k, int j)
{
    cardan_plan* p       = w->p;
    const bool   repeats = p->scheme.ends && j == p->degree - 1; // the end, which has unknowns of its own
    cd_bind_interval(p, &w->b, k, p->scheme.c[j]);
    cd_bind_point(p, &w->b, k, j);
    bind_others(w, k, j);
    cd_bind_value(&w->b, w->s->weight, p->scheme.b[j]);
    cd_add_block(w, kind->point, k, false);
    if (!repeats || p->scaled) add_limits(w, kind, k);
    if (kind->integral) cd_add_block(w, kind->integral, k, false);
    if (p->scheme.collocation) add_path(w, kind, k);
}

static void add_interval(building* w, const kinds* kind, int k)
{
    cardan_plan* p = w->p;
    w->b.nterm     = 0;
    for (int j = 0; j < p->degree; ++j) add_point(w, kind, k, j);
    add_end(w, kind->end, k);
    cd_bind_interval(p, &w->b, k, 1);
    cd_bind_node(p, &w->b, k + 1);
    if (kind->closed) cd_add_block(w, kind->closed, k, false);
    if (!p->scheme.ends) add_path(w, kind, k);
    if (!p->scheme.ends && p->scaled) add_limits(w, kind, k);
    if (kind->effort) cd_add_block(w, kind->effort, k, false);
    for (int i = 0; k > 0 && i < p->nu; ++i)
        cd_bind_unknown(&w->b, w->s->before + p->task->control[i].v, cd_at_u(p, k - 1) + i, 1);
    if (kind->rate && k > 0) cd_add_block(w, kind->rate, k, false);
}

static void build(building* w)
{
    cardan_plan* p = w->p;
    mark_unknowns(w);
    const kinds kind = {make_point(w),   make_end(w),       make_closed(w),  cd_make_limits(w),
                        cd_make_path(w), cd_make_effort(w), cd_make_rate(w), p->integral = cd_make_integral(w)};
    cd_add_start(w);
    if (kind.closed) cd_add_block(w, kind.closed, 0, false);
    for (int k = 0; w->ok && k < p->N; ++k) add_interval(w, &kind, k);
    w->b.nterm = 0;
    cd_add_last(w);
    cd_limit_unknowns(p);
    w->ok = w->ok && cd_chain_end(&p->program);
}

cardan_status cd_transcribe(cardan_plan* p, cardan_report* report)
{
    building  w    = {.p = p, .s = &p->instant, .g = p->instant.graph, .ok = true};
    const int ends = (p->kept ? p->n : 0) + p->nl;
    const int n    = p->N * p->stride + p->nx + (p->a_start >= 0 ? ends : 0) + (p->a_end >= 0 ? ends : 0) +
                  (p->horizon >= 0 ? 1 : 0);
    const int most =
        p->nq + 5 * p->n + 3 * p->ns + 3 * p->nl + p->task->start.count + p->task->end.count + p->task->path.count + 1;
    w.unknown = cd_allocate((size_t)p->instant.ninput + 1, sizeof *w.unknown);
    w.row     = cd_allocate((size_t)most, sizeof *w.row);
    w.lower   = cd_allocate((size_t)most, sizeof *w.lower);
    w.upper   = cd_allocate((size_t)most, sizeof *w.upper);
    w.ok      = cd_binding_create(&w.b, p->instant.ninput) && w.unknown && w.row && w.lower && w.upper;
    w.ok      = w.ok && cd_chain_begin(&p->program, p->instant.ninput, n, p->instant.multipliers);
    if (w.ok) build(&w);
    w.ok = w.ok && !cd_graph_failed(w.g);
    cd_binding_release(&w.b);
    free(w.unknown);
    free(w.row);
    free(w.lower);
    free(w.upper);
    if (!w.ok && cd_chain_too_large(&p->program))
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_MODEL_TOO_LARGE, p->task->place,
                           "the program is too large: its derivatives have more entries than can be numbered; take "
                           "fewer intervals than %d, or a lower degree than %d",
                           p->N, p->degree);
    return w.ok ? CARDAN_OK
                : cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, p->task->place, "out of memory");
}
