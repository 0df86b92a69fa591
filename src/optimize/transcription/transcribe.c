// SPDX-License-Identifier: BSD-3-Clause
// Transcription of a task to a block NLP: functions of one point become blocks of the intervals. Paper 003,
// section 2.2 and Table 3.
//
//   points       h f(X_j, u_k, Z_j) - (derivative of the interpolating polynomial at point j) = 0     full layout
//                residual of the dynamics = 0                            unless accelerations are substituted
//                J a - gamma = 0                                         constraints
//   ends         state at the end of interval k - x_(k+1) = 0, corrected along J' with constraints
//   closed       constraints at position and velocity level, at x_0 ... x_N
//   conditions   at the start, at the end, on the path
#include "optimize/transcription/transcription_builder.h"

#include "core/memory.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

static void mark(transcription_builder* w, int first, int count)
{
    for (int i = 0; i < count; ++i) w->unknown[first + i] = true;
}

static void mark_unknowns(transcription_builder* w)
{
    const cardan_ocp*     p = w->ocp;
    const cd_point_model* s = w->model;
    mark(w, s->in.q, p->nq + 2 * p->n);
    for (int i = 0; i < p->nu; ++i)
        w->unknown[s->in.effort + p->task->control[i].velocity_index] =
            w->unknown[s->previous_effort + p->task->control[i].velocity_index] = true;
    mark(w, s->in.state, p->ns);
    mark(w, s->lambda, p->nl);
    mark(w, s->other_state, p->degree * (2 * p->n + p->ns));
    mark(w, s->next_state, p->nx);
    mark(w, s->rotation, s->nrotation_component);
    mark(w, s->rotation_rate, s->nrotation_component);
    mark(w, s->state_rate, p->ns);
    mark(w, s->loop_correction, 2 * p->nl);
    w->unknown[s->h] = p->horizon >= 0;
}

// ---- points

// h rate - own x - sum of others
static cd_node derivative_row(transcription_builder* w, cd_node x, cd_node rate, int component)
{
    const cd_point_model* s          = w->model;
    const int             state_size = 2 * w->ocp->n + w->ocp->ns;
    cd_node               sum = minus(w, times(w, input(w, s->h), rate), times(w, input(w, s->own_coefficient), x));
    for (int r = 0; r < w->ocp->degree; ++r)
        sum =
            minus(w, sum,
                  times(w, input(w, s->other_coefficient + r), input(w, s->other_state + r * state_size + component)));
    return sum;
}

static int full_layout_rows(transcription_builder* w)
{
    const cardan_ocp*     p = w->ocp;
    const cd_point_model* s = w->model;
    const int             n = p->n;
    int                   m = 0;
    for (int i = 0; i < n; ++i) {
        const int c = p->q_of_v[i];
        w->row[m++] = c >= 0 ? derivative_row(w, input(w, s->in.q + c), s->v[i], i)
                             : derivative_row(w, input(w, s->rotation - 1 - c), s->rotation_rate_value[-1 - c], i);
    }
    for (int i = 0; i < n; ++i)
        w->row[m++] = derivative_row(w, input(w, s->in.v + i),
                                     p->has_acceleration_unknowns ? input(w, s->in.a + i) : s->acceleration[i], n + i);
    for (int i = 0; i < p->ns; ++i)
        w->row[m++] = derivative_row(w, input(w, s->in.state + i), s->state_rate_value[i], 2 * n + i);
    return m;
}

// Rows of rates that are unknowns, scaled by h if `scaled_by_h`.
static int rate_rows(transcription_builder* w)
{
    const cd_point_model* s    = w->model;
    const cd_node         unit = w->ocp->scaled_by_h ? input(w, s->h) : cd_constant(w->graph, 1);
    int                   m    = 0;
    for (int i = 0; i < s->nrotation_component; ++i)
        w->row[m++] = minus(w, input(w, s->rotation_rate + i), times(w, unit, s->rotation_rate_value[i]));
    for (int i = 0; i < w->ocp->ns; ++i)
        w->row[m++] = minus(w, input(w, s->state_rate + i), times(w, unit, s->state_rate_value[i]));
    return m;
}

static const cd_block_function* make_point(transcription_builder* w)
{
    const cardan_ocp* p = w->ocp;
    int               m = p->full_layout ? full_layout_rows(w) : rate_rows(w);
    for (int i = 0; p->has_acceleration_unknowns && i < p->n; ++i) w->row[m++] = w->model->residual[i];
    for (int i = 0; i < p->nl; ++i) w->row[m++] = w->model->constraint_acceleration[i];
    return cd_builder_add_function(w, "dynamics", m, CD_NO_NODE);
}

static void bind_other(transcription_builder* w, int input, int unknown)
{
    if (unknown >= 0)
        cd_bind_unknown(&w->binding, input, unknown, 1);
    else
        cd_bind_value(&w->binding, input, 0);
}

// Bind the other states of the interpolating polynomial: beginning of the interval and the other points.
static void bind_others(transcription_builder* w, int k, int j)
{
    const cardan_ocp*     p = w->ocp;
    const cd_point_model* s = w->model;
    const int             n = p->n, state_size = 2 * n + p->ns;
    if (!p->full_layout) return;
    cd_bind_value(&w->binding, s->own_coefficient, p->scheme.C[j + 1][j + 1]);
    for (int r = 0, nother = 0; r <= p->degree; ++r) {
        if (r == j + 1) continue;
        const int at = r == 0 ? 0 : cd_ocp_offset_point(p, k, r - 1), to = s->other_state + nother * state_size;
        cd_bind_value(&w->binding, s->other_coefficient + nother, p->scheme.C[r][j + 1]);
        for (int i = 0; i < n; ++i)
            bind_other(w, to + i,
                       r > 0               ? at + p->offset_y + i
                       : p->q_of_v[i] >= 0 ? cd_ocp_offset_x(p, k) + p->q_of_v[i]
                                           : -1);
        for (int i = 0; i < n; ++i) bind_other(w, to + n + i, r > 0 ? at + p->offset_v + i : cd_ocp_offset_v(p, k) + i);
        for (int i = 0; i < p->ns; ++i)
            bind_other(w, to + 2 * n + i, r > 0 ? at + p->offset_s + i : cd_ocp_offset_v(p, k) + n + i);
        ++nother;
    }
}

// ---- ends

// Component i of J'p, for positions or velocities.
static cd_node loop_correction(transcription_builder* w, int i, bool positions)
{
    const cd_loop_constraints* l   = &w->ocp->loops;
    cd_node                    sum = cd_constant(w->graph, 0);
    for (int r = 0; r < l->nconstraint_row; ++r)
        if (!positions || l->has_position[r])
            sum = plus(w, sum,
                       times(w, w->model->J[r * w->ocp->n + i],
                             input(w, w->model->loop_correction + (positions ? 0 : w->ocp->nl) + r)));
    return sum;
}

static const cd_block_function* make_end(transcription_builder* w)
{
    const cardan_ocp*     p = w->ocp;
    const cd_point_model* s = w->model;
    const cardan_model*   m = p->task->model;
    for (int i = 0; i < p->n; ++i) {
        const int c = p->q_of_v[i];
        if (c >= 0)
            w->row[c] =
                minus(w, plus(w, input(w, s->in.q + c), loop_correction(w, i, true)), input(w, s->next_state + c));
        w->row[p->nq + i] =
            minus(w, plus(w, input(w, s->in.v + i), loop_correction(w, i, false)), input(w, s->next_state + p->nq + i));
    }
    for (int r = 0; r < m->nquaternion; ++r) {
        cd_node base[4], x[3];
        for (int i = 0; i < 4; ++i) base[i] = input(w, s->in.q + m->quaternion_q[r] + i);
        for (int i = 0; i < 3; ++i)
            x[i] = plus(w, input(w, s->rotation + 3 * r + i), loop_correction(w, m->quaternion_v[r] + i, true));
        cd_graph_cayley_rotate(w->graph, base, x, w->row + m->quaternion_q[r]);
        for (int i = 0; i < 4; ++i)
            w->row[m->quaternion_q[r] + i] =
                minus(w, w->row[m->quaternion_q[r] + i], input(w, s->next_state + m->quaternion_q[r] + i));
    }
    for (int i = 0; i < p->ns; ++i)
        w->row[p->nq + p->n + i] = minus(w, input(w, s->in.state + i), input(w, s->next_state + p->nq + p->n + i));
    return cd_builder_add_function(w, "end", p->nx, CD_NO_NODE);
}

static void add_end(transcription_builder* w, const cd_block_function* function, int k)
{
    const cardan_ocp* p  = w->ocp;
    int               at = cd_ocp_offset_loop_correction(p, k);
    cd_bind_interval_end(p, &w->binding, k);
    for (int i = 0; i < p->nx; ++i)
        cd_bind_unknown(&w->binding, w->model->next_state + i, cd_ocp_offset_x(p, k + 1) + i, 1);
    for (int r = 0; r < p->loops.nconstraint_row; ++r)
        if (p->loops.has_position[r]) cd_bind_unknown(&w->binding, w->model->loop_correction + r, at++, 1);
    for (int r = 0; r < p->loops.nconstraint_row; ++r)
        cd_bind_unknown(&w->binding, w->model->loop_correction + p->nl + r, at++, 1);
    cd_builder_add_block(w, function, k, false);
}

static const cd_block_function* make_loop_constraints(transcription_builder* w)
{
    const cd_loop_constraints* l = &w->ocp->loops;
    int                        m = 0;
    for (int r = 0; r < l->nconstraint_row; ++r)
        if (l->has_position[r]) w->row[m++] = w->model->constraint_position[r];
    for (int r = 0; r < l->nconstraint_row; ++r) w->row[m++] = w->model->constraint_velocity[r];
    return m > 0 ? cd_builder_add_function(w, "closed", m, CD_NO_NODE) : NULL;
}

// ---- intervals

typedef struct interval_functions {
    const cd_block_function *point, *end, *loop_constraints, *limits, *path, *effort, *rate, *integral;
} interval_functions;

static void add_path(transcription_builder* w, const interval_functions* functions, int k)
{
    if (!functions->path) return;
    cd_set_path_bounds(w);
    cd_builder_add_block(w, functions->path, k, true);
}

static void add_limits(transcription_builder* w, const interval_functions* functions, int k)
{
    if (!functions->limits) return;
    cd_set_state_limit_bounds(w);
    cd_builder_add_block(w, functions->limits, k, true);
}

static void add_point(transcription_builder* w, const interval_functions* functions, int k, int j)
{
    cardan_ocp* p               = w->ocp;
    const bool  is_interval_end = p->scheme.includes_end && j == p->degree - 1; // has its own unknowns
    cd_bind_interval(p, &w->binding, k, p->scheme.c[j]);
    cd_bind_point(p, &w->binding, k, j);
    bind_others(w, k, j);
    cd_bind_value(&w->binding, w->model->quadrature_weight, p->scheme.b[j]);
    cd_builder_add_block(w, functions->point, k, false);
    if (!is_interval_end || p->scaled_by_h) add_limits(w, functions, k);
    if (functions->integral) cd_builder_add_block(w, functions->integral, k, false);
    if (p->scheme.collocation) add_path(w, functions, k);
}

static void add_interval(transcription_builder* w, const interval_functions* functions, int k)
{
    cardan_ocp* p    = w->ocp;
    w->binding.nterm = 0;
    for (int j = 0; j < p->degree; ++j) add_point(w, functions, k, j);
    add_end(w, functions->end, k);
    cd_bind_interval(p, &w->binding, k, 1);
    cd_bind_interval_start(p, &w->binding, k + 1);
    if (functions->loop_constraints) cd_builder_add_block(w, functions->loop_constraints, k, false);
    if (!p->scheme.includes_end) add_path(w, functions, k);
    if (!p->scheme.includes_end && p->scaled_by_h) add_limits(w, functions, k);
    if (functions->effort) cd_builder_add_block(w, functions->effort, k, false);
    for (int i = 0; k > 0 && i < p->nu; ++i)
        cd_bind_unknown(&w->binding, w->model->previous_effort + p->task->control[i].velocity_index,
                        cd_ocp_offset_u(p, k - 1) + i, 1);
    if (functions->rate && k > 0) cd_builder_add_block(w, functions->rate, k, false);
}

static void build(transcription_builder* w)
{
    cardan_ocp* p = w->ocp;
    mark_unknowns(w);
    const interval_functions functions = {make_point(w),
                                          make_end(w),
                                          make_loop_constraints(w),
                                          cd_make_state_limits(w),
                                          cd_make_path_conditions(w),
                                          cd_make_effort_cost(w),
                                          cd_make_effort_rate_cost(w),
                                          p->integral_function = cd_make_integral_cost(w)};
    cd_add_start_conditions(w);
    if (functions.loop_constraints) cd_builder_add_block(w, functions.loop_constraints, 0, false);
    for (int k = 0; w->ok && k < p->N; ++k) add_interval(w, &functions, k);
    w->binding.nterm = 0;
    cd_add_end_conditions(w);
    cd_set_unknown_bounds(p);
    w->ok = w->ok && cd_block_nlp_end(&p->nlp);
}

cardan_status cd_ocp_transcribe(cardan_ocp* p, cardan_report* report)
{
    transcription_builder w    = {.ocp = p, .model = &p->point_model, .graph = p->point_model.graph, .ok = true};
    const int             ends = (p->has_acceleration_unknowns ? p->n : 0) + p->nl;
    const int             n    = p->N * p->stride + p->nx + (p->first_start_acceleration >= 0 ? ends : 0) +
                  (p->first_end_acceleration >= 0 ? ends : 0) + (p->horizon >= 0 ? 1 : 0);
    const int max_rows =
        p->nq + 5 * p->n + 3 * p->ns + 3 * p->nl + p->task->start.count + p->task->end.count + p->task->path.count + 1;
    w.unknown = cd_allocate((size_t)p->point_model.ninput + 1, sizeof *w.unknown);
    w.row     = cd_allocate((size_t)max_rows, sizeof *w.row);
    w.lower   = cd_allocate((size_t)max_rows, sizeof *w.lower);
    w.upper   = cd_allocate((size_t)max_rows, sizeof *w.upper);
    w.ok      = cd_binding_create(&w.binding, p->point_model.ninput) && w.unknown && w.row && w.lower && w.upper;
    w.ok      = w.ok && cd_block_nlp_begin(&p->nlp, p->point_model.ninput, n, p->point_model.multipliers);
    if (w.ok) build(&w);
    w.ok = w.ok && !cd_graph_has_failed(w.graph);
    cd_binding_release(&w.binding);
    free(w.unknown);
    free(w.row);
    free(w.lower);
    free(w.upper);
    if (!w.ok && cd_block_nlp_is_too_large(&p->nlp))
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_MODEL_TOO_LARGE, p->task->location,
                           "the nonlinear program is too large: its derivatives have too many entries to index; use "
                           "fewer intervals than %d, or a lower degree than %d",
                           p->N, p->degree);
    return w.ok ? CARDAN_OK
                : cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, p->task->location, "out of memory");
}
