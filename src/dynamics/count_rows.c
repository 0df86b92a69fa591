// SPDX-License-Identifier: BSD-3-Clause
// What the rows of constraints and rotors cost: poses, velocities and accelerations of links in the world, values,
// rates, rows on twists and gamma; rows on velocities for formulations that want them. Compiled for counted numbers
// (CMakeLists.txt).
#include "dynamics/count_rows.h"

#include "constraint/closure.h"

typedef struct rows {
    cd_world   world;
    cd_closure closure, rotors;
    real *     q, *a, *gamma;
    cd_arena   arena;
} rows;

static void layout(const cardan_model* m, bool ways, rows* n)
{
    cd_world_layout(m, &n->arena, &n->world);
    cd_closure_layout(m, ways, &n->arena, &n->closure);
    cd_rotors_layout(m, ways, &n->arena, &n->rotors);
    CD_TAKE(&n->arena, n->q, m->nq_all);
    CD_TAKE(&n->arena, n->a, m->nv);
    CD_TAKE(&n->arena, n->gamma, n->closure.nrow + n->rotors.nrow);
}

static void evaluate(const cardan_model* m, const cd_kinematics* k, const rows* n, cd_closure* closure, real* gamma)
{
    const bool flat = m->policy == CARDAN_TREE_FLAT;
    closure->q      = n->q;
    cd_closure_evaluate(&n->world, closure);
    cd_closure_jacobian(m, k, &n->world, closure);
    cd_closure_gamma(flat ? NULL : &n->world, closure, gamma);
}

cardan_status cd_count_rows(const cardan_model* m, const cd_kinematics* k, const cardan_data* plain, bool ways,
                            const real* q, const real* v)
{
    rows          n     = {0};
    const double *known = cd_plain_coordinates(plain), *memory = cd_plain_memory(plain);
    layout(m, ways, &n);
    if (!cd_arena_reserve(&n.arena)) return CARDAN_NO_MEMORY;
    layout(m, ways, &n);
    for (int i = 0; i < m->nq_all; ++i) n.q[i] = i < m->nq ? q[i] : r_lift(known[i]);
    for (int i = 0; i < m->nv; ++i) n.a[i] = r_lift(0);
    for (int i = 0; i < n.closure.nconstraint * CD_MEMORY; ++i) n.closure.memory[i] = r_lift(memory[i]);
    cd_world_poses(m, k, v, &n.world);
    if (m->policy != CARDAN_TREE_FLAT) cd_world_accelerations(m, k, v, n.a, &n.world);
    cd_closure_time(m, r_lift(0), &n.closure);
    evaluate(m, k, &n, &n.closure, n.gamma);
    evaluate(m, k, &n, &n.rotors, n.gamma + n.closure.nrow);
    cd_arena_release(&n.arena);
    return CARDAN_OK;
}
