// SPDX-License-Identifier: BSD-3-Clause
// Poses of links in their parents, and motion columns, from the coordinates.
//
//   revolute    R = R0 Rz(q)        p = p0
//   prismatic   R = R0              p = p0 + R0 z q
//   screw       R = R0 Rz(q)        p = p0 + R0 z (pitch q)
//   spherical   R = R0 R(e)         p = p0                  columns (1; 0)
//   free        R = R0 R(e)         p = p0 + R0 x           columns (0; R(e)') on xdot, (1; 0) on w
// Reversed joints (tree from second to first body), where x and e are the pose of the parent in the link:
//   spherical   R = R0 R(e)'        p = p0                  columns (-R(e); 0)
//   free        R = R0 R(e)'        p = p0 - R0 R(e)' x     columns (0; -1) on xdot, (-R(e); -x~ R(e)) on w
#include "kinematics/kinematics.h"

void cd_kinematics_layout(const cardan_model* m, cd_arena* arena, cd_kinematics* k)
{
    CD_ARENA_ARRAY(arena, k->X, m->nlink + 1);
    CD_ARENA_ARRAY(arena, k->S, m->nv);
    CD_ARENA_ARRAY(arena, k->motion, m->nlink + 1);
    if (k->motion) ++k->motion;
    CD_ARENA_ARRAY(arena, k->root_pose, m->nlink);
    CD_ARENA_ARRAY(arena, k->root_column, m->nv);
    if (!k->S) return;

    const real zero = r_const(0), one = r_const(1);
    *k->X++ = (frame){{one, zero, zero, zero, one, zero, zero, zero, one}, v3_zero()};
    for (int i = 0; i < m->nlink; ++i) {
        const cd_link* link = &m->link[i];
        spatial*       S    = k->S + link->v;
        const vec3     z    = v3(zero, zero, one);
        for (int j = 0; j < link->nv; ++j) S[j] = sv_zero();
        if (link->motion == CD_REVOLUTE || link->motion == CD_SCREW) S[0].a = z;
        if (link->motion == CD_PRISMATIC) S[0].l = z;
        if (link->motion == CD_SCREW) S[0].l.z = r_const(m->tree_transform[i].pitch);
        if (link->motion == CD_SPHERICAL || link->motion == CD_FREE) {
            spatial* angular_columns = S + (link->nv - 3);
            angular_columns[0].a.x = angular_columns[1].a.y = angular_columns[2].a.z = one;
        }
        if (link->motion == CD_FREE_REVERSED) S[0].l.x = S[1].l.y = S[2].l.z = r_const(-1);
    }
}

static void quaternion_joint_pose(const cd_link* link, frame* X, spatial* S, const real* q)
{
    const bool floating = link->nv == 6, reversed = link->motion >= CD_SPHERICAL_REVERSED;
    const mat3 R0 = X->R, R = m3_quaternion(q + (floating ? 3 : 0));
    spatial*   angular_columns = S + (floating ? 3 : 0);
    X->R                       = m3_mul_m3(R0, reversed ? m3_transpose(R) : R);
    if (reversed) {
        angular_columns[0].a = v3_neg(m3_column_x(R));
        angular_columns[1].a = v3_neg(m3_column_y(R));
        angular_columns[2].a = v3_neg(m3_column_z(R));
    }
    if (!floating) return;

    const vec3 x = v3(q[0], q[1], q[2]);
    if (reversed) {
        X->p = v3_sub(X->p, m3_mul(X->R, x));
        for (int i = 0; i < 3; ++i) angular_columns[i].l = v3_cross(x, angular_columns[i].a);
    } else {
        X->p   = v3_add(X->p, m3_mul(R0, x));
        S[0].l = v3(R.xx, R.xy, R.xz);
        S[1].l = v3(R.yx, R.yy, R.yz);
        S[2].l = v3(R.zx, R.zy, R.zz);
    }
}

static inline void free_body_pose(const real* q, frame* X, spatial* S)
{
    const mat3 R = m3_quaternion(q + 3);
    *X           = (frame){R, v3(q[0], q[1], q[2])};
    S[0].l       = v3(R.xx, R.xy, R.xz);
    S[1].l       = v3(R.yx, R.yy, R.yz);
    S[2].l       = v3(R.zx, R.zy, R.zz);
}

void cd_forward_kinematics_free(const cardan_model* m, cd_kinematics* k, const real* q, int from, int to)
{
    for (int i = from; i < to; ++i) {
        const real* x = q + m->link[i].q;
        k->X[i]       = (frame){m3_quaternion(x + 3), v3(x[0], x[1], x[2])};
    }
}

void cd_forward_kinematics(const cardan_model* m, cd_kinematics* k, const real* q)
{
    for (int i = 0; i < m->nlink; ++i) {
        if (cd_link_is_free(m, &m->link[i])) {
            free_body_pose(q + m->link[i].q, &k->X[i], k->S + m->link[i].v);
            continue;
        }
        const cd_tree_transform* transform = &m->tree_transform[i];
        frame                    X         = {m3_const(transform->R), v3_const(transform->p)};
        if (transform->motion == CD_REVOLUTE || transform->motion == CD_SCREW) {
            real s, c;
            r_sincos(q[transform->q], &s, &c);
            if (transform->motion == CD_SCREW)
                X.p = v3_add_scaled(X.p, r_mul(r_const(transform->pitch), q[transform->q]), m3_column_z(X.R));
            X.R = m3_rotate_z(X.R, s, c);
        } else if (transform->motion == CD_PRISMATIC) {
            X.p = v3_add_scaled(X.p, q[transform->q], m3_column_z(X.R));
        } else {
            quaternion_joint_pose(&m->link[i], &X, k->S + m->link[i].v, q + transform->q);
        }
        k->X[i] = X;
    }
}
