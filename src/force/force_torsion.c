// SPDX-License-Identifier: BSD-3-Clause
// Rotational spring and damper: marker a turned relative to marker b about z of b, turns not counted.
//
//   theta = atan2(y.x', x.x') of the x axes,     T = -(preload + k (theta - theta0) + c w),  w = z.(wa - wb)
#include "force/force.h"

#include <math.h>

typedef struct twist_angle {
    cd_marker_state a, b;
    vec3            z;
    double          angle, rate;
} twist_angle;

static twist_angle angle_of(const cardan_force* force, const cd_force_input* input)
{
    twist_angle s = {.a = cd_marker_state_of(input->m, input->world, force->marker[0]), .b = cd_marker_state_of(input->m, input->world, force->marker[1])};
    const vec3  x = m3_tmul(s.b.R, m3_column_x(s.a.R));
    s.z           = m3_column_z(s.b.R);
    s.angle       = atan2(x.y, x.x);
    s.rate        = v3_dot(s.z, v3_sub(s.a.w, s.b.w));
    return s;
}

static void apply(const cardan_force* force, const cd_force_input* input, cd_force_effect* effect)
{
    const twist_angle s = angle_of(force, input);
    const vec3 T = v3_scale(-(force->preload + force->stiffness[0] * (s.angle - force->length) + force->damping[0] * s.rate), s.z);
    cd_push(input, effect, s.a.link, s.a.p, v3_zero(), T);
    cd_push(input, effect, s.b.link, s.b.p, v3_zero(), v3_neg(T));
}

static void store(const cardan_force* force, const cd_force_input* input, double* energy, double* rate)
{
    const twist_angle s = angle_of(force, input);
    const double      x = s.angle - force->length;
    *energy             = force->preload * x + force->stiffness[0] * x * x / 2;
    *rate               = (force->preload + force->stiffness[0] * x) * s.rate;
}

const cd_force_type cd_force_torsion = {
    .name    = "torsion",
    .summary = "rotational spring and damper about z of the second marker",
    .fields  = "two markers, stiffness, damping, free angle, preload",
    .apply   = apply,
    .store   = store,
};
