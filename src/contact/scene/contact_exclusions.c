// SPDX-License-Identifier: BSD-3-Clause
// Bodies that never touch: those of one link (one body, or welded), those that a joint connects, and those that a third
// body, or ground, holds at the same point by joints without translations: rods at a common node touch only inside of it.
// A listed pair overrides the joints, an ignored one is never tested.
#include "contact/scene/scene_compiler.h"

#include "contact/scene/scene_tolerances.h"
#include "contact/vector3.h"
#include "model/joint/joint_type.h"

#include <string.h>

static int link_of(const cardan_model* m, int body) { return body == CARDAN_GROUND ? -1 : m->body[body].link; }

// Whether the pair is listed: 1, ignored: -1, else 0. The last entry counts.
static int listing(const cardan_model* m, int first, int second)
{
    int found = 0;
    for (int i = 0; i < m->view.ncontact_pair; ++i) {
        const cardan_contact_pair* p = &m->view.contact_pair[i];
        if ((p->body[0] == first && p->body[1] == second) || (p->body[0] == second && p->body[1] == first))
            found = p->ignored ? -1 : 1;
    }
    return found;
}

// A free joint restricts nothing: its bodies may touch.
static bool restricts(const cardan_model* m, int joint) { return strcmp(m->view.joint[joint].type, "free") != 0; }

// Joint ends on their links: body of the joint, link, point.
typedef struct joint_end {
    int link;
    d3  point;
} joint_end;

static joint_end end_of(const cardan_model* m, int joint, int side)
{
    const cardan_joint* j    = &m->view.joint[joint];
    const cardan_pose*  at   = side == 0 ? &j->frame_first : &j->frame_second;
    const int           body = side == 0 ? j->first_body : j->second_body;
    if (body == CARDAN_GROUND) return (joint_end){-1, d3_of(at->p)};
    const cd_link_frame* on = &m->body[body];
    return (joint_end){on->link, d3_add(d3_rotate(on->R, d3_of(at->p)), d3_of(on->p))};
}

static bool is_joined(const cardan_model* m, int a, int b)
{
    for (int j = 0; j < m->view.njoint; ++j) {
        const int first = end_of(m, j, 0).link, second = end_of(m, j, 1).link;
        if (restricts(m, j) && ((first == a && second == b) || (first == b && second == a))) return true;
    }
    return false;
}

// Whether a joint holds a point of its second body at a point of the first: its motions are rotations.
static bool holds_point(const cardan_model* m, int joint)
{
    const cardan_joint* j = &m->view.joint[joint];
    cd_elementary_joint element[CARDAN_JOINT_VELOCITIES_MAX];
    const int           n     = cd_joint_type_find(j->type)->elementary_joints(j, element);
    bool                holds = true;
    for (int i = 0; i < n; ++i) holds &= element[i].motion == CD_REVOLUTE || element[i].motion == CD_SPHERICAL;
    return holds;
}

// The end of joint j opposite to link `of`, on a third link; false if the joint does not hold a point of `of`.
static bool other_end(const cardan_model* m, int j, int of, joint_end* other)
{
    const joint_end first = end_of(m, j, 0), second = end_of(m, j, 1);
    if ((first.link != of && second.link != of) || !holds_point(m, j)) return false;
    *other = first.link == of ? second : first;
    return true;
}

static bool is_held_at_same_point(const cardan_model* m, int a, int b)
{
    joint_end at_a, at_b;
    for (int i = 0; i < m->view.njoint; ++i)
        for (int j = 0; other_end(m, i, a, &at_a) && j < m->view.njoint; ++j) {
            if (!other_end(m, j, b, &at_b) || at_a.link != at_b.link) continue;
            const double size = fmax(d3_norm(at_a.point), d3_norm(at_b.point));
            if (d3_norm(d3_sub(at_a.point, at_b.point)) <= cd_same_point_tolerance * size) return true;
        }
    return false;
}

bool cd_bodies_may_touch(const cardan_model* m, int first, int second)
{
    const int a = link_of(m, first), b = link_of(m, second), listed = listing(m, first, second);
    if (a == b || listed < 0) return false;
    if (listed > 0) return true;
    return !m->view.contact_settings->listed_pairs_only && !is_joined(m, a, b) && !is_held_at_same_point(m, a, b);
}
