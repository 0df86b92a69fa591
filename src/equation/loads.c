// SPDX-License-Identifier: BSD-3-Clause
#include "equation/loads.h"

#include "constraint/steps.h"

static void ends_of(const cd_world* world, const cd_joint_info* joint, cd_end end[2])
{
    cd_end_at_state(&joint->frame_first, world, &end[0]);
    cd_end_at_state(&joint->frame_second, world, &end[1]);
}

void cd_measure_some(const cardan_model* m, const cd_world* world, int n, const int* joint, real* q, real* v)
{
    for (int i = 0; i < n; ++i) {
        const int j = joint[i];
        cd_end    end[2];
        ends_of(world, &m->joint[j], end);
        cd_measure(&m->joint[j], end, q + m->place[j].q, v + m->place[j].v);
    }
}

void cd_measure_joints(const cardan_model* m, const cd_world* world, real* q, real* v)
{
    cd_measure_some(m, world, m->nmeasured, m->measured, q, v);
}

void cd_gather_wrenches(const cardan_model* m, const cd_world* world, const spatial* at_centre, spatial* wrench)
{
    for (int i = 0; i < m->nbody; ++i) {
        const cd_attached* at = &m->body[i];
        const spatial      F  = at_centre[i];
        const vec3         c  = v3_add(v3_lift(at->p), m3_mul(m3_lift(at->R), v3_lift(m->view.body[i].centre)));
        const vec3         r  = m3_mul(world->pose[at->link].R, c);
        if (at->link >= 0) wrench[at->link] = sv_add(wrench[at->link], (spatial){v3_add(F.a, v3_cross(r, F.l)), F.l});
    }
}

void cd_apply_elements(const cardan_model* m, const cd_force_type* const* type, const bool* left_out,
                       const cd_world* world, const real* component, spatial* wrench, real* effort, real* storing)
{
    cd_force_effect effect = {wrench, effort, storing};
    for (int i = 0; i < m->view.nforce; ++i) {
        if (left_out && left_out[i]) continue;
        const cd_force_input input = {m, world, component + 3 * i};
        type[i]->apply(&m->view.force[i], &input, &effect);
    }
}

// The axis of a step of the joint in the world, as its first marker carries it.
static vec3 axis_in_world(const cd_world* world, const cd_attached* first, const cd_step* step)
{
    return m3_mul(world->pose[first->link].R, m3_mul(m3_lift(first->R), cd_step_axis(step)));
}

static void push_by(spatial* wrench, int link, vec3 n)
{
    if (link >= 0) wrench[link].a = v3_add(wrench[link].a, n);
}

// A motor about one axis: a pair of torques, wherever it is.
static void push_about(const cd_world* world, const cd_joint_info* joint, real effort, spatial* wrench)
{
    const vec3 x = axis_in_world(world, &joint->frame_first, &joint->step[0]),
               n = v3_scale(r_div(effort, v3_dot(x, x)), x);
    push_by(wrench, joint->frame_second.link, n);
    push_by(wrench, joint->frame_first.link, v3_neg(n));
}

void cd_push_joints(const cardan_model* m, const cd_world* world, const real* q, const real* effort, spatial* wrench)
{
    cd_force_effect      effect = {wrench, NULL, NULL};
    const cd_force_input input  = {m, world, NULL};
    for (int i = 0; i < m->nmeasured; ++i) {
        const cd_joint_info* joint  = &m->joint[m->measured[i]];
        const cardan_slot    place  = m->place[m->measured[i]];
        bool                 active = false;
        for (int k = 0; k < place.nv; ++k) active |= !r_vanishes(effort[place.v + k]);
        if (!active) continue;
        if (joint->nstep == 1 && (joint->step[0].motion == CD_HINGE || joint->step[0].motion == CD_HELIX)) {
            push_about(world, joint, effort[place.v], wrench);
            continue;
        }
        cd_end end[2];
        ends_of(world, joint, end);
        const cd_joint_columns c = cd_joint_columns_at(joint, end, q + place.q);
        const spatial          F = cd_joint_wrench(&c, effort + place.v);
        cd_push(&input, &effect, joint->frame_second.link, end[0].T.p, F.l, F.a);
        cd_push(&input, &effect, joint->frame_first.link, end[0].T.p, v3_neg(F.l), v3_neg(F.a));
    }
}

void cd_turn_wrenches(const cardan_model* m, const cd_world* world, spatial* wrench)
{
    for (int i = 0; i < m->nlink; ++i) {
        const mat3 R = world->pose[i].R;
        wrench[i]    = (spatial){m3_tmul(R, wrench[i].a), m3_tmul(R, wrench[i].l)};
    }
}
