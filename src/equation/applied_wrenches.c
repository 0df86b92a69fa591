// SPDX-License-Identifier: BSD-3-Clause
#include "equation/applied_wrenches.h"

#include "constraint/joint_chain.h"

static void joint_ends(const cd_world_motion* world, const cd_compiled_joint* joint, cd_end_state end[2])
{
    cd_end_state_evaluate(&joint->frame_first, world, &end[0]);
    cd_end_state_evaluate(&joint->frame_second, world, &end[1]);
}

void cd_evaluate_joint_states(const cardan_model* m, const cd_world_motion* world, int n, const int* joint, real* q,
                              real* v)
{
    for (int i = 0; i < n; ++i) {
        const int    j = joint[i];
        cd_end_state end[2];
        joint_ends(world, &m->joint[j], end);
        cd_joint_state_from_frames(&m->joint[j], end, q + m->joint_range[j].q, v + m->joint_range[j].v);
    }
}

void cd_evaluate_off_tree_joints(const cardan_model* m, const cd_world_motion* world, real* q, real* v)
{
    cd_evaluate_joint_states(m, world, m->noff_tree, m->off_tree, q, v);
}

void cd_add_body_wrenches(const cardan_model* m, const cd_world_motion* world, const spatial* at_centre,
                          spatial* wrench)
{
    for (int i = 0; i < m->nbody; ++i) {
        const cd_link_frame* at = &m->body[i];
        const spatial        F  = at_centre[i];
        const vec3           c  = v3_add(v3_const(at->p), m3_mul(m3_const(at->R), v3_const(m->view.body[i].centre)));
        const vec3           r  = m3_mul(world->pose[at->link].R, c);
        if (at->link >= 0) wrench[at->link] = sv_add(wrench[at->link], (spatial){v3_add(F.a, v3_cross(r, F.l)), F.l});
    }
}

void cd_apply_force_elements(const cardan_model* m, const cd_force_type* const* type, const bool* is_disabled,
                             const cd_world_motion* world, const real* component, spatial* wrench, real* effort,
                             real* stored_power)
{
    cd_force_effect effect = {wrench, effort, stored_power};
    for (int i = 0; i < m->view.nforce; ++i) {
        if (is_disabled && is_disabled[i]) continue;
        const cd_force_input input = {m, world, component + 3 * i};
        type[i]->apply(&m->view.force[i], &input, &effect);
    }
}

// World direction of the axis of an elementary joint, fixed to the first marker.
static vec3 axis_in_world(const cd_world_motion* world, const cd_link_frame* first, const cd_elementary_joint* element)
{
    return m3_mul(world->pose[first->link].R, m3_mul(m3_const(first->R), cd_elementary_joint_axis(element)));
}

static void add_link_moment(spatial* wrench, int link, vec3 n)
{
    if (link >= 0) wrench[link].a = v3_add(wrench[link].a, n);
}

// Effort about one axis as a pair of torques; it does not depend on the position of the joint.
static void add_axis_torque(const cd_world_motion* world, const cd_compiled_joint* joint, real effort, spatial* wrench)
{
    const vec3 x = axis_in_world(world, &joint->frame_first, &joint->elementary[0]),
               n = v3_scale(r_div(effort, v3_dot(x, x)), x);
    add_link_moment(wrench, joint->frame_second.link, n);
    add_link_moment(wrench, joint->frame_first.link, v3_neg(n));
}

void cd_add_off_tree_efforts(const cardan_model* m, const cd_world_motion* world, const real* q, const real* effort,
                             spatial* wrench)
{
    cd_force_effect      effect = {wrench, NULL, NULL};
    const cd_force_input input  = {m, world, NULL};
    for (int i = 0; i < m->noff_tree; ++i) {
        const cd_compiled_joint* joint  = &m->joint[m->off_tree[i]];
        const cardan_index_range range  = m->joint_range[m->off_tree[i]];
        bool                     active = false;
        for (int k = 0; k < range.nv; ++k) active |= !r_is_zero(effort[range.v + k]);
        if (!active) continue;
        if (joint->nelementary == 1 &&
            (joint->elementary[0].motion == CD_REVOLUTE || joint->elementary[0].motion == CD_SCREW)) {
            add_axis_torque(world, joint, effort[range.v], wrench);
            continue;
        }
        cd_end_state end[2];
        joint_ends(world, joint, end);
        const cd_joint_columns c = cd_joint_columns_at(joint, end, q + range.q);
        const spatial          F = cd_joint_wrench(&c, effort + range.v);
        cd_add_force_at_point(&input, &effect, joint->frame_second.link, end[0].T.p, F.l, F.a);
        cd_add_force_at_point(&input, &effect, joint->frame_first.link, end[0].T.p, v3_neg(F.l), v3_neg(F.a));
    }
}

void cd_rotate_wrenches_to_links(const cardan_model* m, const cd_world_motion* world, spatial* wrench)
{
    for (int i = 0; i < m->nlink; ++i) {
        const mat3 R = world->pose[i].R;
        wrench[i]    = (spatial){m3_tmul(R, wrench[i].a), m3_tmul(R, wrench[i].l)};
    }
}
