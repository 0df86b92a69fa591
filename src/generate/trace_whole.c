// SPDX-License-Identifier: BSD-3-Clause
// A whole mechanism over traced numbers: forces of the model, efforts from outside, constraint rows, and what solves
//
//   M a + J'lambda = effort + Q(q, v, t) - c(q, v),    J a = gamma
//
// Poses, forces and constraint rows are the runtime's own functions, compiled for traced numbers. Trees are solved by
// the recursions of this folder; loops by whichever formulation of the runtime leaves fewest operations, embedding as a
// rule, with pivots and rows that repeat others decided at the sample state, once for all (trace_lost.c).
#include "generate/routine.h"
#include "generate/whole.h"

#include "equation/loads.h"
#include "expression/numbers.h"
#include "force/signals.h"
#include "model/description.h"

#include <stdlib.h>
#include <string.h>

void cd_whole_layout(const cardan_model* m, bool ways, whole* w)
{
    cd_arena* arena = &w->arena;
    cd_kinematics_layout(m, arena, &w->k);
    cd_world_layout(m, arena, &w->world);
    cd_closure_layout(m, ways, arena, &w->closure);
    cd_rotors_layout(m, ways, arena, &w->rotors);
    const int nrow = w->closure.nrow + w->rotors.nrow, nblock = w->closure.nconstraint + w->rotors.nconstraint;
    CD_TAKE(arena, w->block, nblock);
    CD_TAKE(arena, w->compliance, nrow);
    CD_TAKE(arena, w->q, m->nq_all);
    CD_TAKE(arena, w->v, m->nv_all);
    CD_TAKE(arena, w->state, m->nstate);
    CD_TAKE(arena, w->effort, m->nv_all);
    CD_TAKE(arena, w->rest, m->nv);
    CD_TAKE(arena, w->gamma, nrow);
    CD_TAKE(arena, w->lambda, nrow);
    CD_TAKE(arena, w->r, m->nv);
    CD_TAKE(arena, w->a, m->nv);
    CD_TAKE(arena, w->signal, m->view.nsignal);
    CD_TAKE(arena, w->work, cd_tape_work(m->rates) + 1);
    CD_TAKE(arena, w->rates, m->nrates);
    CD_TAKE(arena, w->wrench, m->nlink);
    CD_TAKE(arena, w->open, m->nlaw);
    CD_TAKE(arena, w->type, m->view.nforce);
    w->rows = (cd_rows){
        .nrow = nrow, .nblock = nblock, .block = w->block, .compliance = w->rotors.nrow > 0 ? w->compliance : NULL};
}

void cd_whole_inputs(const cardan_model* m, whole* w)
{
    const cd_sources* in = w->t.in;
    for (int i = 0; i < m->nq_all; ++i)
        w->q[i] = i < m->nq ? traced_input(&w->t, in->q + i) : r_lift(m->q_measured[i - m->nq]);
    for (int i = 0; i < m->nv_all; ++i) {
        w->v[i]      = i < m->nv ? traced_input(&w->t, in->v + i) : r_lift(0);
        w->effort[i] = i < m->nv ? traced_input(&w->t, in->effort + i) : r_lift(0);
    }
    for (int i = 0; i < m->nv; ++i) w->rest[i] = r_lift(0);
    for (int i = 0; i < m->nstate; ++i) w->state[i] = traced_input(&w->t, in->state + i);
    w->time      = traced_input(&w->t, in->time);
    w->closure.q = w->rotors.q = w->q;
    for (int i = 0; i < m->view.nforce; ++i) w->type[i] = cd_force_type_find(m->view.force[i].type);
}

// Power of forces that have no potential, but for drivers: that of all, and what springs give off.
static real power_of(const cardan_model* m, const whole* w)
{
    real energy = r_lift(0), power = r_lift(0);
    for (int i = 0; i < m->nlink; ++i) power = r_add(power, sv_dot(w->world.velocity[i], w->wrench[i]));
    for (int i = 0; i < m->nv; ++i) power = r_add(power, r_mul(w->effort[i], w->v[i]));
    cd_laws_store(m, w->q, w->v, w->open, &energy, &power);
    for (int i = 0; i < m->view.nforce; ++i) {
        const cd_force_input input = {m, &w->world, w->rates + 3 * i};
        real                 rate  = r_lift(0);
        if (w->type[i]->store) w->type[i]->store(&m->view.force[i], &input, &energy, &rate);
        power = r_add(power, rate);
    }
    return power;
}

void cd_whole_forces(const cardan_model* m, bool running, whole* w)
{
    cd_measure_joints(m, &w->world, w->q, w->v);
    cd_laws_apply(m, w->q, w->v, running ? w->open : NULL, w->effort);
    if (m->nrates > 0) {
        const cd_signal_source source = {m, &w->world, w->time, w->q, w->v, w->state, NULL};
        for (int i = 0; i < m->view.nsignal; ++i) w->signal[i] = cd_signal_value(&source, &m->view.signal[i]);
        cd_number_tape(m->rates, w->signal, w->work, w->rates);
    }
    for (int i = 0; i < m->nlink; ++i) w->wrench[i] = sv_zero();
    cd_apply_elements(m, w->type, NULL, &w->world, w->rates, w->wrench, w->effort, NULL);
    cd_push_joints(m, &w->world, w->q, w->effort, w->wrench);
    if (running) w->power = power_of(m, w);
    cd_turn_wrenches(m, &w->world, w->wrench);
}

static void constraint_rows(const cardan_model* m, whole* w)
{
    if (w->rows.nrow == 0) return;
    const int n = w->closure.nconstraint, nrow = w->closure.nrow;
    cd_closure_time(m, w->time, &w->closure);
    cd_closure_evaluate(&w->world, &w->closure);
    cd_closure_evaluate(&w->world, &w->rotors);
    cd_closure_jacobian(m, &w->k, &w->world, &w->closure);
    cd_closure_jacobian(m, &w->k, &w->world, &w->rotors);
    cd_world_accelerations(m, &w->k, w->v, w->rest, &w->world);
    cd_closure_gamma(&w->world, &w->closure, w->gamma);
    cd_closure_gamma(&w->world, &w->rotors, w->gamma + nrow);
    for (int i = 0; i < n; ++i) w->block[i] = w->closure.block[i];
    for (int i = 0; i < w->rotors.nconstraint; ++i) {
        w->block[n + i] = w->rotors.block[i];
        w->block[n + i].row += nrow;
        w->compliance[nrow + i] = l_div(m->description->ledger, 1, w->rotors.constraint[i].parameter[0]);
    }
}

// ---- what solves: a formulation, or a tree's own recursions; kept for further right sides

// A graph that may not grow is not worth going on.
static cardan_status full(const whole* w, cardan_status status)
{
    return cd_graph_full(w->t.graph) ? CARDAN_NO_MEMORY : status;
}

static cardan_status solver_begin(const cardan_model* m, whole* w, const cd_formulation* f, bool factored, solver* s)
{
    const size_t  n      = (size_t)m->nv;
    cardan_status status = CARDAN_OK;
    cd_where      where  = {0};
    cardan_report report;
    cardan_report_clear(&report);
    *s = (solver){.f = f};
    if (!f) {
        if (!factored) return CARDAN_OK;
        s->M = cd_allocate(n * n + 1, sizeof *s->M);
        if (!s->M) return CARDAN_NO_MEMORY;
        status = cd_traced_mass(&w->t, s->M);
        if (status == CARDAN_OK) cd_traced_factor(&w->t, s->M);
        return full(w, status);
    }
    s->work = cd_allocate(1, f->work_size);
    if (!s->work) return CARDAN_NO_MEMORY;
    if (f->analyse) status = f->analyse(m, &w->rows, s->work, &report);
    if (status != CARDAN_OK) return status;
    f->layout(m, &w->rows, &s->arena, s->work);
    if (!cd_arena_reserve(&s->arena)) return CARDAN_NO_MEMORY;
    f->layout(m, &w->rows, &s->arena, s->work);
    if (f->assemble) status = full(w, f->assemble(m, &w->k, &w->rows, s->work));
    return status == CARDAN_OK ? full(w, f->factor(m, &w->k, &w->rows, s->work, &where)) : status;
}

cardan_status cd_whole_solve(const cardan_model* m, whole* w, solver* s, const real* r, const real* gamma, real* a,
                             real* lambda)
{
    cd_where where = {0};
    if (s->f) return s->f->solve(m, &w->k, &w->rows, s->work, r, gamma, a, lambda, &where);
    if (!s->M) return cd_traced_articulated(&w->t, r, a);
    for (int i = 0; i < m->nv; ++i) a[i] = r[i];
    cd_traced_solve(&w->t, s->M, a);
    return CARDAN_OK;
}

static void solver_end(solver* s)
{
    if (s->work && s->f->release) s->f->release(s->work);
    free(s->work), free(s->M);
    cd_arena_release(&s->arena);
}

bool cd_is_embedding(const cd_formulation* f) { return strcmp(f->name, "embedding") == 0; }

// Ways to solve: for trees articulated bodies and the factored mass matrix, for loops the formulations, but for those
// that iterate or whose least squares are LAPACK's; where derivatives are made of it, the one that positions judge.
static bool may_solve(const cd_formulation* f, bool derived)
{
    if (cd_is_embedding(f) || derived) return cd_is_embedding(f);
    return strcmp(f->name, "dense") != 0 && f->supports & CD_LOOPS &&
           !(f->supports & (CD_ROUGH | CD_RESIDUAL | CD_SOFTENS)) && f->tree != CARDAN_TREE_FLAT && f->factor;
}

cardan_status cd_whole_place(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, bool running, whole* w)
{
    const cardan_model* m      = s->model;
    cardan_status       status = cd_tracing_begin(&w->t, graph, s, in);
    cd_whole_layout(m, true, w);
    if (status == CARDAN_OK && !cd_arena_reserve(&w->arena)) status = CARDAN_NO_MEMORY;
    if (status != CARDAN_OK) return status;
    cd_whole_layout(m, true, w);
    cd_whole_inputs(m, w);
    cd_place(m, &w->k, w->q);
    cd_world_poses(m, &w->k, w->v, &w->world);
    cd_whole_forces(m, running, w);
    constraint_rows(m, w);
    return CARDAN_OK;
}

cardan_status cd_whole_begin(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, bool factored,
                             bool running, whole* w, solver* solve)
{
    const cardan_model*   m = s->model;
    const cd_formulation* f = cd_has_rows(m) ? cd_formulation_at(way) : NULL;
    if (f && !may_solve(f, in->derived)) return CARDAN_UNSUPPORTED;
    cardan_status status = cd_whole_place(graph, s, in, running, w);
    if (status == CARDAN_OK) status = cd_traced_inverse(&w->t, false, w->wrench, w->r);
    for (int i = 0; status == CARDAN_OK && i < m->nv; ++i) w->r[i] = r_sub(w->effort[i], w->r[i]);
    if (status == CARDAN_OK) status = solver_begin(m, w, f, factored, solve);
    if (status == CARDAN_OK) status = cd_whole_solve(m, w, solve, w->r, w->gamma, w->a, w->lambda);
    return full(w, status);
}

cardan_status cd_whole_end(whole* w, solver* solve, cardan_status status)
{
    solver_end(solve);
    cd_arena_release(&w->arena);
    cd_tracing_end(&w->t);
    return status;
}
