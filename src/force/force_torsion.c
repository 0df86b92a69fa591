// SPDX-License-Identifier: BSD-3-Clause
// Rotational spring and damper: marker a turned relative to marker b about z of b, turns not counted.
//
//   theta = atan2(x.yb, x.xb)       x: first axis of a
//   theta' = g.(wa - wb)            g = (z - (z.x) x) / (1 - (z.x)^2), which is z itself as long as a turns about z alone
//   T = -(preload + k (theta - theta0) + c theta') g
//
// Along g, the gradient of the angle, so that nothing is gained or lost when a is tilted. Where x points along z there
// is no angle, and nothing is felt.
#include "force/force.h"

typedef struct twist_angle {
    cd_marker_state a, b;
    vec3            g;
    real            angle, rate;
} twist_angle;

static twist_angle angle_of(const cardan_force* force, const cd_force_input* input)
{
    twist_angle s = {.a = cd_marker_state_of(input->m, input->world, force->marker[0]),
                     .b = cd_marker_state_of(input->m, input->world, force->marker[1])};
    const vec3  x = m3_column_x(s.a.R), seen = m3_tmul(s.b.R, x);
    const real  across = r_add(r_mul(seen.x, seen.x), r_mul(seen.y, seen.y));
    const vec3  along  = v3_add_scaled(m3_column_z(s.b.R), r_neg(seen.z), x);
    s.g                = !r_decides() || r_value(across) > 1e-20 ? v3_over(along, across) : v3_zero();
    s.angle            = r_atan2(seen.y, seen.x);
    s.rate             = v3_dot(s.g, v3_sub(s.a.w, s.b.w));
    return s;
}

static real elastic(const cardan_force* force, real x)
{
    return r_add(r_lift(force->preload), r_times(force->stiffness[0], x));
}

// Rate of the stored energy.
static real storing(const twist_angle* s, real held) { return r_mul(held, s->rate); }

static void apply(const cardan_force* force, const cd_force_input* input, cd_force_effect* effect)
{
    const twist_angle s    = angle_of(force, input);
    const real        held = elastic(force, r_sub(s.angle, r_lift(force->length)));
    const real        T    = r_add(held, r_times(force->damping[0], s.rate));
    const vec3        n    = v3_scale(r_neg(T), s.g);
    if (effect->storing) *effect->storing = r_add(*effect->storing, storing(&s, held));
    cd_push(input, effect, s.a.link, s.a.p, v3_zero(), n);
    cd_push(input, effect, s.b.link, s.b.p, v3_zero(), v3_neg(n));
}

static void store(const cardan_force* force, const cd_force_input* input, real* energy, real* rate)
{
    const twist_angle s = angle_of(force, input);
    const real        x = r_sub(s.angle, r_lift(force->length));
    *energy = r_add(r_times(force->preload, x), r_mul(r_times(0.5, r_lift(force->stiffness[0])), r_mul(x, x)));
    *rate   = storing(&s, elastic(force, x));
}

const cd_force_type cd_force_torsion = {
    .name    = "torsion",
    .summary = "rotational spring and damper about z of the second marker",
    .fields  = "two markers, stiffness, damping, free angle, preload",
    .apply   = apply,
    .store   = store,
};
