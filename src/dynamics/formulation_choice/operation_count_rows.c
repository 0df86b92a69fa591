// SPDX-License-Identifier: BSD-3-Clause
// Cost of the rows of constraints and rotors: poses, velocities and accelerations of links in world axes, values,
// rates, twist Jacobians and gamma; joint-space rows for formulations that use them. Compiled with counting numbers
// as type real (CMakeLists.txt).
#include "dynamics/formulation_choice/operation_count_rows.h"

#include "constraint/constraint_set.h"

typedef struct row_work {
    cd_world_motion   world;
    cd_constraint_set constraints, rotors;
    real *            q, *a, *gamma;
    cd_arena          arena;
} row_work;

static void layout(const cardan_model* m, bool joint_space, row_work* n)
{
    cd_world_layout(m, &n->arena, &n->world);
    cd_constraint_set_layout(m, joint_space, &n->arena, &n->constraints);
    cd_rotor_set_layout(m, joint_space, &n->arena, &n->rotors);
    CD_ARENA_ARRAY(&n->arena, n->q, m->nq_joint);
    CD_ARENA_ARRAY(&n->arena, n->a, m->nv);
    CD_ARENA_ARRAY(&n->arena, n->gamma, n->constraints.nrow + n->rotors.nrow);
}

static void evaluate(const cardan_model* m, const cd_kinematics* k, const row_work* n, cd_constraint_set* constraints,
                     real* gamma)
{
    const bool is_maximal = m->policy == CARDAN_TREE_MAXIMAL;
    constraints->q        = n->q;
    cd_constraint_set_evaluate(&n->world, constraints);
    cd_constraint_set_jacobian(m, k, &n->world, constraints);
    cd_constraint_set_gamma(is_maximal ? NULL : &n->world, constraints, gamma);
}

cardan_status cd_count_row_operations(const cardan_model* m, const cd_kinematics* k, const cardan_data* plain,
                                      bool joint_space, const real* q, const real* v)
{
    row_work      n       = {0};
    const double *plain_q = cd_double_coordinates(plain), *history = cd_double_history(plain);
    layout(m, joint_space, &n);
    if (!cd_arena_reserve(&n.arena)) return CARDAN_NO_MEMORY;
    layout(m, joint_space, &n);
    for (int i = 0; i < m->nq_joint; ++i) n.q[i] = i < m->nq ? q[i] : r_const(plain_q[i]);
    for (int i = 0; i < m->nv; ++i) n.a[i] = r_const(0);
    for (int i = 0; i < n.constraints.nconstraint * CD_CONSTRAINT_HISTORY_SIZE; ++i)
        n.constraints.history[i] = r_const(history[i]);
    cd_world_poses(m, k, v, &n.world);
    if (m->policy != CARDAN_TREE_MAXIMAL) cd_world_accelerations(m, k, v, n.a, &n.world);
    cd_constraint_set_evaluate_drivers(m, r_const(0), &n.constraints);
    evaluate(m, k, &n, &n.constraints, n.gamma);
    evaluate(m, k, &n, &n.rotors, n.gamma + n.constraints.nrow);
    cd_arena_release(&n.arena);
    return CARDAN_OK;
}
