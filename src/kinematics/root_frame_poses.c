// SPDX-License-Identifier: BSD-3-Clause
// Poses and motion columns of all links in the frame of the root of their tree. In this frame composite inertias are
// plain sums and entries of the mass matrix plain products. The root moves with the mechanism, so that no digits are
// lost far from the origin of the world.
//
//   R = Rp X.R,  p = pp + Rp X.p          column = (R s, R u + p x R s)
#include "kinematics/kinematics.h"

static inline spatial root_frame_column(frame T, spatial S)
{
    const vec3 s = m3_mul(T.R, S.a);
    return (spatial){s, v3_add(m3_mul(T.R, S.l), v3_cross(T.p, s))};
}

void cd_root_frame_poses(const cardan_model* m, cd_kinematics* k)
{
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        const int      p    = link->parent;
        if (p < 0) {
            k->root_pose[i] = (frame){m3_const(one), v3_zero()};
            for (int j = link->v; j < link->v + link->nv; ++j) k->root_column[j] = k->S[j];
            continue;
        }
        const frame X = k->X[i];
        frame       T = X;
        if (m->link[p].parent >= 0) {
            const frame P = k->root_pose[p];
            T             = (frame){m3_mul_m3(P.R, X.R), v3_add(P.p, m3_mul(P.R, X.p))};
        }
        k->root_pose[i] = T;
        if (link->motion == CD_REVOLUTE) {
            const vec3 z            = m3_column_z(T.R);
            k->root_column[link->v] = (spatial){z, v3_cross(T.p, z)};
        } else {
            for (int j = link->v; j < link->v + link->nv; ++j) k->root_column[j] = root_frame_column(T, k->S[j]);
        }
    }
}
