// SPDX-License-Identifier: BSD-3-Clause
// Joint force elements.
//
//   spring     -k (q - reference)                         stored: k (q - reference)^2 / 2
//   damper     -c v
//   friction   -f tanh(v / vs),  f forward or backward by the sign of v
//   stop       -k x - c v, x penetration, never pulling   stored: k x^2 / 2
//
// A simulation freezes the side of every stop within a step and changes it at located events, so that its forces are
// smooth within the step.
//
// Along a quaternion the coordinate is the component of the rotation vector, and an elastic effort is the gradient of
// its potential (force/rotation_vector_moment.h).
#include "force/joint_forces.h"

#include "force/rotation_vector_moment.h"

// Coordinate of an element, its rate, and the direction of its effort in v (one component, or three for a quaternion).
typedef struct force_coordinate {
    real x, rate;
    vec3 direction;
    int  v0; // first angular velocity of the quaternion; CARDAN_NONE for a scalar coordinate
} force_coordinate;

static force_coordinate force_coordinate_of(const cd_joint_force_element* element, const real* q, const real* v)
{
    if (element->quaternion == CARDAN_NONE)
        return (force_coordinate){q[element->q], v[element->v], v3_zero(), CARDAN_NONE};
    const vec3 theta = rotation_vector(q + element->quaternion);
    const vec3 unit  = v3_unit(element->component);
    const int  v0    = element->v - element->component;
    const vec3 g     = rotation_vector_moment(theta, unit, -1);
    return (force_coordinate){v3_dot(unit, theta), v3_dot(g, v3(v[v0], v[v0 + 1], v[v0 + 2])), g, v0};
}

static void add_effort(const cd_joint_force_element* element, const force_coordinate* s, real effort, real* tau)
{
    if (s->v0 == CARDAN_NONE) {
        tau[element->v] = r_add(tau[element->v], effort);
        return;
    }
    for (int i = 0; i < 3; ++i) tau[s->v0 + i] = r_add(tau[s->v0 + i], r_mul(effort, v3_component(s->direction, i)));
}

// Penetration beyond the limit of a side.
static real penetration(const cardan_axis_properties* a, int side, real x)
{
    return side > 0 ? r_sub(x, r_const(a->upper)) : side < 0 ? r_sub(x, r_const(a->lower)) : r_const(0);
}

static real stop_force(const cardan_axis_properties* a, int side, real x, real rate)
{
    return r_add(r_scale(a->stop_stiffness, penetration(a, side, x)), r_scale(a->stop_damping, rate));
}

// State of a stop by the current state.
static cd_stop_state stop_at_state(const cardan_axis_properties* a, real x, real rate)
{
    const int side = r_value(x) > a->upper ? +1 : r_value(x) < a->lower ? -1 : 0;
    return (cd_stop_state){side, side * r_value(stop_force(a, side, x, rate)) <= 0};
}

static real stop_effort(const cardan_axis_properties* a, cd_stop_state stop, real x, real rate)
{
    return stop.side == 0 || stop.is_slack ? r_const(0) : r_neg(stop_force(a, stop.side, x, rate));
}

// Effort of a stop by r_select: beyond a limit, never pulling.
static real stop_effort_branchless(const cardan_axis_properties* a, real x, real rate)
{
    const real zero = r_const(0), above = stop_force(a, 1, x, rate), below = stop_force(a, -1, x, rate);
    const real down = r_select(zero, above, r_neg(above), zero), up = r_select(below, zero, r_neg(below), zero);
    return r_select(r_const(a->upper), x, down, r_select(x, r_const(a->lower), up, zero));
}

void cd_joint_force_coordinate(const cd_joint_force_element* element, const real* q, const real* v, real* x, real* rate)
{
    const force_coordinate s = force_coordinate_of(element, q, v);
    *x                       = s.x;
    *rate                    = s.rate;
}

static bool is_active(const cardan_axis_properties* a)
{
    return a->stiffness != 0 || a->damping != 0 || a->friction_forward != 0 || a->friction_backward != 0 ||
           a->stop_stiffness != 0;
}

bool cd_joint_forces_active(const cardan_model* m, bool off_tree_only)
{
    for (int i = 0; i < m->njoint_force; ++i)
        if (is_active(&m->joint_force[i].parameter) && (!off_tree_only || m->joint_force[i].v >= m->nv)) return true;
    return false;
}

// Damping and friction force; friction that sticks is a contact (dynamics/contacts).
static real damping_and_friction(const cardan_axis_properties* a, real speed)
{
    const real damper = r_scale(a->damping, speed);
    if (a->sticking_friction || (a->friction_forward == 0 && a->friction_backward == 0)) return damper;
    const real level = r_select(r_const(0), speed, r_const(a->friction_forward), r_const(a->friction_backward));
    return r_add(damper, r_mul(level, r_tanh(r_div(speed, r_const(a->friction_speed)))));
}

void cd_joint_forces_apply(const cardan_model* m, const real* q, const real* v, const cd_stop_state* frozen_stops,
                           real* effort)
{
    for (int i = 0; i < m->njoint_force; ++i) {
        const cd_joint_force_element* element = &m->joint_force[i];
        const cardan_axis_properties* a       = &element->parameter;
        if (!is_active(a)) continue;
        const force_coordinate s = force_coordinate_of(element, q, v);
        real                   F = r_scale(-a->stiffness, r_sub(s.x, r_const(a->spring_reference)));
        effort[element->v]       = r_sub(effort[element->v], damping_and_friction(a, v[element->v]));
        if (a->stop_stiffness != 0 && (frozen_stops || r_can_branch()))
            F = r_add(F, stop_effort(a, frozen_stops ? frozen_stops[i] : stop_at_state(a, s.x, s.rate), s.x, s.rate));
        else if (a->stop_stiffness != 0)
            F = r_add(F, stop_effort_branchless(a, s.x, s.rate));
        add_effort(element, &s, F, effort);
    }
}

void cd_joint_forces_stored_energy(const cardan_model* m, const real* q, const real* v,
                                   const cd_stop_state* frozen_stops, real* energy, real* rate)
{
    for (int i = 0; i < m->njoint_force; ++i) {
        const cd_joint_force_element* element = &m->joint_force[i];
        const cardan_axis_properties* a       = &element->parameter;
        if (a->stiffness == 0 && a->stop_stiffness == 0) continue;
        const force_coordinate s    = force_coordinate_of(element, q, v);
        const cd_stop_state    stop = frozen_stops ? frozen_stops[i] : stop_at_state(a, s.x, s.rate);
        const real x = r_sub(s.x, r_const(a->spring_reference)), penetration_depth = penetration(a, stop.side, s.x);
        const real F = r_add(r_scale(a->stiffness, x), r_scale(a->stop_stiffness, penetration_depth));
        *energy      = r_add(*energy,
                             r_scale(0.5, r_add(r_scale(a->stiffness, r_mul(x, x)),
                                                r_scale(a->stop_stiffness, r_mul(penetration_depth, penetration_depth)))));
        *rate        = r_add(*rate, r_mul(F, s.rate));
    }
}
