// SPDX-License-Identifier: BSD-3-Clause
// Compliant contact law.
//
//   d = max(0, -g),  d' = -n.u                        penetration and its rate
//   N = k d^n max(0, 1 + c d')                        Hunt-Crossley; stored: k d^(n+1)/(n+1)
//   F = -mu(|u_t|) N u_t / sqrt(|u_t|^2 + v_d^2)      regularized Coulomb friction
//   mu(v) = mu_k + (mu_s - mu_k) exp(-(v/v_s)^2)      Stribeck
//   m_t = -delta_r N w_t / sqrt(|w_t|^2 + w_d^2),  m_n = -delta_s N w_n / sqrt(w_n^2 + w_d^2)
//
// Brush: a spring and damper in series with a slider; x is the deflection of the spring, stored: k_t |x|^2/2.
//
//   f = -(k_t x + c_t u_t);   stick if |f| <= mu(|u_t|) N:   F = f,             x' = u_t
//                             else:                          F = mu N f/|f|,    x' = -(F + k_t x)/c_t
//
// Force and rate are continuous at the limit. Without contact N = 0, and the spring relaxes by x' = -(k_t/c_t) x. The
// part of x along the normal, which appears when the normal turns, relaxes in the same way.
//
// K. H. Hunt, F. R. E. Crossley, Coefficient of restitution interpreted as damping in vibroimpact, J. Appl. Mech. 42
// (1975) 440-445.
#include "force/compliant_law.h"

#include "force/force_tolerances.h"

static real positive_part(real a) { return r_select(r_const(0), a, a, r_const(0)); }

// Remove the component along n.
static vec3 tangential(vec3 n, vec3 a) { return v3_sub(a, v3_scale(v3_dot(n, a), n)); }

// exp(-x), x >= 0
static real exp_of_negative(real x)
{
    const real t = r_tanh(r_scale(0.5, x));
    return r_div(r_sub(r_const(1), t), r_add(r_const(1), t));
}

// Elastic force k d^n of the penetration d. In traced code both branches of a selection are evaluated, also their
// derivatives, so that the base of the power stays positive there.
static real elastic_force(const cd_compliant_law* law, real d)
{
    const real floor = r_const(cd_traced_penetration_floor), zero = r_const(0);
    if (r_can_branch()) return r_value(d) > 0 ? r_scale(law->stiffness, r_power(d, law->exponent)) : zero;
    const real force = r_scale(law->stiffness, r_power(r_select(floor, d, d, floor), law->exponent));
    return r_select(floor, d, force, zero);
}

static real friction_coefficient(const cd_compliant_law* law, real speed_square)
{
    const double difference = law->static_friction - law->kinetic_friction, v = law->stribeck_speed;
    if (!(v > 0) || difference == 0) return r_const(law->kinetic_friction);
    return r_add(r_const(law->kinetic_friction),
                 r_scale(difference, exp_of_negative(r_scale(1 / (v * v), speed_square))));
}

// The factor 1/sqrt(a.a + scale^2)
static real regularized_inverse(real square, double scale)
{
    return r_div(r_const(1), r_sqrt(r_add(square, r_const(scale * scale))));
}

static vec3 regularized_friction(const cd_compliant_law* law, real N, vec3 u)
{
    const real square = v3_dot(u, u), bound = r_mul(friction_coefficient(law, square), N);
    return v3_scale(r_neg(r_mul(bound, regularized_inverse(square, law->friction_speed))), u);
}

static vec3 brush_friction(const cd_compliant_law* law, real N, vec3 n, vec3 u, vec3 x, cd_compliant_load* load)
{
    const real kt = r_const(law->tangential_stiffness), ct = r_const(law->tangential_damping);
    const vec3 xt = tangential(n, x), xn = v3_sub(x, xt);
    const vec3 trial  = v3_neg(v3_add(v3_scale(kt, xt), v3_scale(ct, u)));
    const real square = v3_dot(trial, trial), bound = r_mul(friction_coefficient(law, v3_dot(u, u)), N);
    const bool sticks     = r_value(square) <= r_value(bound) * r_value(bound);
    const vec3 F          = sticks ? trial : v3_scale(r_div(bound, r_sqrt(square)), trial);
    const vec3 rate       = sticks ? u : v3_scale(r_div(r_const(-1), ct), v3_add(F, v3_scale(kt, xt)));
    load->deflection_rate = v3_sub(rate, v3_scale(r_div(kt, ct), xn));
    load->stored_energy   = r_add(load->stored_energy, r_scale(0.5, r_mul(kt, v3_dot(x, x))));
    load->stored_power    = r_add(load->stored_power, r_mul(kt, v3_dot(x, load->deflection_rate)));
    return F;
}

// Rolling and spinning friction.
static vec3 friction_moment(const cd_compliant_law* law, real N, vec3 n, vec3 w)
{
    const vec3 wt   = tangential(n, w);
    const real wn   = v3_dot(n, w);
    const real spin = r_scale(law->spinning_friction, r_mul(N, regularized_inverse(r_mul(wn, wn), law->friction_rate)));
    const real roll = r_scale(law->rolling_friction, r_mul(N, regularized_inverse(v3_dot(wt, wt), law->friction_rate)));
    return v3_neg(v3_add(v3_scale(r_mul(spin, wn), n), v3_scale(roll, wt)));
}

cd_compliant_load cd_compliant_load_of(const cd_compliant_law* law, const cd_compliant_motion* motion, vec3 deflection)
{
    const vec3 n = motion->normal, u = motion->velocity, ut = tangential(n, u);
    const real d = positive_part(r_neg(motion->gap)), rate = r_neg(v3_dot(n, u)), elastic = elastic_force(law, d);
    cd_compliant_load load = {.moment = v3_zero(), .deflection_rate = v3_zero()};
    load.normal_force      = r_mul(elastic, positive_part(r_add(r_const(1), r_scale(law->damping, rate))));
    load.stored_energy     = r_scale(1 / (law->exponent + 1), r_mul(elastic, d));
    load.stored_power      = r_mul(elastic, rate);
    vec3 friction          = v3_zero();
    if (law->has_brush)
        friction = brush_friction(law, load.normal_force, n, ut, deflection, &load);
    else if (law->static_friction > 0)
        friction = regularized_friction(law, load.normal_force, ut);
    if (law->rolling_friction > 0 || law->spinning_friction > 0)
        load.moment = friction_moment(law, load.normal_force, n, motion->angular_velocity);
    load.force = v3_add_scaled(friction, load.normal_force, n);
    return load;
}
