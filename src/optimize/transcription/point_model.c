// SPDX-License-Identifier: BSD-3-Clause
// Trace of one time point: the dynamics form, constraint rows, signals of the description. If inputs of the mechanism
// are not inputs of blocks (orientations, scaled velocities), the trace is copied with expressions in their place.
#include "optimize/transcription/point_model.h"

#include "core/memory.h"
#include "model/description.h"
#include "model/model.h"
#include "optimize/nlp/graph_copy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cd_ocp_dynamics_form forms[] = {
#define CD_FORM(id, name, trace, substitutes, summary) {name, trace, substitutes, summary},
#include "optimize/transcription/dynamics_forms.def"
#undef CD_FORM
};

enum { FORMS = sizeof forms / sizeof *forms };

const char* cardan_dynamics_form_name(int i) { return i >= 0 && i < FORMS ? forms[i].name : NULL; }
const char* cardan_dynamics_form_summary(int i) { return i >= 0 && i < FORMS ? forms[i].summary : NULL; }

const cd_ocp_dynamics_form* cd_ocp_dynamics_form_find(const char* name)
{
    for (int i = 0; i < FORMS; ++i)
        if (strcmp(forms[i].name, name) == 0) return &forms[i];
    return NULL;
}

// ---- inputs

static void number_inputs(cd_point_model* s)
{
    const int n = s->n, degree = s->options.degree;
    const int time = s->nq + 3 * n + s->ns;
    s->in          = (cd_input_layout){.v      = s->nq,
                                       .a      = s->nq + n,
                                       .effort = s->nq + 2 * n,
                                       .state  = s->nq + 3 * n,
                                       .time   = time,
                                       .count  = time + 1 + s->nrow};
    s->lambda      = time + 1;
    int next       = s->in.count;
    s->h = next++, s->own_coefficient = next++, s->quadrature_weight = next++;
    s->other_coefficient  = next, next += degree;
    s->other_state        = next, next += degree * (2 * n + s->ns);
    s->previous_effort    = next, next += n;
    s->next_state         = next, next += s->nq + n + s->ns;
    s->rotation           = next, next += s->nrotation_component;
    s->rotation_rate      = next, next += s->nrotation_component;
    s->state_rate         = next, next += s->ns;
    s->loop_correction    = next, next += 2 * s->nrow;
    s->z                  = next, next += s->n;
    s->w                  = next, next += s->n;
    s->multipliers.sigma  = next++;
    s->multipliers.lambda = next;
    const int conditions  = s->task->start.count + s->task->end.count + s->task->path.count;
    s->ninput             = next + s->nq + 5 * n + 3 * s->ns + 3 * s->nrow + conditions;
}

// Set the trace inputs to a general position, where pivots of an explicit form do not vanish.
static bool make_sample(cd_point_model* s)
{
    const cardan_model* m    = s->task->model;
    const size_t        n    = (size_t)s->n;
    double*             step = cd_allocate(n + 1, sizeof *step);
    s->sample                = cd_allocate((size_t)s->in.count + 1, sizeof *s->sample);
    s->in.trace_input        = s->sample;
    if (!s->sample || !step) return free(step), false;
    for (int i = 0; i < s->n; ++i) {
        step[i]                     = 0.3 * sin(1.0 + 2.3 * i);
        s->sample[s->in.v + i]      = 0.5 * cos(1.7 * i);
        s->sample[s->in.a + i]      = 0.4 * sin(0.6 + i);
        s->sample[s->in.effort + i] = 0.2 * cos(0.3 + i);
    }
    cardan_model_integrate_position(m, m->q_start, step, s->sample + s->in.q);
    for (int i = 0; i < s->ns; ++i) s->sample[s->in.state + i] = m->state_start[i];
    for (int i = 0; i < s->nrow; ++i) s->sample[s->lambda + i] = 0.1 * cos(0.9 * i);
    free(step);
    return true;
}

// ---- trace

bool cd_ocp_dynamics_form_is_explicit(const cd_ocp_dynamics_form* form)
{
    return form->trace == CD_DYNAMICS_EXP1 || form->trace == CD_DYNAMICS_EXP2;
}

static bool is_explicit(const cd_point_model* s) { return cd_ocp_dynamics_form_is_explicit(s->options.form); }

static cardan_status trace(cd_point_model* s)
{
    cd_link_tree* link_tree = cd_link_tree_create(s->task->model);
    if (!link_tree) return CARDAN_NO_MEMORY;
    cd_link_tree_regroup(link_tree);
    cd_link_tree_choose_axes(link_tree);
    cd_traced_dynamics traced = {.form             = s->options.form->trace,
                                 .nrow             = s->nrow,
                                 .first_multiplier = s->lambda,
                                 .row              = s->options.loops->row,
                                 .dynamics         = s->dynamics,
                                 .signal           = s->signal,
                                 .state_rate       = s->state_rate_value,
                                 .position         = s->constraint_position,
                                 .velocity         = s->constraint_velocity,
                                 .acceleration     = s->constraint_acceleration};
    cardan_status      status = cd_trace_dynamics(s->graph, link_tree, &s->in, &traced);
    if (is_explicit(s)) {
        traced.form     = CD_DYNAMICS_IMPL;
        traced.dynamics = s->F;
        if (status == CARDAN_OK) status = cd_trace_dynamics(s->graph, link_tree, &s->in, &traced);
    }
    cd_link_tree_destroy(link_tree);
    return status;
}

// Compute the constraint Jacobian and the mass matrix.
static bool make_jacobians(cd_point_model* s)
{
    int* v  = cd_allocate(2 * (size_t)s->n + 1, sizeof *v);
    int* a  = v ? v + s->n : NULL;
    bool ok = v != NULL;
    for (int i = 0; ok && i < s->n; ++i) v[i] = s->in.v + i, a[i] = s->in.a + i;
    for (int r = 0; ok && r < s->options.loops->nconstraint_row; ++r)
        ok = cd_gradient(s->graph, s->constraint_velocity[r], s->n, v, s->J + r * s->n) == CARDAN_OK;
    for (int i = 0; ok && is_explicit(s) && i < s->n; ++i)
        ok = cd_gradient(s->graph, s->F[i], s->n, a, s->M + i * s->n) == CARDAN_OK;
    free(v);
    return ok;
}

// ---- inputs of the mechanism

static cd_node times(cd_graph* g, cd_node a, cd_node b) { return cd_binary(g, CD_MUL, a, b); }
static cd_node plus(cd_graph* g, cd_node a, cd_node b) { return cd_binary(g, CD_ADD, a, b); }
static cd_node minus(cd_graph* g, cd_node a, cd_node b) { return cd_binary(g, CD_SUB, a, b); }

void cd_graph_cayley_rotate(cd_graph* g, const cd_node* b, const cd_node* x, cd_node* q)
{
    const cd_node half = cd_constant(g, 0.5), one = cd_constant(g, 1);
    cd_node       y[3], sum                       = one;
    for (int i = 0; i < 3; ++i) {
        y[i] = times(g, half, x[i]);
        sum  = plus(g, sum, times(g, y[i], y[i]));
    }
    const cd_node shrink = cd_binary(g, CD_DIV, one, cd_unary(g, CD_SQRT, sum));
    const cd_node all[4] = {
        minus(g, b[0], plus(g, plus(g, times(g, b[1], y[0]), times(g, b[2], y[1])), times(g, b[3], y[2]))),
        plus(g, plus(g, b[1], times(g, b[0], y[0])), minus(g, times(g, b[2], y[2]), times(g, b[3], y[1]))),
        plus(g, plus(g, b[2], times(g, b[0], y[1])), minus(g, times(g, b[3], y[0]), times(g, b[1], y[2]))),
        plus(g, plus(g, b[3], times(g, b[0], y[2])), minus(g, times(g, b[1], y[1]), times(g, b[2], y[0])))};
    for (int i = 0; i < 4; ++i) q[i] = times(g, all[i], shrink);
}

// Rates of the Cayley parameters x for the angular velocity w.
static void cayley_rate(cd_graph* g, const cd_node* x, const cd_node* w, cd_node* rate)
{
    const cd_node half = cd_constant(g, 0.5), quarter = cd_constant(g, 0.25);
    const cd_node dot = plus(g, plus(g, times(g, x[0], w[0]), times(g, x[1], w[1])), times(g, x[2], w[2]));
    for (int i = 0; i < 3; ++i) {
        const int     j = (i + 1) % 3, k = (i + 2) % 3;
        const cd_node cross = minus(g, times(g, x[j], w[k]), times(g, x[k], w[j]));
        rate[i]             = plus(g, plus(g, w[i], times(g, half, cross)), times(g, quarter, times(g, x[i], dot)));
    }
}

static void set_state_nodes(cd_point_model* s)
{
    cd_graph*           g = s->graph;
    const cardan_model* m = s->task->model;
    for (int i = 0; i < s->nq; ++i) s->q[i] = cd_input(g, s->in.q + i);
    for (int i = 0; i < s->n; ++i) {
        s->v[i] = cd_input(g, s->in.v + i);
        s->a[i] = cd_input(g, s->in.a + i);
        if (!s->options.scaled_by_h) continue;
        const cd_node h = cd_input(g, s->h);
        s->v[i]         = cd_binary(g, CD_DIV, s->v[i], h);
        s->a[i]         = cd_binary(g, CD_DIV, s->a[i], times(g, h, h));
    }
    for (int r = 0; r < m->nquaternion; ++r) {
        cd_node x[3], base[4];
        for (int i = 0; i < 3; ++i) x[i] = cd_input(g, s->rotation + 3 * r + i);
        for (int i = 0; i < 4; ++i) base[i] = cd_input(g, s->in.q + m->quaternion_q[r] + i);
        cd_node length = cd_constant(g, 0);
        for (int i = 0; i < 4; ++i) length = plus(g, length, times(g, base[i], base[i]));
        length = cd_unary(g, CD_SQRT, length);
        for (int i = 0; i < 4; ++i)
            base[i] = cd_binary(g, CD_DIV, base[i], length); // during the search its norm is only approximately 1
        cd_graph_cayley_rotate(g, base, x, s->q + m->quaternion_q[r]);
        cayley_rate(g, x, s->v + m->quaternion_v[r], s->rotation_rate_value + 3 * r);
    }
}

// Copy the trace with nodes for inputs. Accelerations are inputs z in inverse dynamics, and in rows
// if they are not unknowns.
static bool substitute_inputs(cd_point_model* s)
{
    cd_graph* traced = s->graph;
    s->graph         = cd_graph_create_traced();
    cd_node* node    = cd_allocate((size_t)s->in.count + 1, sizeof *node);
    bool     ok      = s->graph && node;
    if (ok) set_state_nodes(s);
    for (int i = 0; ok && i < s->in.count; ++i) {
        const int v = i - s->in.v, a = i - s->in.a;
        node[i] = i < s->nq ? s->q[i] : v < s->n ? s->v[v] : a < s->n ? s->a[a] : cd_input(s->graph, i);
        if (i == s->in.time && s->options.time_in_intervals)
            node[i] = times(s->graph, node[i], cd_input(s->graph, s->h));
    }
    const int nsignal = cardan_description_get_view(s->task->description).nsignal, n = s->n;
    const struct {
        int      count;
        cd_node* list;
        bool     z;
    } all[] = {{n, s->dynamics, false},
               {nsignal, s->signal, s->options.substitutes_acceleration},
               {s->ns, s->state_rate_value, false},
               {s->nrow, s->constraint_position, false},
               {s->nrow, s->constraint_velocity, false},
               {s->options.loops->nconstraint_row * n, s->J, false},
               {s->nrow, s->constraint_acceleration, s->options.substitutes_acceleration},
               {is_explicit(s) ? n : 0, s->F, true},
               {is_explicit(s) ? n * n : 0, s->M, true}};
    for (size_t k = 0; ok && k < sizeof all / sizeof *all; ++k) {
        for (int i = 0; i < n; ++i) node[s->in.a + i] = all[k].z ? cd_input(s->graph, s->z + i) : s->a[i];
        ok = cd_graph_copy_substituted(s->graph, traced, all[k].count, all[k].list, node, all[k].list);
    }
    free(node);
    ok = ok && !cd_graph_has_failed(traced);
    cd_graph_destroy(traced);
    return ok;
}

static bool make_residual(cd_point_model* s)
{
    for (int i = 0; i < s->n; ++i) {
        if (is_explicit(s)) s->acceleration[i] = cd_input(s->graph, s->z + i);
        s->residual[i] = is_explicit(s) ? minus(s->graph, s->a[i], s->acceleration[i]) : s->dynamics[i];
        s->residual[i] = times(s->graph, cd_constant(s->graph, s->options.residual_weight[i]), s->residual[i]);
        if (s->residual[i] < 0) return false;
    }
    if (is_explicit(s)) s->implicit = (cd_implicit){s->n, s->z, s->w, s->dynamics, s->F, s->M};
    return true;
}

// ---- creation

static bool allocate_arrays(cd_point_model* s)
{
    const size_t n = (size_t)s->n, nrow = (size_t)s->nrow;
    const struct {
        cd_node** list;
        size_t    count;
    } all[] = {{&s->q, (size_t)s->nq},
               {&s->v, n},
               {&s->a, n},
               {&s->dynamics, n},
               {&s->residual, n},
               {&s->acceleration, n},
               {&s->F, n},
               {&s->M, n * n},
               {&s->signal, (size_t)cardan_description_get_view(s->task->description).nsignal},
               {&s->state_rate_value, (size_t)s->ns},
               {&s->rotation_rate_value, (size_t)s->nrotation_component},
               {&s->constraint_position, nrow},
               {&s->constraint_velocity, nrow},
               {&s->constraint_acceleration, nrow},
               {&s->J, nrow * n}};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (!(*all[i].list = cd_allocate(all[i].count + 1, sizeof(cd_node)))) return false;
    s->graph = cd_graph_create_traced();
    number_inputs(s);
    return s->graph && make_sample(s);
}

cardan_status cd_point_model_create(const cardan_task* task, const cd_point_model_options* options, cd_point_model* s,
                                    cardan_report* report)
{
    const cardan_model* m = task->model;
    *s                    = (cd_point_model){.task                = task,
                                             .options             = *options,
                                             .n                   = m->nv,
                                             .nq                  = m->nq,
                                             .ns                  = m->nstate,
                                             .nrotation_component = 3 * m->nquaternion,
                                             .nrow                = options->loops->nrow};
    cardan_status status  = allocate_arrays(s) ? trace(s) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK && !make_jacobians(s)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        bool ok = true;
        if (options->scaled_by_h || options->time_in_intervals || s->nrotation_component > 0 || is_explicit(s))
            ok = substitute_inputs(s);
        else
            set_state_nodes(s);
        if (!ok || !make_residual(s) || cd_graph_has_failed(s->graph)) status = CARDAN_NO_MEMORY;
    }
    if (status == CARDAN_NO_MEMORY)
        cardan_fail(report, status, CARDAN_CODE_OUT_OF_MEMORY, task->location, "out of memory");
    else if (status != CARDAN_OK)
        cardan_fail(report, status, CARDAN_CODE_TASK_UNDEFINED, task->location,
                    "form '%s' has no solution at the trace state of '%s'", options->form->name, m->view.name);
    return status;
}

void cd_point_model_release(cd_point_model* s)
{
    cd_node* const all[] = {s->q,
                            s->v,
                            s->a,
                            s->dynamics,
                            s->residual,
                            s->acceleration,
                            s->F,
                            s->M,
                            s->signal,
                            s->state_rate_value,
                            s->rotation_rate_value,
                            s->constraint_position,
                            s->constraint_velocity,
                            s->constraint_acceleration,
                            s->J};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
    free(s->sample);
    if (s->graph) cd_graph_destroy(s->graph);
}

cd_node cd_point_model_formula(cd_point_model* s, cardan_expression formula)
{
    const cd_node root   = formula;
    cd_node       result = CD_NO_NODE;
    return cd_graph_copy_substituted(s->graph, s->task->description->graph, 1, &root, s->signal, &result) ? result
                                                                                                          : CD_NO_NODE;
}
