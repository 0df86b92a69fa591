// SPDX-License-Identifier: BSD-3-Clause
// Conditions at the start, at the end and on the path, and limits of states. Conditions that are redundant to closed
// loops remain as rows without bounds: with bounds the constraint Jacobian of the NLP would be rank-deficient.
#include "optimize/transcription/transcription_builder.h"

#include "core/memory.h"
#include "model/model.h"
#include "optimize/optimize_tolerances.h"

#include <math.h>
#include <stdlib.h>

// Component of the rotation of a joint from the start, 2 sin(angle/2) along its axis: twice the vector
// part of conj(q_start) q.
static cd_node rotation_from_start(transcription_builder* w, int component)
{
    const cardan_model* m  = w->ocp->task->model;
    const int           at = m->quaternion_q[component / 3], i = component % 3, j = (i + 1) % 3, k = (i + 2) % 3;
    const double*       b    = m->q_start + at;
    const cd_node*      q    = w->model->q + at;
    const double        f[4] = {-2 * b[1 + i], 2 * b[0], 2 * b[1 + k], -2 * b[1 + j]};
    const cd_node       x[4] = {q[0], q[1 + i], q[1 + j], q[1 + k]};
    cd_node             sum  = cd_constant(w->graph, 0);
    for (int n = 0; n < 4; ++n) sum = plus(w, sum, times(w, cd_constant(w->graph, f[n]), x[n]));
    return sum;
}

static void add_condition(transcription_builder* w, int m, const cd_condition* c)
{
    const cd_point_model* s = w->model;
    w->lower[m]             = c->lower;
    w->upper[m]             = c->upper;
    switch (c->kind) {
    case CD_CONDITION_Q:
        w->row[m] = w->ocp->q_of_v[c->velocity_index] >= 0
                        ? s->q[w->ocp->q_of_v[c->velocity_index]]
                        : rotation_from_start(w, -1 - w->ocp->q_of_v[c->velocity_index]);
        break;
    case CD_CONDITION_V:
        w->row[m] = s->v[c->velocity_index];
        break;
    case CD_CONDITION_A:
        w->row[m] = w->ocp->has_acceleration_unknowns ? s->a[c->velocity_index] : s->acceleration[c->velocity_index];
        break;
    case CD_CONDITION_EXPRESSION:
        w->row[m] = cd_point_model_formula(w->model, c->expression);
        break;
    }
    w->ok = w->ok && w->row[m] >= 0;
}

static void relax_redundant(transcription_builder* w, const cd_conditions* list, const double* q)
{
    bool* redundant = cd_allocate((size_t)list->count + 1, sizeof *redundant);
    w->ok =
        w->ok && redundant && cd_redundant_conditions(w->ocp->task, &w->ocp->loops, q, list, redundant) == CARDAN_OK;
    for (int i = 0; w->ok && i < list->count; ++i)
        if (redundant[i]) w->lower[i] = -INFINITY, w->upper[i] = INFINITY;
    free(redundant);
}

// Create the function of a list of conditions, followed by the dynamics if accelerations or multipliers have
// unknowns of their own there.
static const cd_block_function* make_conditions(transcription_builder* w, const char* name, const cd_conditions* list,
                                                bool dynamics, cardan_expression cost)
{
    int m = 0;
    for (int i = 0; i < list->count; ++i) add_condition(w, m++, &list->list[i]);
    for (int i = 0; dynamics && w->ocp->has_acceleration_unknowns && i < w->ocp->n; ++i, ++m) {
        w->row[m]   = w->model->residual[i];
        w->lower[m] = w->upper[m] = 0;
    }
    for (int i = 0; dynamics && i < w->ocp->nl; ++i, ++m) {
        w->row[m]   = w->model->constraint_acceleration[i];
        w->lower[m] = w->upper[m] = 0;
    }
    const cd_node objective = cost == CARDAN_NONE ? CD_NO_NODE : cd_point_model_formula(w->model, cost);
    w->ok                   = w->ok && (cost == CARDAN_NONE || objective >= 0);
    return m == 0 && objective < 0 ? NULL : cd_builder_add_function(w, name, m, objective);
}

// Require unit norm of the quaternions of the first state; the transcription preserves it.
static void add_unit_quaternions(transcription_builder* w)
{
    const cardan_model* m = w->ocp->task->model;
    for (int r = 0; r < m->nquaternion; ++r) {
        cd_node sum = cd_constant(w->graph, -1);
        for (int i = 0; i < 4; ++i) {
            const cd_node q = input(w, w->model->in.q + m->quaternion_q[r] + i);
            sum             = plus(w, sum, times(w, q, q));
        }
        w->row[r] = sum;
    }
    if (m->nquaternion > 0)
        cd_builder_add_block(w, cd_builder_add_function(w, "unit", m->nquaternion, CD_NO_NODE), 0, false);
}

// Require the initial user states of the model; the task has no conditions on them.
static void add_initial_states(transcription_builder* w)
{
    const cardan_ocp* p = w->ocp;
    for (int i = 0; i < p->ns; ++i) {
        w->row[i]   = input(w, w->model->in.state + i);
        w->lower[i] = w->upper[i] = p->task->model->state_start[i];
    }
    if (p->ns > 0) cd_builder_add_block(w, cd_builder_add_function(w, "states", p->ns, CD_NO_NODE), 0, true);
}

void cd_add_start_conditions(transcription_builder* w)
{
    cardan_ocp* p = w->ocp;
    cd_bind_interval(p, &w->binding, 0, 0);
    cd_bind_interval_start(p, &w->binding, 0);
    if (p->first_start_acceleration >= 0) cd_bind_accelerations(p, &w->binding, p->first_start_acceleration);
    p->start_function = make_conditions(w, "start", &p->task->start, p->first_start_acceleration >= 0, CARDAN_NONE);
    relax_redundant(w, &p->task->start, p->q_first);
    if (p->start_function) cd_builder_add_block(w, p->start_function, 0, true);
    add_unit_quaternions(w);
    add_initial_states(w);
}

void cd_add_end_conditions(transcription_builder* w)
{
    cardan_ocp* p = w->ocp;
    cd_bind_interval(p, &w->binding, p->N - 1, 1);
    cd_bind_interval_start(p, &w->binding, p->N);
    if (p->first_end_acceleration >= 0)
        cd_bind_accelerations(p, &w->binding, p->first_end_acceleration);
    else if (p->scheme.includes_end && (p->has_acceleration_unknowns || p->nl > 0))
        cd_bind_accelerations(p, &w->binding,
                              cd_ocp_offset_point(p, p->N - 1, p->degree - 1) +
                                  (p->has_acceleration_unknowns ? p->offset_a : p->offset_lambda));
    p->end_function = make_conditions(w, "last", &p->task->end, p->first_end_acceleration >= 0, p->task->cost_final);
    relax_redundant(w, &p->task->end, p->q_last);
    if (p->end_function) cd_builder_add_block(w, p->end_function, p->N, true);
}

const cd_block_function* cd_make_path_conditions(transcription_builder* w)
{
    return w->ocp->path_function = make_conditions(w, "path", &w->ocp->task->path, false, CARDAN_NONE);
}

void cd_set_path_bounds(transcription_builder* w)
{
    const cd_conditions* list = &w->ocp->task->path;
    for (int i = 0; i < list->count; ++i) w->lower[i] = list->list[i].lower, w->upper[i] = list->list[i].upper;
}

// ---- limits

// List the state limits. At points they are bounds of unknowns in the full layout, rows in the condensed layout.
// Velocities scaled by h are limited by rows everywhere. Returns their number.
static int list_limits(transcription_builder* w, bool nodes)
{
    const cardan_ocp*  p    = w->ocp;
    const cardan_task* task = p->task;
    int                m    = 0;
    for (int i = 0; i < 2 * p->n; ++i) {
        const int    c    = i % p->n;
        const double low  = i < p->n ? task->q_lower[c] : task->v_lower[c],
                     high = i < p->n ? task->q_upper[c] : task->v_upper[c];
        if ((!isfinite(low) && !isfinite(high)) || (i < p->n && p->q_of_v[c] < 0)) continue;
        if (nodes) w->row[m] = i < p->n ? w->model->q[p->q_of_v[c]] : w->model->v[c];
        w->lower[m]   = low;
        w->upper[m++] = high;
    }
    return m;
}

const cd_block_function* cd_make_state_limits(transcription_builder* w)
{
    if (w->ocp->full_layout || !w->ocp->scheme.collocation) return NULL;
    const int m                    = list_limits(w, true);
    return w->ocp->limits_function = m > 0 ? cd_builder_add_function(w, "limits", m, CD_NO_NODE) : NULL;
}

void cd_set_state_limit_bounds(transcription_builder* w) { list_limits(w, false); }

static void limit_state(cardan_ocp* p, int q, int v, bool node)
{
    for (int i = 0; i < p->n; ++i) {
        const int at = node ? p->q_of_v[i] : i;
        if (p->q_of_v[i] >= 0) {
            p->nlp.x_lower[q + at] = p->task->q_lower[i];
            p->nlp.x_upper[q + at] = p->task->q_upper[i];
        }
        if (p->scaled_by_h) continue;
        p->nlp.x_lower[v + i] = p->task->v_lower[i];
        p->nlp.x_upper[v + i] = p->task->v_upper[i];
    }
}

void cd_set_unknown_bounds(cardan_ocp* p)
{
    for (int k = 0; k <= p->N; ++k) limit_state(p, cd_ocp_offset_x(p, k), cd_ocp_offset_v(p, k), true);
    for (int k = 0; k < p->N; ++k) {
        for (int j = 0; p->full_layout && j < p->degree; ++j)
            limit_state(p, cd_ocp_offset_point(p, k, j) + p->offset_y, cd_ocp_offset_point(p, k, j) + p->offset_v,
                        false);
        for (int i = 0; i < p->nu; ++i) {
            p->nlp.x_lower[cd_ocp_offset_u(p, k) + i] = p->task->control[i].lower;
            p->nlp.x_upper[cd_ocp_offset_u(p, k) + i] = p->task->control[i].upper;
        }
    }
    if (p->horizon < 0) return;
    p->nlp.x_lower[p->horizon] = p->task->horizon_lower;
    p->nlp.x_upper[p->horizon] = p->task->horizon_upper;
}

// ---- contradictions with closed loops

static cardan_status check_end_conditions(const cardan_ocp* p, const cd_nlp_block* b, const cd_conditions* list,
                                          const char* when, cardan_report* report)
{
    for (int i = 0; i < list->count; ++i) {
        const cd_condition* c = &list->list[i];
        const double        violation =
            fmax(c->lower - p->solution.g[b->first_row + i], p->solution.g[b->first_row + i] - c->upper);
        int local;
        if (isfinite(p->nlp.g_lower[b->first_row + i]) || isfinite(p->nlp.g_upper[b->first_row + i]) ||
            c->location.line == 0 || !(violation > cd_feasibility_tolerance))
            continue;
        const int j = cardan_model_joint_of_velocity(p->task->model, c->velocity_index, &local);
        return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_CONDITION_INCONSISTENT, c->location,
                           "the condition on joint '%s' at the %s contradicts closed loops and the other conditions: "
                           "it is violated by %.3g; remove it or change the others",
                           cardan_model_joint_name(p->task->model, j), when, violation);
    }
    return CARDAN_OK;
}

cardan_status cd_ocp_check_contradictions(const cardan_ocp* p, cardan_report* report)
{
    cardan_status status = CARDAN_OK;
    for (int i = 0; status == CARDAN_OK && p->loops.nconstraint_row > 0 && i < p->nlp.nblock; ++i) {
        const cd_nlp_block* b = &p->nlp.block[i];
        if (b->function == p->start_function) status = check_end_conditions(p, b, &p->task->start, "start", report);
        if (status == CARDAN_OK && b->function == p->end_function)
            status = check_end_conditions(p, b, &p->task->end, "end", report);
    }
    return status;
}

const cd_control* cd_task_find_unbounded_control(const cardan_task* task)
{
    for (int i = 0; i < task->ncontrol; ++i) {
        const cd_control* c = &task->control[i];
        if (c->effort_weight == 0 && c->rate_weight == 0 && !(isfinite(c->lower) && isfinite(c->upper))) return c;
    }
    return NULL;
}

// A cost without minimum appears as a solve that does not converge.
void cd_ocp_note_unbounded_control(const cardan_ocp* p, cardan_report* report)
{
    const cardan_model* m = p->task->model;
    const cd_control*   c = cd_task_find_unbounded_control(p->task);
    int                 local;
    if (c)
        cardan_note(report, CARDAN_CODE_COST_UNBOUNDED, c->location,
                    "the effort of joint '%s' has neither two bounds nor a weight in the cost, so the cost may have no "
                    "minimum; add bounds, or a term effort or rate",
                    cardan_model_joint_name(m, cardan_model_joint_of_velocity(m, c->velocity_index, &local)));
}
