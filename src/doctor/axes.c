// SPDX-License-Identifier: BSD-3-Clause
// Axes of the motions that joints allow, in the world: of the tree from the motion columns of its links, of joints that
// close loops from their frames on both bodies.
#include "doctor/doctor.h"

#include <math.h>
#include <string.h>

static cd_axis turning(int j, vec3 u, vec3 p, bool ball)
{
    return (cd_axis){.joint = j, .turns = true, .ball = ball, .u = u, .p = p};
}
static cd_axis sliding(int j, vec3 u, vec3 p) { return (cd_axis){.joint = j, .u = u, .p = p}; }

static vec3 unit(vec3 u) { return v3_scale(1 / sqrt(v3_dot(u, u)), u); }

static int axes_of_link(cardan_data* d, int i, cd_axis* axis)
{
    const cd_link* link = &d->m->link[i];
    const frame    T    = d->world.pose[i];
    const vec3     z    = m3_column_z(T.R);
    int            n    = 0;
    if (link->motion == CD_SLIDE) {
        axis[n++] = sliding(link->joint, z, T.p);
    } else if (link->motion == CD_HINGE || link->motion == CD_HELIX) {
        axis[n]         = turning(link->joint, z, T.p, false);
        axis[n++].pitch = link->motion == CD_HELIX ? d->m->mount[i].pitch : 0;
    } else {
        const vec3 u[3] = {m3_column_x(T.R), m3_column_y(T.R), z};
        for (int k = 0; k < 3; ++k) axis[n++] = turning(link->joint, u[k], T.p, true);
        for (int k = 0; k < 3 && link->nv == 6; ++k) axis[n++] = sliding(link->joint, u[k], T.p);
    }
    return n;
}

static frame world_frame(const cardan_data* d, const cd_attached* at)
{
    const frame T = d->world.pose[at->link];
    return (frame){m3_mul_m3(T.R, m3_lift(at->R)), v3_add(T.p, m3_mul(T.R, v3_lift(at->p)))};
}

// The first step of a joint goes with its first body, the last with its second.
static int axes_of_cut(cardan_data* d, int j, cd_axis* axis)
{
    const cd_joint_info* joint = &d->m->joint[j];
    const frame          first = world_frame(d, &joint->frame_first), second = world_frame(d, &joint->frame_second);
    int                  n = 0;
    for (int s = 0; s < joint->nstep; ++s) {
        const cd_step* step = &joint->step[s];
        const frame    T    = s == 0 ? first : second;
        if (step->motion >= CD_BALL) {
            const vec3 u[3] = {m3_column_x(second.R), m3_column_y(second.R), m3_column_z(second.R)};
            for (int k = 0; k < 3; ++k) axis[n++] = turning(j, u[k], second.p, true);
            for (int k = 0; k < 3 && cd_motion_nv(step->motion) == 6; ++k) axis[n++] = sliding(j, u[k], second.p);
            continue;
        }
        const mat3 R = step->motion == CD_SLIDE ? first.R : T.R;
        const vec3 u = unit(m3_mul(R, v3_lift(step->axis)));
        if (step->motion == CD_SLIDE)
            axis[n++] = sliding(j, u, T.p);
        else {
            axis[n]         = turning(j, u, second.p, false);
            axis[n++].pitch = step->motion == CD_HELIX ? step->pitch : 0;
        }
    }
    return n;
}

int cd_joint_axes(cardan_data* d, int j, cd_axis axis[CARDAN_JOINT_MAX])
{
    const cd_joint_info* joint = &d->m->joint[j];
    int                  n     = 0;
    cd_know_world(d);
    if (joint->cut) return axes_of_cut(d, j, axis);
    for (int i = 0; i < joint->nlink; ++i) n += axes_of_link(d, joint->first_link + i, axis + n);
    return n;
}

void cd_axis_motion(const cd_axis* axis, vec3 c, double length, double motion[6])
{
    const vec3 w      = axis->turns ? axis->u : v3_zero();
    vec3       v      = axis->turns ? v3_cross(axis->u, v3_sub(c, axis->p)) : v3_scale(length, axis->u);
    v                 = v3_scale(1 / length, v3_add_scaled(v, axis->turns ? axis->pitch : 0, axis->u));
    const double m[6] = {w.x, w.y, w.z, v.x, v.y, v.z};
    memcpy(motion, m, sizeof m);
}
