// SPDX-License-Identifier: BSD-3-Clause
// Signals at a state. Marker a relative to marker b, in the axes of b: position, velocity, angular velocity; distance
// and its rate; angle about axis i of b: direction of the next axis j of a in the plane of j and k.
#include "force/signal_values.h"

#include "model/description.h"

// Signals that need only points; axes are computed only if needed, since they cost most.
static real point_signal(const cd_signal_input* f, const cardan_signal* s)
{
    const cd_marker_point a = cd_marker_point_of(f->m, f->world, s->a), b = cd_marker_point_of(f->m, f->world, s->b);
    const vec3            r = v3_sub(a.p, b.p), v = v3_sub(a.v, b.v);
    if (s->kind == CARDAN_SIGNAL_DISTANCE || s->kind == CARDAN_SIGNAL_DISTANCE_RATE) {
        const real length = r_sqrt(v3_dot(r, r));
        if (s->kind == CARDAN_SIGNAL_DISTANCE) return length;
        const real rate = !r_can_branch() || r_value(length) > 0 ? r_div(v3_dot(r, v), length) : r_const(0);
        return r_can_branch() ? rate : r_select(r_const(0), length, rate, r_const(0));
    }
    const vec3 axis = m3_column(cd_marker_axes(f->m, f->world, s->b), s->component);
    return v3_dot(axis, s->kind == CARDAN_SIGNAL_POSITION
                            ? r
                            : v3_sub(v, v3_cross(cd_marker_angular_velocity(f->m, f->world, s->b), r)));
}

static real rotation_signal(const cd_signal_input* f, const cardan_signal* s)
{
    const int  i = s->component, j = (i + 1) % 3, k = (i + 2) % 3;
    const mat3 b = cd_marker_axes(f->m, f->world, s->b);
    if (s->kind == CARDAN_SIGNAL_ANGULAR_VELOCITY)
        return v3_dot(m3_column(b, i), v3_sub(cd_marker_angular_velocity(f->m, f->world, s->a),
                                              cd_marker_angular_velocity(f->m, f->world, s->b)));
    const vec3 axis_in_b = m3_tmul(b, m3_column(cd_marker_axes(f->m, f->world, s->a), j));
    return r_atan2(v3_component(axis_in_b, k), v3_component(axis_in_b, j));
}

real cd_signal_value(const cd_signal_input* f, const cardan_signal* s)
{
    switch (s->kind) {
    case CARDAN_SIGNAL_TIME:
        return f->t;
    case CARDAN_SIGNAL_STATE:
        return f->state[s->a];
    case CARDAN_SIGNAL_COORDINATE:
        return f->q[f->m->joint_range[s->a].q + s->component];
    case CARDAN_SIGNAL_EFFORT:
        return f->effort ? f->effort[f->m->joint_range[s->a].v + s->component] : r_const(0);
    case CARDAN_SIGNAL_REACTION: // dynamics/reactions/reaction_loads.c
    case CARDAN_SIGNAL_ACCELERATION:
        return r_const(0); // not available at a state; tasks compute it
    case CARDAN_SIGNAL_SPEED:
        return f->v[f->m->joint_range[s->a].v + s->component];
    case CARDAN_SIGNAL_PARAMETER:
        return r_const(cd_parametric_input_values(f->m->description->parametric)[s->a]);
    case CARDAN_SIGNAL_POSITION:
    case CARDAN_SIGNAL_VELOCITY:
    case CARDAN_SIGNAL_DISTANCE:
    case CARDAN_SIGNAL_DISTANCE_RATE:
        return point_signal(f, s);
    default:
        return rotation_signal(f, s);
    }
}
