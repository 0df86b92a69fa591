// SPDX-License-Identifier: BSD-3-Clause
// Accelerations of the whole mechanism over traced numbers: forces of the model, efforts from outside, loops closed.
//
//   M a + J'lambda = effort + Q(q, v, t) - c(q, v),    J a = gamma
//
// Poses, forces and constraint rows are the runtime's own functions, compiled for traced numbers. Trees are solved by the recursions of
// this folder; loops by whichever formulation of the runtime leaves fewest operations, with pivots and rows that repeat others
// decided at the sample state, once for all.
#include "generate/routine.h"
#include "generate/whole.h"

#include "constraint/closure.h"
#include "constraint/measure.h"
#include "constraint/sources.h"
#include "constraint/twists.h"
#include "force/laws.h"
#include "force/signals.h"
#include "formulation/formulation.h"

#include "expression/jacobian.h"
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
    CD_TAKE(arena, w->open, m->nlaw);
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
void cd_whole_forces(const cardan_model* m, bool running, whole* w)
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

// ---- what solves: a formulation, or a tree's own recursions; kept for further right sides

typedef struct solver {
    const cd_formulation* f;  // NULL: a tree
    void*                 work;
    real*                 M;  // factor of a tree; NULL: articulated bodies, for one right side
    cd_arena              arena;
} solver;

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
        return status;
    }
    s->work = cd_allocate(1, f->work_size);
    if (!s->work) return CARDAN_NO_MEMORY;
    if (f->analyse) status = f->analyse(m, &w->rows, s->work, &report);
    if (status != CARDAN_OK) return status;
    f->layout(m, &w->rows, &s->arena, s->work);
    if (!cd_arena_reserve(&s->arena)) return CARDAN_NO_MEMORY;
    f->layout(m, &w->rows, &s->arena, s->work);
    if (f->assemble) status = f->assemble(m, &w->k, &w->rows, s->work);
    return status == CARDAN_OK ? f->factor(m, &w->k, &w->rows, s->work, &where) : status;
}

static cardan_status solver_run(const cardan_model* m, whole* w, solver* s, const real* r, const real* gamma, real* a, real* lambda)
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
    cd_whole_layout(m, true, &w);
    if (status == CARDAN_OK && !cd_arena_reserve(&w.arena)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        cd_whole_layout(m, true, &w);
        cd_whole_inputs(m, &w);
        cd_place(m, &w.k, w.q);
        cd_world_poses(m, &w.k, w.v, &w.world);
        cd_whole_forces(m, true, &w);
        if (w.rotors.nrow > 0) cd_closure_evaluate(&w.world, &w.rotors);
        status = give_energy(m, &w, output);
    }
    cd_arena_release(&w.arena);
    cd_tracing_end(&w.t);
    return status;
}

// Everything up to the solver and its first answer, a and lambda.
static cardan_status begin(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, bool factored, bool running, whole* w, solver* solve)
{
    const cardan_model*   m    = s->model;
    const bool            tree = cd_closure_rows(m) + cd_rotors_count(m) == 0;
    const cd_formulation* f    = tree ? NULL : cd_formulation_at(way);
    if (f && !may_solve(f)) return CARDAN_UNSUPPORTED;
    cardan_status status = cd_tracing_begin(&w->t, graph, s, in);
    cd_whole_layout(m, true, w);
    if (status == CARDAN_OK && !cd_arena_reserve(&w->arena)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK) {
        cd_whole_layout(m, true, w);
        cd_whole_inputs(m, w);
        cd_place(m, &w->k, w->q);
        cd_world_poses(m, &w->k, w->v, &w->world);
        cd_whole_forces(m, running, w);
        constraint_rows(m, w);
        status = cd_traced_inverse(&w->t, false, w->wrench, w->r);
    }
    for (int i = 0; status == CARDAN_OK && i < m->nv; ++i) w->r[i] = r_sub(w->effort[i], w->r[i]);
    if (status == CARDAN_OK) status = solver_begin(m, w, f, factored, solve);
    if (status == CARDAN_OK) status = solver_run(m, w, solve, w->r, w->gamma, w->a, w->lambda);
    return status;
}

static cardan_status end(whole* w, solver* solve, cardan_status status)
{
    solver_end(solve);
    cd_arena_release(&w->arena);
    cd_tracing_end(&w->t);
    return status;
}

// Accelerations and rates of states; `running`: the power too.
static cardan_status trace_whole(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, bool running, cd_node* output)
{
    whole               w      = {0};
    solver              solve  = {0};
    const cardan_model* m      = s->model;
    cardan_status       status = begin(graph, s, in, way, way == 1, running, &w, &solve);
    if (status == CARDAN_OK && !cd_tracing_give(&w.t, m->nv, w.a, output)) status = CARDAN_NO_MEMORY;
    for (int i = 0; status == CARDAN_OK && i < m->nstate; ++i)
        if (!cd_tracing_give(&w.t, 1, &w.rates[m->nrates - m->nstate + i], output + m->nv + i)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK && running) {
        w.power = r_add(w.power, driver_power(&w));
        if (!cd_tracing_give(&w.t, 1, &w.power, output + m->nv + m->nstate)) status = CARDAN_NO_MEMORY;
    }
    return end(&w, &solve, status);
}

cardan_status cd_trace_motion(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output)
{
    return trace_whole(graph, s, in, way, false, output);
}

cardan_status cd_trace_rate(cd_graph* graph, const cd_skeleton* s, const cd_sources* in, int way, cd_node* output)
{
    return trace_whole(graph, s, in, way, true, output);
}

// ---- derivatives:  M a_x + J'lambda_x = -r_x,   J a_x = -c''_x,   r = ID(q, v, a) - Q + J'lambda,   c'' = J a - gamma
//
// r and c'' are traced with inputs for a and lambda, so that they do not fold into nothing; their slopes are nodes, in which these inputs
// are then replaced by the solution.

typedef struct slopes {
    int      n, ncolumn;  // rows: r, c'', rates of states; columns: q, v, states
    real*    at;          // (n x ncolumn)
    real *   a, *lambda, *r, *gamma, *x, *y;
    spatial* wrench;
    cd_node* node;
    cd_seed *seed, *solution;
    int*     first;
    cd_arena arena;
} slopes;

static void slopes_layout(const cardan_model* m, const whole* w, slopes* s)
{
    const int nrow = w->rows.nrow;
    s->n           = m->nv + w->closure.nrow + m->nstate;
    s->ncolumn     = 2 * m->nv + m->nstate;
    CD_TAKE(&s->arena, s->at, (size_t)s->n * (size_t)s->ncolumn);
    CD_TAKE(&s->arena, s->a, m->nv);
    CD_TAKE(&s->arena, s->lambda, nrow);
    CD_TAKE(&s->arena, s->r, m->nv);
    CD_TAKE(&s->arena, s->gamma, nrow);
    CD_TAKE(&s->arena, s->x, m->nv);
    CD_TAKE(&s->arena, s->y, nrow);
    CD_TAKE(&s->arena, s->wrench, m->nlink);
    CD_TAKE(&s->arena, s->node, s->n);
    CD_TAKE(&s->arena, s->seed, 5 * s->ncolumn);
    CD_TAKE(&s->arena, s->solution, m->nv + nrow);
    CD_TAKE(&s->arena, s->first, s->ncolumn + 1);
}

static cd_seed stand_in(const whole* w, int input, real solution, real* as)
{
    *as = (real){w->t.graph, cd_input(w->t.graph, input), r_value(solution)};
    return (cd_seed){input, r_node(w->t.graph, solution)};
}

// r, c'' and rates, with inputs in place of the solution.
static cardan_status trace_equations(const cardan_model* m, whole* w, slopes* s)
{
    const int nrow = w->closure.nrow;
    for (int i = 0; i < m->nv; ++i) s->solution[i] = stand_in(w, w->t.in->a + i, w->a[i], &s->a[i]);
    for (int i = 0; i < nrow; ++i) s->solution[m->nv + i] = stand_in(w, w->t.in->count + i, w->lambda[i], &s->lambda[i]);
    for (int i = 0; i < m->nlink; ++i) s->wrench[i] = sv_zero();
    cd_world_accelerations(m, &w->k, w->v, s->a, &w->world);
    if (nrow > 0) cd_closure_gamma(&w->world, &w->closure, s->gamma);
    if (nrow > 0) cd_closure_wrenches(&w->closure, s->lambda, s->wrench);
    if (w->rotors.nrow > 0) {
        cd_closure_gamma(&w->world, &w->rotors, s->y);
        for (int i = 0; i < w->rotors.nrow; ++i) s->y[i] = r_times(-w->rotors.constraint[i].parameter[0], s->y[i]);
        cd_closure_wrenches(&w->rotors, s->y, s->wrench);
    }
    for (int i = 0; i < m->nlink; ++i) {
        const mat3 R = w->world.pose[i].R;
        s->wrench[i] = sv_add(w->wrench[i], (spatial){m3_tmul(R, s->wrench[i].a), m3_tmul(R, s->wrench[i].l)});
    }
    real* inputs = w->t.a;
    w->t.a       = s->a;
    cardan_status status = cd_traced_inverse(&w->t, true, s->wrench, s->r);
    w->t.a               = inputs;
    for (int i = 0; status == CARDAN_OK && i < m->nv; ++i) s->r[i] = r_sub(s->r[i], w->effort[i]);
    for (int i = 0; status == CARDAN_OK && i < nrow; ++i) s->gamma[i] = r_neg(s->gamma[i]);
    const bool given = status == CARDAN_OK && cd_tracing_give(&w->t, m->nv, s->r, s->node) && cd_tracing_give(&w->t, nrow, s->gamma, s->node + m->nv) &&
                       cd_tracing_give(&w->t, m->nstate, w->rates + m->nrates - m->nstate, s->node + m->nv + nrow);
    return status != CARDAN_OK || given ? status : CARDAN_NO_MEMORY;
}

static cardan_status differentiate(const cardan_model* m, whole* w, slopes* s)
{
    const cd_node one = cd_constant(w->t.graph, 1);
    for (int d = 0; d < s->ncolumn; ++d) {
        cd_seed* to = s->seed + s->first[d];
        if (d >= m->nv) *to = (cd_seed){d < 2 * m->nv ? w->t.in->v + d - m->nv : w->t.in->state + d - 2 * m->nv, one};
        s->first[d + 1] = s->first[d] + (d < m->nv ? cd_traced_seeds(&w->t, d, to) : 1);
    }
    cd_sparse     J;
    cardan_status status = cd_jacobian_along(w->t.graph, s->n, s->node, (cd_directions){s->ncolumn, s->first, s->seed}, CD_SWEEP_FORWARD, &J);
    if (status == CARDAN_OK) status = cd_replace_inputs(w->t.graph, J.count, J.value, m->nv + w->closure.nrow, s->solution);
    cd_tape* tape = status == CARDAN_OK ? cd_tape_create(w->t.graph, J.count, J.value) : NULL;
    double*  work = tape ? cd_allocate((size_t)cd_tape_work(tape) + (size_t)J.count + 1, sizeof *work) : NULL;
    if (status == CARDAN_OK && !work) status = CARDAN_NO_MEMORY;
    for (size_t i = 0; i < (size_t)s->n * (size_t)s->ncolumn; ++i) s->at[i] = r_lift(0);
    if (status == CARDAN_OK) {
        double* value = work + cd_tape_work(tape);
        cd_tape_run(tape, w->t.in->sample, work, value);
        for (int k = 0; k < J.count; ++k) s->at[(size_t)J.row[k] * (size_t)s->ncolumn + (size_t)J.column[k]] = r_known(w->t.graph, J.value[k], value[k]);
    }
    free(work);
    cd_tape_destroy(tape);
    cd_sparse_release(&J);
    return status;
}

// Column d of all (behind them: efforts) answered into column j of `ncolumn` of the output.
static cardan_status respond(const cardan_model* m, whole* w, solver* solve, slopes* s, int d, int j, int ncolumn, cd_node* output)
{
    const size_t n = (size_t)s->ncolumn;
    for (int i = 0; i < m->nv; ++i) s->r[i] = d < s->ncolumn ? r_neg(s->at[(size_t)i * n + (size_t)d]) : r_lift(i == d - s->ncolumn);
    for (int i = 0; i < w->rows.nrow; ++i) s->gamma[i] = d < s->ncolumn && i < w->closure.nrow ? r_neg(s->at[(size_t)(m->nv + i) * n + (size_t)d]) : r_lift(0);
    const cardan_status status = solver_run(m, w, solve, s->r, s->gamma, s->x, s->y);
    if (status != CARDAN_OK) return status;
    for (int i = 0; i < m->nv; ++i)
        if (!cd_tracing_give(&w->t, 1, &s->x[i], output + (size_t)i * (size_t)ncolumn + (size_t)j)) return CARDAN_NO_MEMORY;
    return CARDAN_OK;
}

static cardan_status respond_all(const cardan_model* m, whole* w, solver* solve, slopes* s, cd_node* output)
{
    const int     nv = m->nv, ns = m->nstate, g = nv + w->closure.nrow;
    const size_t  nn = (size_t)nv * (size_t)nv, mixed = (size_t)nv * (size_t)ns;
    cardan_status status = CARDAN_OK;
    for (int j = 0; status == CARDAN_OK && j < nv; ++j) {
        status = respond(m, w, solve, s, j, j, nv, output);
        if (status == CARDAN_OK) status = respond(m, w, solve, s, nv + j, j, nv, output + nn);
        if (status == CARDAN_OK) status = respond(m, w, solve, s, s->ncolumn + j, j, nv, output + 2 * nn);
    }
    output += 3 * nn;
    for (int j = 0; status == CARDAN_OK && j < ns; ++j) status = respond(m, w, solve, s, 2 * nv + j, j, ns, output);
    bool ok = true;
    for (int i = 0; ok && i < ns; ++i)
        for (int j = 0; ok && j < s->ncolumn; ++j) {
            cd_node* to = j < nv ? output + mixed + i * nv + j : j < 2 * nv ? output + 2 * mixed + i * nv + j - nv : output + 3 * mixed + i * ns + j - 2 * nv;
            ok          = cd_tracing_give(&w->t, 1, &s->at[(size_t)(g + i) * (size_t)s->ncolumn + (size_t)j], to);
        }
    return status != CARDAN_OK ? status : ok ? CARDAN_OK : CARDAN_NO_MEMORY;
}

cardan_status cd_trace_motion_d(cd_graph* graph, const cd_skeleton* skeleton, const cd_sources* in, int way, cd_node* output)
{
    whole               w      = {0};
    solver              solve  = {0};
    slopes              s      = {0};
    const cardan_model* m      = skeleton->model;
    cardan_status       status = begin(graph, skeleton, in, way, true, false, &w, &solve);
    if (status == CARDAN_OK) {
        slopes_layout(m, &w, &s);
        if (!cd_arena_reserve(&s.arena)) status = CARDAN_NO_MEMORY;
    }
    if (status == CARDAN_OK) {
        slopes_layout(m, &w, &s);
        status = trace_equations(m, &w, &s);
    }
    if (status == CARDAN_OK) status = differentiate(m, &w, &s);
    if (status == CARDAN_OK) status = respond_all(m, &w, &solve, &s, output);
    cd_arena_release(&s.arena);
    return end(&w, &solve, status);
}
