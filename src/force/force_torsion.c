// SPDX-License-Identifier: BSD-3-Clause
// Rotational spring and damper: angle of marker a relative to marker b about z of b, without winding number.
//
//   theta = atan2(x.yb, x.xb)       x: first axis of a
//   theta' = g.(wa - wb)            g = (z - (z.x) x) / (1 - (z.x)^2), equal to z for rotations about z only
//   T = -(preload + k (theta - theta0) + c theta') g
//
// The torque acts along g, the gradient of the angle, so that energy is conserved if a is tilted. If x is parallel to
// z, the angle is undefined and the torque is zero.
#include "force/force.h"
#include "force/force_tolerances.h"

typedef struct torsion_state {
    cd_marker_state a, b;
    vec3            g;
    real            angle, rate;
} torsion_state;

static torsion_state torsion_state_of(const cardan_force* force, const cd_force_input* input)
{
    torsion_state s = {.a = cd_marker_state_of(input->m, input->world, force->marker[0]),
                       .b = cd_marker_state_of(input->m, input->world, force->marker[1])};
    const vec3    x = m3_column_x(s.a.R), x_in_b = m3_tmul(s.b.R, x);
    const real    across = r_add(r_mul(x_in_b.x, x_in_b.x), r_mul(x_in_b.y, x_in_b.y));
    const vec3    along  = v3_add_scaled(m3_column_z(s.b.R), r_neg(x_in_b.z), x);
    s.g     = !r_can_branch() || r_value(across) > cd_torsion_axis_sine_sq ? v3_div(along, across) : v3_zero();
    s.angle = r_atan2(x_in_b.y, x_in_b.x);
    s.rate  = v3_dot(s.g, v3_sub(s.a.w, s.b.w));
    return s;
}

static real elastic_torque(const cardan_force* force, real x)
{
    return r_add(r_const(force->preload), r_scale(force->stiffness[0], x));
}

// Rate of the stored energy.
static real stored_power(const torsion_state* s, real torque) { return r_mul(torque, s->rate); }

static void apply(const cardan_force* force, const cd_force_input* input, cd_force_effect* effect)
{
    const torsion_state s         = torsion_state_of(force, input);
    const real          restoring = elastic_torque(force, r_sub(s.angle, r_const(force->free_length)));
    const real          T         = r_add(restoring, r_scale(force->damping[0], s.rate));
    const vec3          n         = v3_scale(r_neg(T), s.g);
    if (effect->stored_power) *effect->stored_power = r_add(*effect->stored_power, stored_power(&s, restoring));
    cd_add_force_at_point(input, effect, s.a.link, s.a.p, v3_zero(), n);
    cd_add_force_at_point(input, effect, s.b.link, s.b.p, v3_zero(), v3_neg(n));
}

static void stored_energy(const cardan_force* force, const cd_force_input* input, real* energy, real* rate)
{
    const torsion_state s = torsion_state_of(force, input);
    const real          x = r_sub(s.angle, r_const(force->free_length));
    *energy = r_add(r_scale(force->preload, x), r_mul(r_scale(0.5, r_const(force->stiffness[0])), r_mul(x, x)));
    *rate   = stored_power(&s, elastic_torque(force, x));
}

const cd_force_type cd_force_torsion = {
    .name          = "torsion",
    .summary       = "rotational spring and damper about the z axis of the second marker",
    .fields        = "two markers, stiffness, damping, free angle, preload",
    .apply         = apply,
    .stored_energy = stored_energy,
};
