// SPDX-License-Identifier: BSD-3-Clause
// Axes of the motions that joints allow, in world axes: of tree joints from the motion subspaces of their links, of cut
// joints from their frames on both bodies.
#include "diagnosis/diagnosis.h"
#include "dynamics/state.h"

#include <math.h>
#include <string.h>

static cd_joint_axis rotation_axis(int j, vec3 u, vec3 p, bool ball)
{
    return (cd_joint_axis){.joint = j, .is_rotation = true, .of_ball_joint = ball, .u = u, .p = p};
}
static cd_joint_axis translation_axis(int j, vec3 u, vec3 p) { return (cd_joint_axis){.joint = j, .u = u, .p = p}; }

static vec3 normalized(vec3 u) { return v3_scale(1 / sqrt(v3_dot(u, u)), u); }

static int link_axes(cardan_data* d, int i, cd_joint_axis* axis)
{
    const cd_link* link = &d->m->link[i];
    const frame    T    = d->world.pose[i];
    const vec3     z    = m3_column_z(T.R);
    int            n    = 0;
    if (link->motion == CD_PRISMATIC) {
        axis[n++] = translation_axis(link->joint, z, T.p);
    } else if (link->motion == CD_REVOLUTE || link->motion == CD_SCREW) {
        axis[n]         = rotation_axis(link->joint, z, T.p, false);
        axis[n++].pitch = link->motion == CD_SCREW ? d->m->tree_transform[i].pitch : 0;
    } else {
        const vec3 u[3] = {m3_column_x(T.R), m3_column_y(T.R), z};
        for (int k = 0; k < 3; ++k) axis[n++] = rotation_axis(link->joint, u[k], T.p, true);
        for (int k = 0; k < 3 && link->nv == 6; ++k) axis[n++] = translation_axis(link->joint, u[k], T.p);
    }
    return n;
}

static frame world_frame(const cardan_data* d, const cd_link_frame* at)
{
    const frame T = d->world.pose[at->link];
    return (frame){m3_mul_m3(T.R, m3_const(at->R)), v3_add(T.p, m3_mul(T.R, v3_const(at->p)))};
}

// The first elementary joint is fixed to the first body, the last to the second.
static int cut_joint_axes(cardan_data* d, int j, cd_joint_axis* axis)
{
    const cd_compiled_joint* joint = &d->m->joint[j];
    const frame              first = world_frame(d, &joint->frame_first), second = world_frame(d, &joint->frame_second);
    int                      n = 0;
    for (int s = 0; s < joint->nelementary; ++s) {
        const cd_elementary_joint* elementary = &joint->elementary[s];
        const frame                T          = s == 0 ? first : second;
        if (elementary->motion >= CD_SPHERICAL) {
            const vec3 u[3] = {m3_column_x(second.R), m3_column_y(second.R), m3_column_z(second.R)};
            for (int k = 0; k < 3; ++k) axis[n++] = rotation_axis(j, u[k], second.p, true);
            for (int k = 0; k < 3 && cd_motion_nv(elementary->motion) == 6; ++k)
                axis[n++] = translation_axis(j, u[k], second.p);
            continue;
        }
        const mat3 R = elementary->motion == CD_PRISMATIC ? first.R : T.R;
        const vec3 u = normalized(m3_mul(R, v3_const(elementary->axis)));
        if (elementary->motion == CD_PRISMATIC)
            axis[n++] = translation_axis(j, u, T.p);
        else {
            axis[n]         = rotation_axis(j, u, second.p, false);
            axis[n++].pitch = elementary->motion == CD_SCREW ? elementary->pitch : 0;
        }
    }
    return n;
}

int cd_joint_axes(cardan_data* d, int j, cd_joint_axis axis[CARDAN_JOINT_VELOCITIES_MAX])
{
    const cd_compiled_joint* joint = &d->m->joint[j];
    int                      n     = 0;
    cd_update_world(d);
    if (joint->is_cut) return cut_joint_axes(d, j, axis);
    for (int i = 0; i < joint->nlink; ++i) n += link_axes(d, joint->first_link + i, axis + n);
    return n;
}

void cd_joint_axis_twist(const cd_joint_axis* axis, vec3 c, double length, double motion[6])
{
    const vec3 w      = axis->is_rotation ? axis->u : v3_zero();
    vec3       v      = axis->is_rotation ? v3_cross(axis->u, v3_sub(c, axis->p)) : v3_scale(length, axis->u);
    v                 = v3_scale(1 / length, v3_add_scaled(v, axis->is_rotation ? axis->pitch : 0, axis->u));
    const double m[6] = {w.x, w.y, w.z, v.x, v.y, v.z};
    memcpy(motion, m, sizeof m);
}
