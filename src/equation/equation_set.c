// SPDX-License-Identifier: BSD-3-Clause
#include "equation/equation_set.h"

#include "equation/applied_wrenches.h"
#include "expression/formula_evaluation.h"
#include "force/signal_values.h"

void cd_equation_set_layout(const cardan_model* m, cd_arena* arena, cd_equation_set* e)
{
    CD_ARENA_ARRAY(arena, e->type, m->view.nforce);
    cd_kinematics_layout(m, arena, &e->k);
    cd_world_layout(m, arena, &e->world);
    cd_constraint_set_layout(m, false, arena, &e->constraints);
    cd_rotor_set_layout(m, false, arena, &e->rotors);
    CD_ARENA_ARRAY(arena, e->q, m->nq_joint);
    CD_ARENA_ARRAY(arena, e->v, m->nv_joint);
    CD_ARENA_ARRAY(arena, e->s, m->nstate);
    CD_ARENA_ARRAY(arena, e->a, m->nv);
    CD_ARENA_ARRAY(arena, e->lambda, e->constraints.nrow);
    CD_ARENA_ARRAY(arena, e->signal, m->view.nsignal);
    CD_ARENA_ARRAY(arena, e->formula_value, m->nformula + 3 * m->nbristle);
    CD_ARENA_ARRAY(arena, e->scratch, cd_tape_work(m->formula_tape));
    CD_ARENA_ARRAY(arena, e->effort, m->nv_joint);
    CD_ARENA_ARRAY(arena, e->gamma, e->constraints.nrow + e->rotors.nrow);
    CD_ARENA_ARRAY(arena, e->wrench, m->nlink);
    CD_ARENA_ARRAY(arena, e->body_wrench, m->nbody);
    e->constraints.q = e->rotors.q = e->q;
}

void cd_equation_set_init(const cardan_model* m, cd_equation_set* e)
{
    for (int i = 0; i < m->view.nforce; ++i) e->type[i] = cd_force_type_find(m->view.force[i].type);
}

static void load_history(const double* from, cd_constraint_set* constraints)
{
    for (int i = 0; i < constraints->nconstraint * CD_CONSTRAINT_HISTORY_SIZE; ++i)
        constraints->history[i] = r_const(from[i]);
}

static void evaluate_formulas(const cardan_model* m, const cd_equation_input* input, cd_equation_set* e)
{
    const cd_signal_input source = {m, &e->world, r_const(input->t), e->q, e->v, e->s, NULL};
    if (m->nformula == 0) return;
    for (int i = 0; i < m->view.nsignal; ++i) e->signal[i] = cd_signal_value(&source, &m->view.signal[i]);
    cd_tape_run_real(m->formula_tape, e->signal, e->scratch, e->formula_value);
}

static void apply_contacts(const cardan_model* m, const cd_equation_input* input, cd_equation_set* e)
{
    real* rate = e->formula_value + 3 * m->view.nforce;
    if (m->nbristle > 0)
        cd_relax_bristles(m->nbristle, input->relaxation, e->s + m->view.nstate, rate + m->view.nstate);
    cd_add_compliant_contacts(input->ncontact, input->contact, &e->world, e->s, e->wrench, rate, NULL);
}

static void apply_forces(const cardan_model* m, const cd_equation_input* input, cd_equation_set* e)
{
    for (int i = 0; i < m->nv_joint; ++i) e->effort[i] = r_const(input->external_effort[i]);
    for (int i = 0; i < m->nlink; ++i) e->wrench[i] = sv_zero();
    cd_joint_forces_apply(m, e->q, e->v, input->frozen_stops, e->effort);
    if (input->external_wrench) {
        for (int i = 0; i < m->nbody; ++i) {
            const double* F   = input->external_wrench + 6 * i;
            e->body_wrench[i] = (spatial){v3_const(F), v3_const(F + 3)};
        }
        cd_add_body_wrenches(m, &e->world, e->body_wrench, e->wrench);
    }
    cd_add_grab_wrenches(input->ngrab, input->grab, input->t, &e->world, e->wrench);
    cd_apply_force_elements(m, e->type, input->is_force_disabled, &e->world, e->formula_value, e->wrench, e->effort,
                            NULL);
    apply_contacts(m, input, e);
    cd_add_off_tree_efforts(m, &e->world, e->q, e->effort, e->wrench);
}

static void zero_disabled(const cd_equation_input* input, cd_constraint_set* constraints)
{
    for (int i = 0; i < constraints->nconstraint; ++i) {
        const cd_constraint*           c = &constraints->constraint[i];
        const cd_constraint_equations* q = &constraints->equations[i];
        if (!input->is_disabled[i]) continue;
        for (int row = 0; row < c->nrow; ++row) q->value[row] = q->rate[row] = q->h[row] = r_const(0);
        for (int k = 0; k < c->nrow * c->nend; ++k) q->G[k] = sv_zero();
    }
}

// Evaluate constraints and their wrenches; c'' from the accelerations of the links.
static void evaluate_constraints(const cardan_model* m, const cd_equation_input* input, cd_equation_set* e, real* value)
{
    cd_constraint_set* constraints = &e->constraints;
    const int          n           = constraints->nrow;
    real *             c = value + m->nv + m->nstate, *rate = c + n, *acceleration = rate + n;
    if (constraints->nconstraint == 0) return;
    load_history(input->history, constraints);
    for (int i = 0; i < 3 * m->ndriver_function; ++i) constraints->driver_values[i] = r_const(input->driver_values[i]);
    cd_constraint_set_evaluate(&e->world, constraints);
    zero_disabled(input, constraints);
    cd_constraint_set_gamma(&e->world, constraints, e->gamma);
    for (int i = 0; i < n; ++i) {
        c[i]    = constraints->value[i];
        rate[i] = constraints->rate[i];
        acceleration[i] =
            r_add(r_neg(e->gamma[i]), r_add(r_scale(2 * input->baumgarte_rate, rate[i]),
                                            r_scale(input->baumgarte_rate * input->baumgarte_rate, c[i])));
    }
    cd_constraint_set_wrenches(constraints, e->lambda, e->wrench);
}

// Inertia wrenches of rotors of off-tree joints: armature times the acceleration of their coordinate.
static void add_rotor_wrenches(const cd_equation_input* input, cd_equation_set* e)
{
    if (e->rotors.nconstraint == 0) return;
    load_history(input->rotor_history, &e->rotors);
    cd_constraint_set_evaluate(&e->world, &e->rotors);
    cd_constraint_set_gamma(&e->world, &e->rotors, e->gamma);
    for (int i = 0; i < e->rotors.nconstraint; ++i)
        e->gamma[i] = r_scale(-e->rotors.constraint[i].parameter[0], e->gamma[i]);
    cd_constraint_set_wrenches(&e->rotors, e->gamma, e->wrench);
}

void cd_equation_set_evaluate(const cardan_model* m, const cd_equation_input* input, cd_equation_set* e, real* value)
{
    cd_forward_kinematics(m, &e->k, e->q);
    cd_world_poses(m, &e->k, e->v, &e->world);
    cd_world_accelerations(m, &e->k, e->v, e->a, &e->world);
    cd_evaluate_off_tree_joints(m, &e->world, e->q, e->v);
    evaluate_formulas(m, input, e);
    apply_forces(m, input, e);
    evaluate_constraints(m, input, e, value);
    add_rotor_wrenches(input, e);
    cd_rotate_wrenches_to_links(m, &e->world, e->wrench);
    cd_inverse_dynamics(m, &e->k, e->v, e->a, e->wrench, value);
    for (int i = 0; i < m->nv; ++i) value[i] = r_sub(value[i], e->effort[i]);
    for (int i = 0; i < m->nstate; ++i) value[m->nv + i] = e->formula_value[3 * m->view.nforce + i];
}
