// SPDX-License-Identifier: BSD-3-Clause
// Mass matrix by composite rigid bodies in the frame of the root.
//
//   K(i) = I(i) + sum over children K          plain sums: one frame for the whole tree
//   F(v) = K(i) column(v)                      momentum when only v moves
//   M(v, u) = column(u)' F(v)                  for u = v and every u on the path to the root
//
// Paper 002, equations 14 and 15 (composites), 18 (entries). docs/theory/cholesky.md.
#include "formulation/tree/tree_mass.h"

double cd_tree_mass_entries(const cardan_model* m)
{
    double n = 0;
    for (int v = 0; v < m->nv; ++v) n += m->v_depth[v];
    return n;
}

void cd_tree_mass_layout(const cardan_model* m, cd_arena* arena, cd_tree_matrix* M)
{
    CD_ARENA_ARRAY(arena, M->start, m->nv);
    CD_ARENA_ARRAY(arena, M->column, cd_tree_mass_entries(m));
    CD_ARENA_ARRAY(arena, M->entry, cd_tree_mass_entries(m));
    CD_ARENA_ARRAY(arena, M->composite, m->nlink);
    if (!M->start) return;
    for (int i = 0, next = 0; i < m->nv; ++i) {
        const int v = m->v_order[i];
        M->start[v] = next;
        for (int u = v; u >= 0; u = m->v_parent[u]) M->column[next++] = u;
    }
}

void cd_tree_mass(const cardan_model* m, const cd_kinematics* k, cd_tree_matrix* M)
{
    rigid* K = M->composite;
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        const rigid    I    = {r_const(link->m), v3_const(link->h), s3_const(link->I)};
        K[i]                = link->parent < 0 || link->is_massless ? I : rigid_to_parent(k->root_pose[i], I);
    }
    for (int i = m->nlink - 1; i >= 0; --i) {
        const cd_link* link = &m->link[i];
        if (link->parent >= 0) K[link->parent] = rigid_add(K[link->parent], K[i]);
        for (int v = link->v + link->nv - 1; v >= link->v; --v) {
            const spatial F      = rigid_mul(K[i], k->root_column[v]);
            const int*    column = M->column + M->start[v];
            real*         row    = M->entry + M->start[v];
            for (int s = 0; s < m->v_depth[v]; ++s) row[s] = sv_dot(k->root_column[column[s]], F);
            if (m->armature[v] != 0) row[0] = r_add(row[0], r_const(m->armature[v]));
        }
    }
}
