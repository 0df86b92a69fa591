// SPDX-License-Identifier: BSD-3-Clause
// Accelerations of the whole mechanism over traced numbers: forces of the model, efforts from outside, loops closed.
//
//   M a + J'lambda = effort + Q(q, v, t) - c(q, v),    J a = gamma
//
// Poses, forces and constraint rows are the runtime's own functions, compiled for traced numbers. Trees are solved by the recursions of
// this folder; loops by whichever formulation of the runtime leaves fewest operations, with pivots and rows that repeat others
// decided at the sample state, once for all.
#include "generate/routine.h"
#include "generate/traced.h"
#include "generate/whole.h"

#include "constraint/closure.h"
#include "constraint/measure.h"
#include "constraint/sources.h"
#include "constraint/twists.h"
#include "force/laws.h"
#include "force/signals.h"
#include "formulation/formulation.h"

#include "expression/numbers.h"

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
    w->rows = (cd_rows){.nrow = nrow, .nblock = nblock, .block = w->block, .compliance = w->rotors.nrow > 0 ? w->compliance : NULL};
}

void cd_whole_inputs(const cardan_model* m, whole* w)
{
    const cd_sources* in = w->t.in;
    for (int i = 0; i < m->nq_all; ++i) w->q[i] = i < m->nq ? traced_input(&w->t, in->q + i) : r_lift(m->q_measured[i - m->nq]);
    for (int i = 0; i < m->nv_all; ++i) {
        w->v[i]      = i < m->nv ? traced_input(&w->t, in->v + i) : r_lift(0);
        w->effort[i] = i < m->nv ? traced_input(&w->t, in->effort + i) : r_lift(0);
    }
    for (int i = 0; i < m->nv; ++i) w->rest[i] = r_lift(0);
    for (int i = 0; i < m->nstate; ++i) w->state[i] = traced_input(&w->t, in->state + i);
    w->time      = traced_input(&w->t, in->time);
    w->closure.q = w->rotors.q = w->q;
}

static void ends_of(const whole* w, const cd_joint_info* joint, cd_end end[2])
{
    end[0] = cd_end_of(&joint->frame_first, &w->world);
    end[1] = cd_end_of(&joint->frame_second, &w->world);
}

// Joints that the tree does not have: coordinates measured, efforts along them as pairs of wrenches.
static void measure(const cardan_model* m, whole* w)
{
    for (int i = 0; i < m->nmeasured; ++i) {
        const int j = m->measured[i];
        cd_end    end[2];
        ends_of(w, &m->joint[j], end);
        if (m->place[j].q >= 0) cd_measure(&m->joint[j], end, w->q + m->place[j].q, w->v + m->place[j].v);
    }
}

static void push_measured(const cardan_model* m, whole* w)
{
    cd_force_effect      effect = {w->wrench, w->effort};
    const cd_force_input input  = {m, &w->world, NULL};
    for (int i = 0; i < m->nmeasured; ++i) {
        const cd_joint_info* joint  = &m->joint[m->measured[i]];
        const cardan_slot    place  = m->place[m->measured[i]];
        bool                 active = false;
        for (int k = 0; k < place.nv; ++k) active |= !r_is(w->effort[place.v + k], 0);
        if (!active) continue;
        cd_end end[2];
        ends_of(w, joint, end);
        const cd_joint_columns c = cd_joint_columns_at(joint, end, w->q + place.q);
        const spatial          F = cd_joint_wrench(&c, w->effort + place.v);
        cd_push(&input, &effect, joint->frame_second.link, end[0].T.p, F.l, F.a);
        cd_push(&input, &effect, joint->frame_first.link, end[0].T.p, v3_neg(F.l), v3_neg(F.a));
    }
}

// Efforts and wrenches of the model; the latter in the axes of links.
void cd_whole_forces(const cardan_model* m, whole* w)
{
    measure(m, w);
    cd_laws_apply(m, w->q, w->v, NULL, w->effort);
    if (m->nrates > 0) {
        const cd_signal_source source = {m, &w->world, w->time, w->q, w->v, w->state};
        for (int i = 0; i < m->view.nsignal; ++i) w->signal[i] = cd_signal_value(&source, &m->view.signal[i]);
        cd_number_tape(m->rates, w->signal, w->work, w->rates);
    }
    cd_force_effect effect = {w->wrench, w->effort};
    for (int i = 0; i < m->nlink; ++i) w->wrench[i] = sv_zero();
    for (int i = 0; i < m->view.nforce; ++i) {
        const cd_force_input input = {m, &w->world, w->rates + 3 * i};
        cd_force_type_find(m->view.force[i].type)->apply(&m->view.force[i], &input, &effect);
    }
    push_measured(m, w);
    for (int i = 0; i < m->nlink; ++i) {
        const mat3 R = w->world.pose[i].R;
        w->wrench[i] = (spatial){m3_tmul(R, w->wrench[i].a), m3_tmul(R, w->wrench[i].l)};
    }
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
        w->compliance[nrow + i] = 1 / w->rotors.constraint[i].parameter[0];
    }
}

static cardan_status solve_rows(const cardan_model* m, const cd_formulation* f, whole* w)
{
    cd_arena      arena  = {0};
    cd_where      where  = {0};
    void*         work   = cd_allocate(1, f->work_size);
    cardan_status status = work ? CARDAN_OK : CARDAN_NO_MEMORY;
    cardan_report report;
    cardan_report_clear(&report);
    if (status == CARDAN_OK && f->analyse) status = f->analyse(m, &w->rows, work, &report);
    if (status == CARDAN_OK) {
        f->layout(m, &w->rows, &arena, work);
        if (!cd_arena_reserve(&arena)) status = CARDAN_NO_MEMORY;
    }
    if (status == CARDAN_OK) {
        f->layout(m, &w->rows, &arena, work);
        if (f->assemble) status = f->assemble(m, &w->k, &w->rows, work);
        if (status == CARDAN_OK) status = f->factor(m, &w->k, &w->rows, work, &where);
        if (status == CARDAN_OK) status = f->solve(m, &w->k, &w->rows, work, w->r, w->gamma, w->a, w->lambda, &where);
    }
    if (work && f->release) f->release(work);
    free(work);
    cd_arena_release(&arena);
    return status;
}

static cardan_status solve_tree(whole* w, bool factored)
{
    if (!factored) return cd_traced_articulated(&w->t, w->r, w->a);
    const size_t n = (size_t)w->t.s->nv;
    real*        M = cd_allocate(n * n + 1, sizeof *M);
    if (!M) return CARDAN_NO_MEMORY;
    const cardan_status status = cd_traced_mass(&w->t, M);
    for (size_t i = 0; i < n; ++i) w->a[i] = w->r[i];
    if (status == CARDAN_OK) {
        cd_traced_factor(&w->t, M);
        cd_traced_solve(&w->t, M, w->a);
    }
    free(M);
    return status;
}

// Ways to solve: for trees articulated bodies and the factored mass matrix, for loops the formulations, but for the one whose least squares are
// LAPACK's.
static bool may_solve(const cd_formulation* f)
{
    return strcmp(f->name, "dense") != 0 && f->supports & CD_LOOPS && !(f->supports & (CD_ROUGH | CD_RESIDUAL)) && f->tree != CARDAN_TREE_FLAT && f->factor;
}

cardan_status cd_motion_allows(const cardan_model* m, cardan_report* report)
{
    cd_constraint c;
    for (cd_source source = cd_source_begin(m); cd_source_next(m, &source, &c);)
        if (c.lossy)
            return cardan_fail(report, CARDAN_UNSUPPORTED, c.place, "%s '%s' loses what depends on its load: its accelerations cannot be generated", c.what, c.name);
    return CARDAN_OK;
}

int cd_motion_ways(const cardan_model* m)
{
    return cd_closure_rows(m) + cd_rotors_count(m) == 0 ? 2 : cd_formulation_rows();
}

cardan_status cd_trace_motion(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output)
{
    whole               w    = {0};
    const cardan_model* m    = s->model;
    const bool          tree = cd_closure_rows(m) + cd_rotors_count(m) == 0;
    const cd_formulation* f  = tree ? NULL : cd_formulation_at(way);
    if (f && !may_solve(f)) return CARDAN_UNSUPPORTED;
    cardan_status status = cd_tracing_begin(&w.t, graph, s, in);
    cd_whole_layout(m, true, &w);
    if (status == CARDAN_OK && !cd_arena_reserve(&w.arena)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        cd_whole_layout(m, true, &w);
        cd_whole_inputs(m, &w);
        cd_place(m, &w.k, w.q);
        cd_world_poses(m, &w.k, w.v, &w.world);
        cd_whole_forces(m, &w);
        constraint_rows(m, &w);
        status = cd_traced_inverse(&w.t, false, w.wrench, w.r);
    }
    for (int i = 0; status == CARDAN_OK && i < m->nv; ++i) w.r[i] = r_sub(w.effort[i], w.r[i]);
    if (status == CARDAN_OK) status = f ? solve_rows(m, f, &w) : solve_tree(&w, way == 1);
    if (status == CARDAN_OK && !cd_tracing_give(&w.t, m->nv, w.a, output)) status = CARDAN_NO_MEMORY;
    for (int i = 0; status == CARDAN_OK && i < m->nstate; ++i)
        if (!cd_tracing_give(&w.t, 1, &w.rates[m->nrates - m->nstate + i], output + m->nv + i)) status = CARDAN_NO_MEMORY;
    cd_arena_release(&w.arena);
    cd_tracing_end(&w.t);
    return status;
}
