// SPDX-License-Identifier: BSD-3-Clause
#include "equation/equations.h"

#include "equation/loads.h"
#include "expression/numbers.h"
#include "force/signals.h"

void cd_equation_set_layout(const cardan_model* m, cd_arena* arena, cd_equation_set* e)
{
    CD_TAKE(arena, e->type, m->view.nforce);
    cd_kinematics_layout(m, arena, &e->k);
    cd_world_layout(m, arena, &e->world);
    cd_closure_layout(m, false, arena, &e->closure);
    cd_rotors_layout(m, false, arena, &e->rotors);
    CD_TAKE(arena, e->q, m->nq_all);
    CD_TAKE(arena, e->v, m->nv_all);
    CD_TAKE(arena, e->s, m->nstate);
    CD_TAKE(arena, e->a, m->nv);
    CD_TAKE(arena, e->lambda, e->closure.nrow);
    CD_TAKE(arena, e->signal, m->view.nsignal);
    CD_TAKE(arena, e->rates, m->nrates);
    CD_TAKE(arena, e->scratch, cd_tape_work(m->rates));
    CD_TAKE(arena, e->effort, m->nv_all);
    CD_TAKE(arena, e->gamma, e->closure.nrow + e->rotors.nrow);
    CD_TAKE(arena, e->wrench, m->nlink);
    CD_TAKE(arena, e->outer, m->nbody);
    e->closure.q = e->rotors.q = e->q;
}

void cd_equation_set_begin(const cardan_model* m, cd_equation_set* e)
{
    for (int i = 0; i < m->view.nforce; ++i) e->type[i] = cd_force_type_find(m->view.force[i].type);
}

static void take_memory(const double* from, cd_closure* closure)
{
    for (int i = 0; i < closure->nconstraint * CD_MEMORY; ++i) closure->memory[i] = r_lift(from[i]);
}

static void evaluate_formulas(const cardan_model* m, const cd_given* given, cd_equation_set* e)
{
    const cd_signal_source source = {m, &e->world, r_lift(given->t), e->q, e->v, e->s, NULL};
    if (m->nrates == 0) return;
    for (int i = 0; i < m->view.nsignal; ++i) e->signal[i] = cd_signal_value(&source, &m->view.signal[i]);
    cd_number_tape(m->rates, e->signal, e->scratch, e->rates);
}

static void apply_loads(const cardan_model* m, const cd_given* given, cd_equation_set* e)
{
    for (int i = 0; i < m->nv_all; ++i) e->effort[i] = r_lift(given->effort[i]);
    for (int i = 0; i < m->nlink; ++i) e->wrench[i] = sv_zero();
    cd_laws_apply(m, e->q, e->v, given->held, e->effort);
    if (given->wrench) {
        for (int i = 0; i < m->nbody; ++i) {
            const double* F = given->wrench + 6 * i;
            e->outer[i]     = (spatial){v3_lift(F), v3_lift(F + 3)};
        }
        cd_gather_wrenches(m, &e->world, e->outer, e->wrench);
    }
    cd_apply_elements(m, e->type, given->left_out, &e->world, e->rates, e->wrench, e->effort, NULL);
    cd_push_joints(m, &e->world, e->q, e->effort, e->wrench);
}

static void silence(const cd_given* given, cd_closure* closure)
{
    for (int i = 0; i < closure->nconstraint; ++i) {
        const cd_constraint* c = &closure->constraint[i];
        const cd_equations*  q = &closure->equations[i];
        if (!given->off[i]) continue;
        for (int row = 0; row < c->nrow; ++row) q->value[row] = q->rate[row] = q->h[row] = r_lift(0);
        for (int k = 0; k < c->nrow * c->nend; ++k) q->G[k] = sv_zero();
    }
}

// Constraints and their wrenches; c'' from the accelerations of the links.
static void constrain(const cardan_model* m, const cd_given* given, cd_equation_set* e, real* value)
{
    cd_closure* closure = &e->closure;
    const int   n       = closure->nrow;
    real *      c = value + m->nv + m->nstate, *rate = c + n, *second = rate + n;
    if (closure->nconstraint == 0) return;
    take_memory(given->memory, closure);
    for (int i = 0; i < 3 * m->nmotion; ++i) closure->law[i] = r_lift(given->law[i]);
    cd_closure_evaluate(&e->world, closure);
    silence(given, closure);
    cd_closure_gamma(&e->world, closure, e->gamma);
    for (int i = 0; i < n; ++i) {
        c[i]      = closure->value[i];
        rate[i]   = closure->rate[i];
        second[i] = r_add(r_neg(e->gamma[i]),
                          r_add(r_times(2 * given->pull, rate[i]), r_times(given->pull * given->pull, c[i])));
    }
    cd_closure_wrenches(closure, e->lambda, e->wrench);
}

// Rotors of measured joints resist with armature times the acceleration of their coordinate.
static void spin_rotors(const cd_given* given, cd_equation_set* e)
{
    if (e->rotors.nconstraint == 0) return;
    take_memory(given->rotor_memory, &e->rotors);
    cd_closure_evaluate(&e->world, &e->rotors);
    cd_closure_gamma(&e->world, &e->rotors, e->gamma);
    for (int i = 0; i < e->rotors.nconstraint; ++i)
        e->gamma[i] = r_times(-e->rotors.constraint[i].parameter[0], e->gamma[i]);
    cd_closure_wrenches(&e->rotors, e->gamma, e->wrench);
}

void cd_equation_set_evaluate(const cardan_model* m, const cd_given* given, cd_equation_set* e, real* value)
{
    cd_place(m, &e->k, e->q);
    cd_world_poses(m, &e->k, e->v, &e->world);
    cd_world_accelerations(m, &e->k, e->v, e->a, &e->world);
    cd_measure_joints(m, &e->world, e->q, e->v);
    evaluate_formulas(m, given, e);
    apply_loads(m, given, e);
    constrain(m, given, e, value);
    spin_rotors(given, e);
    cd_turn_wrenches(m, &e->world, e->wrench);
    cd_inverse_dynamics(m, &e->k, e->v, e->a, e->wrench, value);
    for (int i = 0; i < m->nv; ++i) value[i] = r_sub(value[i], e->effort[i]);
    for (int i = 0; i < m->nstate; ++i) value[m->nv + i] = e->rates[3 * m->view.nforce + i];
}
