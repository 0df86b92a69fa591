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

typedef struct whole {
    tracing       t;
    cd_kinematics k;
    cd_world      world;
    cd_closure    closure, rotors;
    cd_rows       rows;
    cd_row_block* block;
    double*       compliance;
    real *        q, *v, *state, *effort, *rest, *gamma, *lambda, *r, *a, *signal, *work, *rates;
    spatial*      wrench;
    cd_stop*      open;   // stops, none of them reached
    real          time, power;
    cd_arena      arena;
} whole;

static void layout(const cardan_model* m, bool ways, whole* w)
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
    w->rows = (cd_rows){.nrow = nrow, .nblock = nblock, .block = w->block, .compliance = w->rotors.nrow > 0 ? w->compliance : NULL};
}

static void take_inputs(const cardan_model* m, whole* w)
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

// Power of forces that have no potential, but for drivers: that of all, and what springs give off.
static real power_of(const cardan_model* m, const whole* w)
{
    real energy = r_lift(0), power = r_lift(0);
    for (int i = 0; i < m->nlink; ++i) power = r_add(power, sv_dot(w->world.velocity[i], w->wrench[i]));
    for (int i = 0; i < m->nv; ++i) power = r_add(power, r_mul(w->effort[i], w->v[i]));
    cd_laws_store(m, w->q, w->v, w->open, &energy, &power);
    for (int i = 0; i < m->view.nforce; ++i) {
        const cd_force_type* type  = cd_force_type_find(m->view.force[i].type);
        const cd_force_input input = {m, &w->world, w->rates + 3 * i};
        real                 rate  = r_lift(0);
        if (type->store) type->store(&m->view.force[i], &input, &energy, &rate);
        power = r_add(power, rate);
    }
    return power;
}

// And of drivers: -lambda'(J v) of their rows.
static real driver_power(const whole* w)
{
    real power = r_lift(0);
    for (int i = 0; i < w->closure.nconstraint; ++i) {
        const cd_constraint* c = &w->closure.constraint[i];
        for (int row = 0; c->driven && row < c->nrow; ++row)
            for (int n = 0; c->driven >> row & 1 && n < c->nend; ++n)
                power = r_sub(power, r_mul(w->lambda[c->first_row + row],
                                           sv_dot(w->closure.equations[i].G[row * c->nend + n], w->world.velocity[cd_end_at(c, n)->link])));
    }
    return power;
}

// Efforts and wrenches of the model; the latter in the axes of links. `running`: stops are open, and power is wanted.
static void forces(const cardan_model* m, bool running, whole* w)
{
    measure(m, w);
    cd_laws_apply(m, w->q, w->v, running ? w->open : NULL, w->effort);
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
    if (running) w->power = power_of(m, w);
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

// What counts turns of joints that are not in the tree depends on the past.
cardan_status cd_rate_allows(const cardan_model* m, cardan_report* report)
{
    const cardan_status status = cd_motion_allows(m, report);
    if (status != CARDAN_OK) return status;
    if (m->policy == CARDAN_TREE_FLAT)
        return cardan_fail(report, CARDAN_UNSUPPORTED, cardan_nowhere(), "'%s' is compiled for flat coordinates, which are not generated", m->view.name);
    bool watched = cd_laws_push(m, true);
    for (int i = 0; i < m->view.nsignal; ++i) watched = watched || (m->view.signal[i].kind == CARDAN_SIGNAL_COORDINATE && m->place[m->view.signal[i].a].q >= m->nq);
    if (!watched) return CARDAN_OK;
    return cardan_fail(report, CARDAN_UNSUPPORTED, cardan_nowhere(), "forces of '%s' depend on joints that close loops, whose turns a run counts: that is not generated",
                       m->view.name);
}

int cd_motion_ways(const cardan_model* m)
{
    return cd_closure_rows(m) + cd_rotors_count(m) == 0 ? 2 : cd_formulation_rows();
}

// Kinetic energy, rotors included, and potential energy of gravity and springs.
static cardan_status give_energy(const cardan_model* m, whole* w, cd_node* output)
{
    real kinetic = r_lift(0), stored = r_lift(0), rate = r_lift(0);
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        const frame    T    = w->world.pose[i];
        const spatial  V    = {m3_tmul(T.R, w->world.velocity[i].a), m3_tmul(T.R, w->world.velocity[i].l)};
        const rigid    I    = {r_lift(link->m), v3_lift(link->h), s3_lift(link->I)};
        kinetic             = r_add(kinetic, r_times(0.5, sv_dot(V, rigid_mul(I, V))));
        stored = r_sub(stored, v3_dot(v3_lift(m->view.gravity), v3_add_scaled(m3_mul(T.R, v3_lift(link->h)), r_lift(link->m), T.p)));
    }
    for (int i = 0; i < m->nv; ++i) kinetic = r_add(kinetic, r_times(0.5 * m->armature[i], r_mul(w->v[i], w->v[i])));
    for (int i = 0; i < w->rotors.nconstraint; ++i)
        kinetic = r_add(kinetic, r_times(0.5 * w->rotors.constraint[i].parameter[0], r_mul(w->rotors.rate[i], w->rotors.rate[i])));
    cd_laws_store(m, w->q, w->v, w->open, &stored, &rate);
    for (int i = 0; i < m->view.nforce; ++i) {
        const cd_force_type* type  = cd_force_type_find(m->view.force[i].type);
        const cd_force_input input = {m, &w->world, w->rates + 3 * i};
        real                 e     = r_lift(0);
        if (type->store) type->store(&m->view.force[i], &input, &e, &rate);
        stored = r_add(stored, e);
    }
    return cd_tracing_give(&w->t, 1, &kinetic, output) && cd_tracing_give(&w->t, 1, &stored, output + 1) ? CARDAN_OK : CARDAN_NO_MEMORY;
}

cardan_status cd_trace_energy(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output)
{
    (void)way;
    whole               w      = {0};
    const cardan_model* m      = s->model;
    cardan_status       status = cd_tracing_begin(&w.t, graph, s, in);
    layout(m, true, &w);
    if (status == CARDAN_OK && !cd_arena_reserve(&w.arena)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        layout(m, true, &w);
        take_inputs(m, &w);
        cd_place(m, &w.k, w.q);
        cd_world_poses(m, &w.k, w.v, &w.world);
        forces(m, true, &w);
        if (w.rotors.nrow > 0) cd_closure_evaluate(&w.world, &w.rotors);
        status = give_energy(m, &w, output);
    }
    cd_arena_release(&w.arena);
    cd_tracing_end(&w.t);
    return status;
}

static cardan_status trace_whole(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, bool running, cd_node* output)
{
    whole               w    = {0};
    const cardan_model* m    = s->model;
    const bool          tree = cd_closure_rows(m) + cd_rotors_count(m) == 0;
    const cd_formulation* f  = tree ? NULL : cd_formulation_at(way);
    if (f && !may_solve(f)) return CARDAN_UNSUPPORTED;
    cardan_status status = cd_tracing_begin(&w.t, graph, s, in);
    layout(m, true, &w);
    if (status == CARDAN_OK && !cd_arena_reserve(&w.arena)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        layout(m, true, &w);
        take_inputs(m, &w);
        cd_place(m, &w.k, w.q);
        cd_world_poses(m, &w.k, w.v, &w.world);
        forces(m, running, &w);
        constraint_rows(m, &w);
        status = cd_traced_inverse(&w.t, false, w.wrench, w.r);
    }
    for (int i = 0; status == CARDAN_OK && i < m->nv; ++i) w.r[i] = r_sub(w.effort[i], w.r[i]);
    if (status == CARDAN_OK) status = f ? solve_rows(m, f, &w) : solve_tree(&w, way == 1);
    if (status == CARDAN_OK && !cd_tracing_give(&w.t, m->nv, w.a, output)) status = CARDAN_NO_MEMORY;
    for (int i = 0; status == CARDAN_OK && i < m->nstate; ++i)
        if (!cd_tracing_give(&w.t, 1, &w.rates[m->nrates - m->nstate + i], output + m->nv + i)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK && running) {
        w.power = r_add(w.power, driver_power(&w));
        if (!cd_tracing_give(&w.t, 1, &w.power, output + m->nv + m->nstate)) status = CARDAN_NO_MEMORY;
    }
    cd_arena_release(&w.arena);
    cd_tracing_end(&w.t);
    return status;
}

cardan_status cd_trace_motion(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output)
{
    return trace_whole(graph, s, in, way, false, output);
}

cardan_status cd_trace_rate(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output)
{
    return trace_whole(graph, s, in, way, true, output);
}
