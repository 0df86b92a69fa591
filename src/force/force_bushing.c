// SPDX-License-Identifier: BSD-3-Clause
// Bushing: six springs and dampers between two markers, in the axes of the second. Displacement d of a in b, rotation
// vector theta of a in b; the moment is the gradient of the potential, so that energy is conserved without dampers.
//
//   f = -K d - C ddot        n = -G'(theta) Kr theta - Cr w        acting on a; the opposite on b at the same point
#include "force/force.h"
#include "force/rotation_vector_moment.h"

typedef struct bushing {
    cd_marker_state a, b;
    vec3            d, rate, theta, w; // axes of b
} bushing;

static bushing bushing_of(const cardan_force* force, const cd_force_input* input)
{
    bushing    s = {.a = cd_marker_state_of(input->m, input->world, force->marker[0]),
                    .b = cd_marker_state_of(input->m, input->world, force->marker[1])};
    const vec3 r = v3_sub(s.a.p, s.b.p);
    real       q[4];
    quaternion_of_matrix(m3_relative(s.b.R, s.a.R), q);
    s.d     = m3_tmul(s.b.R, r);
    s.rate  = m3_tmul(s.b.R, v3_sub(v3_sub(s.a.v, s.b.v), v3_cross(s.b.w, r)));
    s.theta = rotation_vector(q);
    s.w     = m3_tmul(s.b.R, v3_sub(s.a.w, s.b.w));
    return s;
}

static vec3 scale_diagonal(const double k[3], vec3 x)
{
    return v3(r_scale(k[0], x.x), r_scale(k[1], x.y), r_scale(k[2], x.z));
}

// Rate of the stored energy; kd, kt: its gradient by displacement and rotation.
static real stored_power(const bushing* s, vec3 kd, vec3 kt) { return r_add(v3_dot(kd, s->rate), v3_dot(kt, s->w)); }

static void apply(const cardan_force* force, const cd_force_input* input, cd_force_effect* effect)
{
    const bushing s  = bushing_of(force, input);
    const vec3    kd = scale_diagonal(force->stiffness, s.d),
               kt    = rotation_vector_moment(s.theta, scale_diagonal(force->stiffness + 3, s.theta), 1);
    const vec3 f     = m3_mul(s.b.R, v3_neg(v3_add(kd, scale_diagonal(force->damping, s.rate))));
    const vec3 n     = m3_mul(s.b.R, v3_neg(v3_add(kt, scale_diagonal(force->damping + 3, s.w))));
    if (effect->stored_power) *effect->stored_power = r_add(*effect->stored_power, stored_power(&s, kd, kt));
    cd_add_force_at_point(input, effect, s.a.link, s.a.p, f, n);
    cd_add_force_at_point(input, effect, s.b.link, s.a.p, v3_neg(f), v3_neg(n));
}

static void stored_energy(const cardan_force* force, const cd_force_input* input, real* energy, real* rate)
{
    const bushing s  = bushing_of(force, input);
    const vec3    kd = scale_diagonal(force->stiffness, s.d), kt = scale_diagonal(force->stiffness + 3, s.theta);
    *energy = r_scale(0.5, r_add(v3_dot(s.d, kd), v3_dot(s.theta, kt)));
    *rate   = stored_power(&s, kd, rotation_vector_moment(s.theta, kt, 1));
}

const cd_force_type cd_force_bushing = {
    .name          = "bushing",
    .summary       = "six springs and dampers between two markers, along the axes of the second",
    .fields        = "two markers, stiffness and damping along x y z and about x y z",
    .apply         = apply,
    .stored_energy = stored_energy,
};
