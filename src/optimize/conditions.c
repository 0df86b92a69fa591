// SPDX-License-Identifier: BSD-3-Clause
// Conditions at the start, at the end and on the way, and limits of states. Conditions that only repeat what closed
// loops say already stay as rows without bounds: together with those of the loops they would say the same twice, which
// no solver likes.
#include "optimize/building.h"

#include "core/memory.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

// Component c of the turn of joint coordinates from the start, 2 sin(angle/2) along its axis: twice the vector part of
// conj(q_start) q.
static cd_node turn_from_start(building* w, int component)
{
    const cardan_model* m  = w->p->task->model;
    const int           at = m->rotation_q[component / 3], i = component % 3, j = (i + 1) % 3, k = (i + 2) % 3;
    const double*       b    = m->q_start + at;
    const cd_node*      q    = w->s->q + at;
    const double        f[4] = {-2 * b[1 + i], 2 * b[0], 2 * b[1 + k], -2 * b[1 + j]};
    const cd_node       x[4] = {q[0], q[1 + i], q[1 + j], q[1 + k]};
    cd_node             sum  = cd_constant(w->g, 0);
    for (int n = 0; n < 4; ++n) sum = plus(w, sum, times(w, cd_constant(w->g, f[n]), x[n]));
    return sum;
}

static void add_condition(building* w, int m, const cd_condition* c)
{
    const cd_instant* s = w->s;
    w->lower[m]         = c->lower;
    w->upper[m]         = c->upper;
    switch (c->on) {
    case CD_ON_Q:
        w->row[m] = w->p->q_of_v[c->index] >= 0 ? s->q[w->p->q_of_v[c->index]]
                                                : turn_from_start(w, -1 - w->p->q_of_v[c->index]);
        break;
    case CD_ON_V:
        w->row[m] = s->v[c->index];
        break;
    case CD_ON_A:
        w->row[m] = w->p->kept ? s->a[c->index] : s->acceleration[c->index];
        break;
    case CD_ON_VALUE:
        w->row[m] = cd_instant_formula(w->s, c->value);
        break;
    }
    w->ok = w->ok && w->row[m] >= 0;
}

static void relax_repeated(building* w, const cd_conditions* list, const double* q)
{
    bool* repeats = cd_allocate((size_t)list->count + 1, sizeof *repeats);
    w->ok         = w->ok && repeats && cd_repeated_conditions(w->p->task, &w->p->loops, q, list, repeats) == CARDAN_OK;
    for (int i = 0; w->ok && i < list->count; ++i)
        if (repeats[i]) w->lower[i] = -INFINITY, w->upper[i] = INFINITY;
    free(repeats);
}

// Conditions, and behind them the dynamics where accelerations or multipliers have unknowns of their own there.
static const cd_kind* make_conditions(building* w, const char* name, const cd_conditions* list, bool dynamics,
                                      cardan_expression cost)
{
    int m = 0;
    for (int i = 0; i < list->count; ++i) add_condition(w, m++, &list->list[i]);
    for (int i = 0; dynamics && w->p->kept && i < w->p->n; ++i, ++m) {
        w->row[m]   = w->s->residual[i];
        w->lower[m] = w->upper[m] = 0;
    }
    for (int i = 0; dynamics && i < w->p->nl; ++i, ++m) {
        w->row[m]   = w->s->closing[i];
        w->lower[m] = w->upper[m] = 0;
    }
    const cd_node objective = cost == CARDAN_NONE ? CD_NO_NODE : cd_instant_formula(w->s, cost);
    w->ok                   = w->ok && (cost == CARDAN_NONE || objective >= 0);
    return m == 0 && objective < 0 ? NULL : cd_make_kind(w, name, m, objective);
}

// Quaternions of the first state have length 1; later ones have it from there.
static void add_unit(building* w)
{
    const cardan_model* m = w->p->task->model;
    for (int r = 0; r < m->nrotation; ++r) {
        cd_node sum = cd_constant(w->g, -1);
        for (int i = 0; i < 4; ++i) {
            const cd_node q = input(w, w->s->in.q + m->rotation_q[r] + i);
            sum             = plus(w, sum, times(w, q, q));
        }
        w->row[r] = sum;
    }
    if (m->nrotation > 0) cd_add_block(w, cd_make_kind(w, "unit", m->nrotation, CD_NO_NODE), 0, false);
}

// States are no conditions of the task: they begin where the model says.
static void add_states(building* w)
{
    const cardan_plan* p = w->p;
    for (int i = 0; i < p->ns; ++i) {
        w->row[i]   = input(w, w->s->in.state + i);
        w->lower[i] = w->upper[i] = p->task->model->state_start[i];
    }
    if (p->ns > 0) cd_add_block(w, cd_make_kind(w, "states", p->ns, CD_NO_NODE), 0, true);
}

void cd_add_start(building* w)
{
    cardan_plan* p = w->p;
    cd_bind_interval(p, &w->b, 0, 0);
    cd_bind_node(p, &w->b, 0);
    if (p->a_start >= 0) cd_bind_ends(p, &w->b, p->a_start);
    p->at_start = make_conditions(w, "start", &p->task->start, p->a_start >= 0, CARDAN_NONE);
    relax_repeated(w, &p->task->start, p->q_first);
    if (p->at_start) cd_add_block(w, p->at_start, 0, true);
    add_unit(w);
    add_states(w);
}

void cd_add_last(building* w)
{
    cardan_plan* p = w->p;
    cd_bind_interval(p, &w->b, p->N - 1, 1);
    cd_bind_node(p, &w->b, p->N);
    if (p->a_end >= 0)
        cd_bind_ends(p, &w->b, p->a_end);
    else if (p->scheme.ends && (p->kept || p->nl > 0))
        cd_bind_ends(p, &w->b, cd_at_point(p, p->N - 1, p->degree - 1) + (p->kept ? p->at_a : p->at_l));
    p->at_end = make_conditions(w, "last", &p->task->end, p->a_end >= 0, p->task->cost_final);
    relax_repeated(w, &p->task->end, p->q_last);
    if (p->at_end) cd_add_block(w, p->at_end, p->N, true);
}

const cd_kind* cd_make_path(building* w)
{
    return w->p->on_path = make_conditions(w, "path", &w->p->task->path, false, CARDAN_NONE);
}

void cd_bound_path(building* w)
{
    const cd_conditions* list = &w->p->task->path;
    for (int i = 0; i < list->count; ++i) w->lower[i] = list->list[i].lower, w->upper[i] = list->list[i].upper;
}

// ---- limits

// Bounds of states at points are bounds of unknowns in the full layout, rows in the condensed one. Velocities in units
// of h are rows everywhere.
static int list_limits(building* w, bool nodes)
{
    const cardan_plan* p    = w->p;
    const cardan_task* task = p->task;
    int                m    = 0;
    for (int i = 0; i < 2 * p->n; ++i) {
        const int    c    = i % p->n;
        const double low  = i < p->n ? task->q_lower[c] : task->v_lower[c],
                     high = i < p->n ? task->q_upper[c] : task->v_upper[c];
        if ((!isfinite(low) && !isfinite(high)) || (i < p->n && p->q_of_v[c] < 0)) continue;
        if (nodes) w->row[m] = i < p->n ? w->s->q[p->q_of_v[c]] : w->s->v[c];
        w->lower[m]   = low;
        w->upper[m++] = high;
    }
    return m;
}

const cd_kind* cd_make_limits(building* w)
{
    if (w->p->full || !w->p->scheme.collocation) return NULL;
    const int m         = list_limits(w, true);
    return w->p->limits = m > 0 ? cd_make_kind(w, "limits", m, CD_NO_NODE) : NULL;
}

void cd_bound_limits(building* w) { list_limits(w, false); }

static void limit_state(cardan_plan* p, int q, int v, bool node)
{
    for (int i = 0; i < p->n; ++i) {
        const int at = node ? p->q_of_v[i] : i;
        if (p->q_of_v[i] >= 0) {
            p->program.x_lower[q + at] = p->task->q_lower[i];
            p->program.x_upper[q + at] = p->task->q_upper[i];
        }
        if (p->scaled) continue;
        p->program.x_lower[v + i] = p->task->v_lower[i];
        p->program.x_upper[v + i] = p->task->v_upper[i];
    }
}

void cd_limit_unknowns(cardan_plan* p)
{
    for (int k = 0; k <= p->N; ++k) limit_state(p, cd_at_x(p, k), cd_at_v(p, k), true);
    for (int k = 0; k < p->N; ++k) {
        for (int j = 0; p->full && j < p->degree; ++j)
            limit_state(p, cd_at_point(p, k, j) + p->at_y, cd_at_point(p, k, j) + p->at_v, false);
        for (int i = 0; i < p->nu; ++i) {
            p->program.x_lower[cd_at_u(p, k) + i] = p->task->control[i].lower;
            p->program.x_upper[cd_at_u(p, k) + i] = p->task->control[i].upper;
        }
    }
    if (p->horizon < 0) return;
    p->program.x_lower[p->horizon] = p->task->horizon_lower;
    p->program.x_upper[p->horizon] = p->task->horizon_upper;
}

// ---- what closed loops contradict

static cardan_status look_at_ends(const cardan_plan* p, const cd_block* b, const cd_conditions* list, const char* when,
                                  cardan_report* report)
{
    for (int i = 0; i < list->count; ++i) {
        const cd_condition* c   = &list->list[i];
        const double        off = fmax(c->lower - p->solved.g[b->row + i], p->solved.g[b->row + i] - c->upper);
        int                 local;
        if (isfinite(p->program.g_lower[b->row + i]) || isfinite(p->program.g_upper[b->row + i]) ||
            c->place.line == 0 || !(off > 1e-6))
            continue;
        const int j = cardan_model_joint_of_velocity(p->task->model, c->index, &local);
        return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_CONDITION_INCONSISTENT, c->place,
                           "the condition on joint '%s' at the %s contradicts closed loops and the other conditions: "
                           "it is missed by %.3g; drop it or change the others",
                           cardan_model_joint_name(p->task->model, j), when, off);
    }
    return CARDAN_OK;
}

cardan_status cd_tell_contradictions(const cardan_plan* p, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; status == CARDAN_OK && p->loops.nclosed > 0 && i < p->program.nblock; ++i) {
        const cd_block* b = &p->program.block[i];
        if (b->kind == p->at_start) status = look_at_ends(p, b, &p->task->start, "start", report);
        if (status == CARDAN_OK && b->kind == p->at_end) status = look_at_ends(p, b, &p->task->end, "end", report);
    }
    return status;
}

const cd_control* cd_unheld_control(const cardan_task* task)
{
    for (int i = 0; i < task->ncontrol; ++i) {
        const cd_control* c = &task->control[i];
        if (c->effort == 0 && c->rate == 0 && !(isfinite(c->lower) && isfinite(c->upper))) return c;
    }
    return NULL;
}

// A cost that falls without end shows as a search that does not end.
void cd_tell_unbounded(const cardan_plan* p, cardan_report* report)
{
    const cardan_model* m = p->task->model;
    const cd_control*   c = cd_unheld_control(p->task);
    int                 local;
    if (c)
        cardan_note(report, CARDAN_CODE_COST_UNBOUNDED, c->place,
                    "the effort of joint '%s' has neither two bounds nor a weight in the cost, which may have no least "
                    "value; give it bounds, or the cost a term effort or rate",
                    cardan_model_joint_name(m, cardan_model_joint_of_velocity(m, c->v, &local)));
}
