// SPDX-License-Identifier: BSD-3-Clause
// Traces one instant: the form of the dynamics, signals of the description, formulas of the task copied over them.
#include "optimize/stage.h"

#include "core/memory.h"
#include "expression/inside.h"
#include "model/description.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cd_optimize_form forms[] = {
#define CD_FORM(id, name, trace, substitutes, summary) {name, trace, substitutes, summary},
#include "optimize/forms.def"
#undef CD_FORM
};

enum { FORMS = sizeof forms / sizeof *forms };

const cd_optimize_form* cd_optimize_form_at(int i) { return i >= 0 && i < FORMS ? &forms[i] : NULL; }

const cd_optimize_form* cd_optimize_form_find(const char* name)
{
    for (int i = 0; i < FORMS; ++i)
        if (strcmp(forms[i].name, name) == 0) return &forms[i];
    return NULL;
}

// q, v, a, effort, state, time as the generator numbers them, then what blocks need.
static bool number_inputs(cd_instant* s, int degree)
{
    const cardan_model* m = s->task->model;
    const int           n = s->n;
    s->in                 = (cd_sources){0, n, 2 * n, 3 * n, 4 * n, 4 * n + m->nstate, 4 * n + m->nstate + 1, NULL};
    int next              = s->in.count;
    s->h = next++, s->own = next++, s->weight = next++;
    s->others = next, next += degree;
    s->other = next, next += degree * 2 * n;
    s->before = next, next += n;
    s->next = next, next += 2 * n;
    s->multipliers.sigma = next++;
    s->multipliers.lambda = next;
    const int conditions  = s->task->start.count + s->task->end.count + s->task->path.count;
    s->ninput             = next + 4 * n + conditions;
    s->sample             = cd_allocate((size_t)s->in.count + 1, sizeof *s->sample);
    if (!s->sample) return false;
    s->in.sample = s->sample;
    // in general position: pivots of an explicit form must not vanish there
    for (int i = 0; i < n; ++i) {
        s->sample[s->in.q + i]      = m->q_start[i] + 0.3 * sin(1.0 + 2.3 * i);
        s->sample[s->in.v + i]      = 0.5 * cos(1.7 * i);
        s->sample[s->in.a + i]      = 0.4 * sin(0.6 + i);
        s->sample[s->in.effort + i] = 0.2 * cos(0.3 + i);
    }
    return true;
}

static cardan_status trace(cd_instant* s)
{
    cd_skeleton* skeleton = cd_skeleton_create(s->task->model);
    if (!skeleton) return CARDAN_NO_MEMORY;
    cd_skeleton_regroup(skeleton);
    cd_skeleton_choose_axes(skeleton);
    const cardan_status status = cd_trace_stage(s->graph, skeleton, &s->in, s->form.trace, s->dynamics, s->signal);
    cd_skeleton_destroy(skeleton);
    return status;
}

static bool make_rows(cd_instant* s)
{
    const bool explicit = s->form.trace == CD_STAGE_EXP1 || s->form.trace == CD_STAGE_EXP2;
    for (int i = 0; i < s->n; ++i) {
        s->residual[i] = explicit ? cd_binary(s->graph, CD_SUB, cd_input(s->graph, s->in.a + i), s->dynamics[i]) : s->dynamics[i];
        if (s->residual[i] < 0) return false;
    }
    s->acceleration = explicit ? s->dynamics : NULL;
    return true;
}

cardan_status cd_instant_create(const cardan_task* task, const cd_optimize_form* form, int degree, cd_instant* s, cardan_report* report)
{
    const int n       = task->model->nv;
    *s                = (cd_instant){.task = task, .form = *form, .n = n};
    const int nsignal = cardan_description_view(task->description).nsignal;
    s->graph          = cd_graph_create_traced();
    s->dynamics       = cd_allocate((size_t)n + 1, sizeof *s->dynamics);
    s->residual       = cd_allocate((size_t)n + 1, sizeof *s->residual);
    s->signal         = cd_allocate((size_t)nsignal + 1, sizeof *s->signal);
    const bool    ok     = s->graph && s->dynamics && s->residual && s->signal && number_inputs(s, degree);
    cardan_status status = ok ? trace(s) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK && !make_rows(s)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_NO_MEMORY) cardan_fail(report, status, task->place, "out of memory");
    else if (status != CARDAN_OK) cardan_fail(report, status, task->place, "form '%s' has no solution at the sample state of '%s'", form->name, task->model->view.name);
    return status;
}

void cd_instant_release(cd_instant* s)
{
    free(s->dynamics);
    free(s->residual);
    free(s->signal);
    free(s->sample);
    cd_graph_destroy(s->graph);
}

// One node of the description over copies of its operands.
static cd_node copy_node(cd_instant* s, const cd_graph* from, const cd_reached* at, const cd_node* copy)
{
    const cd_node      node      = at->node;
    const cd_operation operation = cd_node_operation(from, node);
    if (operation == CD_CONSTANT) return cd_constant(s->graph, cd_node_value(from, node));
    if (operation == CD_INPUT) return s->signal[cd_node_index(from, node)];
    if (operation == CD_TABLE) {
        const int table = cd_graph_borrow_table(s->graph, from, cd_node_index(from, node));
        return table < 0 ? CD_NO_NODE : cd_lookup(s->graph, table, copy[at->operand[0]], cd_item_at(from, node)->derivative);
    }
    if (operation == CD_IF) return cd_if(s->graph, copy[at->operand[0]], copy[at->operand[1]], copy[at->operand[2]]);
    if (cd_operation_operands(operation) == 1) return cd_unary(s->graph, operation, copy[at->operand[0]]);
    return cd_binary(s->graph, operation, copy[at->operand[0]], copy[at->operand[1]]);
}

cd_node cd_instant_formula(cd_instant* s, cardan_expression formula)
{
    const cd_graph* from = s->task->description->graph;
    const cd_node   root = formula;
    cd_reach        reach;
    if (!cd_reach_collect(&reach, from, 1, &root)) return CD_NO_NODE;
    cd_node* copy   = cd_allocate((size_t)reach.count + 1, sizeof *copy);
    cd_node  result = CD_NO_NODE;
    for (int i = 0; copy && i < reach.count; ++i) {
        copy[i] = copy_node(s, from, &reach.list[i], copy);
        if (copy[i] < 0) break;
        if (i == reach.count - 1) result = copy[i];
    }
    free(copy);
    cd_reach_release(&reach);
    return result;
}
