// SPDX-License-Identifier: BSD-3-Clause
// A whole mechanism over traced numbers: forces of the model, efforts, constraint rows, and the solution of
//
//   M a + J'lambda = effort + Q(q, v, t) - c(q, v),    J a = gamma
//
// Poses, forces and constraint rows are evaluated by the functions of the runtime library, compiled for traced numbers.
// Trees are solved by the recursions of this folder; mechanisms with constraints by the formulation of the library that
// needs the fewest operations, usually embedding. Pivots and redundant rows are decided once, at the trace state
// (trace_validity.c).
#include "generate/routine/routine.h"
#include "generate/trace/traced_mechanism.h"

#include "equation/applied_wrenches.h"
#include "expression/formula_evaluation.h"
#include "force/signal_values.h"
#include "model/description.h"

#include <stdlib.h>
#include <string.h>

static void layout(const cardan_model* m, traced_mechanism* w)
{
    cd_arena* arena = &w->arena;
    cd_kinematics_layout(m, arena, &w->k);
    cd_world_layout(m, arena, &w->world);
    cd_constraint_set_layout(m, true, arena, &w->constraints);
    cd_rotor_set_layout(m, true, arena, &w->rotors);
    const int nrow = w->constraints.nrow + w->rotors.nrow, nblock = w->constraints.nconstraint + w->rotors.nconstraint;
    CD_ARENA_ARRAY(arena, w->block, nblock);
    CD_ARENA_ARRAY(arena, w->compliance, nrow);
    CD_ARENA_ARRAY(arena, w->q, m->nq_joint);
    CD_ARENA_ARRAY(arena, w->v, m->nv_joint);
    CD_ARENA_ARRAY(arena, w->state, m->nstate);
    CD_ARENA_ARRAY(arena, w->effort, m->nv_joint);
    CD_ARENA_ARRAY(arena, w->zero_nv, m->nv);
    CD_ARENA_ARRAY(arena, w->gamma, nrow);
    CD_ARENA_ARRAY(arena, w->lambda, nrow);
    CD_ARENA_ARRAY(arena, w->r, m->nv);
    CD_ARENA_ARRAY(arena, w->a, m->nv);
    CD_ARENA_ARRAY(arena, w->signal, m->view.nsignal);
    CD_ARENA_ARRAY(arena, w->work, cd_tape_work(m->formula_tape) + 1);
    CD_ARENA_ARRAY(arena, w->rates, m->nformula);
    CD_ARENA_ARRAY(arena, w->wrench, m->nlink);
    CD_ARENA_ARRAY(arena, w->inactive_stops, m->njoint_force);
    CD_ARENA_ARRAY(arena, w->force_type, m->view.nforce);
    w->rows = (cd_rows){
        .nrow = nrow, .nblock = nblock, .block = w->block, .compliance = w->rotors.nrow > 0 ? w->compliance : NULL};
}

void cd_traced_mechanism_set_inputs(const cardan_model* m, traced_mechanism* w)
{
    const cd_input_layout* in = w->t.in;
    for (int i = 0; i < m->nq_joint; ++i)
        w->q[i] = i < m->nq ? traced_input(&w->t, in->q + i) : r_const(m->q_off_tree_start[i - m->nq]);
    for (int i = 0; i < m->nv_joint; ++i) {
        w->v[i]      = i < m->nv ? traced_input(&w->t, in->v + i) : r_const(0);
        w->effort[i] = i < m->nv ? traced_input(&w->t, in->effort + i) : r_const(0);
    }
    for (int i = 0; i < m->nv; ++i) w->zero_nv[i] = r_const(0);
    for (int i = 0; i < m->nstate; ++i) w->state[i] = traced_input(&w->t, in->state + i);
    w->time          = traced_input(&w->t, in->time);
    w->constraints.q = w->rotors.q = w->q;
    for (int i = 0; i < m->view.nforce; ++i) w->force_type[i] = cd_force_type_find(m->view.force[i].type);
}

// Power of the forces without potential, except drivers: power of all forces minus the rate of stored energy.
static real power_of(const cardan_model* m, const traced_mechanism* w)
{
    real energy = r_const(0), power = r_const(0);
    for (int i = 0; i < m->nlink; ++i) power = r_add(power, sv_dot(w->world.velocity[i], w->wrench[i]));
    for (int i = 0; i < m->nv; ++i) power = r_add(power, r_mul(w->effort[i], w->v[i]));
    cd_joint_forces_stored_energy(m, w->q, w->v, w->inactive_stops, &energy, &power);
    for (int i = 0; i < m->view.nforce; ++i) {
        const cd_force_input input = {m, &w->world, w->rates + 3 * i};
        real                 rate  = r_const(0);
        if (w->force_type[i]->stored_energy) w->force_type[i]->stored_energy(&m->view.force[i], &input, &energy, &rate);
        power = r_add(power, rate);
    }
    return r_add(power, w->contacts.stored_power);
}

void cd_traced_mechanism_forces(const cardan_model* m, bool for_run, traced_mechanism* w)
{
    cd_evaluate_off_tree_joints(m, &w->world, w->q, w->v);
    cd_joint_forces_apply(m, w->q, w->v, for_run ? w->inactive_stops : NULL, w->effort);
    if (m->nformula > 0) {
        const cd_signal_input source = {m, &w->world, w->time, w->q, w->v, w->state, NULL};
        for (int i = 0; i < m->view.nsignal; ++i) w->signal[i] = cd_signal_value(&source, &m->view.signal[i]);
        cd_tape_run_real(m->formula_tape, w->signal, w->work, w->rates);
    }
    for (int i = 0; i < m->nlink; ++i) w->wrench[i] = sv_zero();
    cd_apply_force_elements(m, w->force_type, NULL, &w->world, w->rates, w->wrench, w->effort, NULL);
    cd_traced_contacts_add(&w->world, &w->contacts, w->wrench);
    cd_add_off_tree_efforts(m, &w->world, w->q, w->effort, w->wrench);
    if (for_run) w->power = power_of(m, w);
    cd_rotate_wrenches_to_links(m, &w->world, w->wrench);
}

static void evaluate_rows(const cardan_model* m, traced_mechanism* w)
{
    if (w->rows.nrow == 0) return;
    const int n = w->constraints.nconstraint, nrow = w->constraints.nrow;
    cd_constraint_set_evaluate_drivers(m, w->time, &w->constraints);
    cd_constraint_set_evaluate(&w->world, &w->constraints);
    cd_constraint_set_evaluate(&w->world, &w->rotors);
    cd_constraint_set_jacobian(m, &w->k, &w->world, &w->constraints);
    cd_constraint_set_jacobian(m, &w->k, &w->world, &w->rotors);
    cd_world_accelerations(m, &w->k, w->v, w->zero_nv, &w->world);
    cd_constraint_set_gamma(&w->world, &w->constraints, w->gamma);
    cd_constraint_set_gamma(&w->world, &w->rotors, w->gamma + nrow);
    for (int i = 0; i < n; ++i) w->block[i] = w->constraints.block[i];
    for (int i = 0; i < w->rotors.nconstraint; ++i) {
        w->block[n + i] = w->rotors.block[i];
        w->block[n + i].row += nrow;
        w->compliance[nrow + i] = par_div(m->description->parametric, 1, w->rotors.constraint[i].parameter[0]);
    }
}

// ---- solver: a formulation, or a recursion for trees; reused for further right-hand sides

// The state of a trace satisfies the constraints.
static const cd_solve_policy trace_policy = {.rank = CD_RANK_BY_PIVOTS};

// Stop the trace if the graph has reached its limit of nodes.
static cardan_status fail_if_full(const traced_mechanism* w, cardan_status status)
{
    return cd_graph_is_full(w->t.graph) ? CARDAN_NO_MEMORY : status;
}

static cardan_status solver_begin(const cardan_model* m, traced_mechanism* w, const cd_formulation* f, bool factored,
                                  traced_solver* s)
{
    const size_t  n      = (size_t)m->nv;
    cardan_status status = CARDAN_OK;
    cd_solve_info info   = {0};
    cardan_report report;
    cardan_report_clear(&report);
    *s = (traced_solver){.f = f};
    if (!f) {
        if (!factored) return CARDAN_OK;
        s->M = cd_allocate(n * n + 1, sizeof *s->M);
        if (!s->M) return CARDAN_NO_MEMORY;
        status = cd_traced_mass_matrix(&w->t, s->M);
        if (status == CARDAN_OK) cd_traced_mass_factor(&w->t, s->M);
        return fail_if_full(w, status);
    }
    s->work = cd_allocate(1, f->work_size);
    if (!s->work) return CARDAN_NO_MEMORY;
    if (f->analyse) status = f->analyse(m, &w->rows, s->work, &report);
    if (status != CARDAN_OK) return status;
    f->layout(m, &w->rows, &s->arena, s->work);
    if (!cd_arena_reserve(&s->arena)) return CARDAN_NO_MEMORY;
    f->layout(m, &w->rows, &s->arena, s->work);
    const cd_problem problem = {m, &w->k, &w->rows, &trace_policy};
    if (f->assemble) f->assemble(&problem, s->work);
    status = fail_if_full(w, status);
    return status == CARDAN_OK ? fail_if_full(w, f->factor(&problem, s->work, &info)) : status;
}

cardan_status cd_traced_mechanism_solve(const cardan_model* m, traced_mechanism* w, traced_solver* s, const real* r,
                                        const real* gamma, real* a, real* lambda)
{
    cd_solve_info info = {0};
    if (s->f)
        return s->f->solve(&(cd_problem){m, &w->k, &w->rows, &trace_policy}, s->work,
                           &(cd_right_sides){.r = r, .gamma = gamma}, &(cd_solution){.a = a, .lambda = lambda}, &info);
    if (!s->M) return cd_traced_articulated_solve(&w->t, r, a);
    for (int i = 0; i < m->nv; ++i) a[i] = r[i];
    cd_traced_mass_solve(&w->t, s->M, a);
    return CARDAN_OK;
}

static void solver_end(traced_solver* s)
{
    if (s->work && s->f->release) s->f->release(s->work);
    free(s->work), free(s->M);
    cd_arena_release(&s->arena);
}

bool cd_has_constraint_rows(const cardan_model* m) { return cd_constraint_row_count(m) + cd_rotor_count(m) > 0; }

bool cd_is_embedding(const cd_formulation* f) { return strcmp(f->name, "embedding") == 0; }

// Methods of solution: for trees articulated bodies and the factored mass matrix; with constraints the formulations,
// except those that iterate or that call least-squares routines of LAPACK. For derivatives only embedding, whose
// validity check depends on positions only.
static bool can_solve(const cd_formulation* f, bool for_derivatives)
{
    if (cd_is_embedding(f) || for_derivatives) return cd_is_embedding(f);
    return strcmp(f->name, "dense") != 0 && f->properties & CD_SUPPORTS_LOOPS &&
           !(f->properties & (CD_APPROXIMATE | CD_IS_RESIDUAL | CD_COMPLIANT_ROWS)) &&
           f->tree_policy != CARDAN_TREE_MAXIMAL && f->factor;
}

cardan_status cd_traced_mechanism_create(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in,
                                         traced_mechanism* w)
{
    const cardan_status status = cd_tracing_begin(&w->t, graph, tree, in);
    if (status != CARDAN_OK) return status;
    layout(tree->model, w);
    if (!cd_arena_reserve(&w->arena)) return CARDAN_NO_MEMORY;
    layout(tree->model, w);
    return cd_traced_contacts_create(tree->model, &w->contacts);
}

void cd_traced_mechanism_release(traced_mechanism* w)
{
    cd_traced_contacts_release(&w->contacts);
    cd_arena_release(&w->arena);
    cd_tracing_end(&w->t);
}

cardan_status cd_traced_mechanism_begin(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in,
                                        bool for_run, traced_mechanism* w)
{
    const cardan_model* m      = tree->model;
    const cardan_status status = cd_traced_mechanism_create(graph, tree, in, w);
    if (status != CARDAN_OK) return status;
    cd_traced_mechanism_set_inputs(m, w);
    cd_forward_kinematics(m, &w->k, w->q);
    cd_world_poses(m, &w->k, w->v, &w->world);
    cd_traced_mechanism_forces(m, for_run, w);
    evaluate_rows(m, w);
    return CARDAN_OK;
}

cardan_status cd_traced_mechanism_accelerate(cd_graph* graph, const cd_link_tree* tree, const cd_input_layout* in,
                                             int method, bool factored, bool for_run, traced_mechanism* w,
                                             traced_solver* solve)
{
    const cardan_model*   m = tree->model;
    const cd_formulation* f = cd_has_constraint_rows(m) ? cd_formulation_at(method) : NULL;
    if (f && !can_solve(f, in->for_derivatives)) return CARDAN_UNSUPPORTED;
    cardan_status status = cd_traced_mechanism_begin(graph, tree, in, for_run, w);
    if (status == CARDAN_OK) status = cd_traced_inverse_dynamics(&w->t, false, w->wrench, w->r);
    for (int i = 0; status == CARDAN_OK && i < m->nv; ++i) w->r[i] = r_sub(w->effort[i], w->r[i]);
    if (status == CARDAN_OK) status = solver_begin(m, w, f, factored, solve);
    if (status == CARDAN_OK) status = cd_traced_mechanism_solve(m, w, solve, w->r, w->gamma, w->a, w->lambda);
    return fail_if_full(w, status);
}

cardan_status cd_traced_mechanism_end(traced_mechanism* w, traced_solver* solve, cardan_status status)
{
    solver_end(solve);
    cd_traced_mechanism_release(w);
    return status;
}
