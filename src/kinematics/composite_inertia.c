// SPDX-License-Identifier: BSD-3-Clause
// Dense mass matrix, lower triangle, by the composite-rigid-body algorithm in body axes.
//
//   K(i) = I(i) + sum over children of K transformed to i
//   F = K(i) S(v),  M(v, v) = S(v)'F;  then F is transformed inward: M(v, u) = S(u)'F for u on the path to the root
//
// Paper 003, section 3.2.2 (semi-explicit form). docs/theory/semi.md.
#include "kinematics/composite_inertia.h"

void cd_mass_matrix_crba(const cardan_model* m, const cd_kinematics* k, rigid* K, real* M)
{
    const size_t n = (size_t)m->nv; // n n exceeds an int from 46341 on
    for (size_t i = 0; i < n * n; ++i) M[i] = r_const(0);
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        K[i]                = (rigid){r_const(link->m), v3_const(link->h), s3_const(link->I)};
    }
    for (int i = m->nlink - 1; i >= 0; --i) {
        const cd_link* link = &m->link[i];
        if (link->parent >= 0) K[link->parent] = rigid_add(K[link->parent], rigid_to_parent(k->X[i], K[i]));
        for (int v = link->v; v < link->v + link->nv; ++v) {
            spatial F   = rigid_mul(K[i], k->S[v]);
            real*   row = M + (size_t)v * n;
            for (int u = link->v; u <= v; ++u) row[u] = sv_dot(k->S[u], F);
            for (int j = i; m->link[j].parent >= 0;) {
                F = sv_force_to_parent(k->X[j], F);
                j = m->link[j].parent;
                for (int u = m->link[j].v; u < m->link[j].v + m->link[j].nv; ++u)
                    *(u > v ? M + (size_t)u * n + v : row + u) = sv_dot(k->S[u], F);
            }
            if (m->armature[v] != 0) row[v] = r_add(row[v], r_const(m->armature[v]));
        }
    }
}
