// SPDX-License-Identifier: BSD-3-Clause
// Spring and damper between two points. Tension is positive and pulls the points together.
//
//   L = |b - a|, e = (b - a)/L        F = preload + k (L - L0) + c dL/dt
//
// with a table in place of k (force over extension L - L0) or of c (force over dL/dt). Between coincident points there
// is no direction and no force. If preload = k L0 (zero free length), the spring part of F e is k (b - a), which is
// smooth there.
#include "force/force.h"

#include "expression/formula_evaluation.h"
#include "model/description.h"

typedef struct spring_line {
    cd_marker_point a, b;
    vec3            d, e;
    real            length, rate;
} spring_line;

static spring_line spring_line_of(const cardan_force* force, const cd_force_input* input)
{
    spring_line s    = {.a = cd_marker_point_of(input->m, input->world, force->marker[0]),
                        .b = cd_marker_point_of(input->m, input->world, force->marker[1])};
    const real  zero = r_const(0);
    s.d              = v3_sub(s.b.p, s.a.p);
    s.length         = r_sqrt(v3_dot(s.d, s.d));
    s.e              = !r_can_branch() || r_value(s.length) > 0 ? v3_div(s.d, s.length) : v3_zero();
    if (!r_can_branch())
        s.e = v3(r_select(zero, s.length, s.e.x, zero), r_select(zero, s.length, s.e.y, zero),
                 r_select(zero, s.length, s.e.z, zero));
    s.rate = v3_dot(s.e, v3_sub(s.b.v, s.a.v));
    return s;
}

// Linear, or by table.
static real linear_or_table(const cd_force_input* input, int table, double factor, real x)
{
    return table == CARDAN_NONE ? r_scale(factor, x)
                                : cd_table_evaluate_real(input->m->description->graph, table, 0, x);
}

static real elastic_force(const cardan_force* force, const cd_force_input* input, real extension)
{
    return r_add(r_const(force->preload), linear_or_table(input, force->force_table, force->stiffness[0], extension));
}

static bool is_zero_length(const cardan_force* force)
{
    const real unstretched = r_mul(r_const(force->stiffness[0]), r_const(force->free_length));
    return force->force_table == CARDAN_NONE && r_is_zero(r_sub(r_const(force->preload), unstretched));
}

// Rate of the stored energy.
static real stored_power(const spring_line* s, real tension) { return r_mul(tension, s->rate); }

static void apply(const cardan_force* force, const cd_force_input* input, cd_force_effect* effect)
{
    const spring_line s       = spring_line_of(force, input);
    const real        damper  = linear_or_table(input, force->damper_table, force->damping[0], s.rate);
    const real        tension = elastic_force(force, input, r_sub(s.length, r_const(force->free_length)));
    const vec3 f = is_zero_length(force) ? v3_add(v3_scale(r_const(force->stiffness[0]), s.d), v3_scale(damper, s.e))
                                         : v3_scale(r_add(tension, damper), s.e);
    if (effect->stored_power) *effect->stored_power = r_add(*effect->stored_power, stored_power(&s, tension));
    cd_add_force_at_point(input, effect, s.a.link, s.a.p, f, v3_zero());
    cd_add_force_at_point(input, effect, s.b.link, s.b.p, v3_neg(f), v3_zero());
}

// Energy of the extension x: preload x + k x^2 / 2, or the integral of the table.
static void stored_energy(const cardan_force* force, const cd_force_input* input, real* energy, real* rate)
{
    const spring_line s      = spring_line_of(force, input);
    const real        x      = r_sub(s.length, r_const(force->free_length));
    const bool        table  = force->force_table != CARDAN_NONE;
    const real        stored = table ? cd_table_evaluate_real(input->m->description->graph, force->force_table, -1, x)
                                     : r_mul(r_scale(0.5, r_const(force->stiffness[0])), r_mul(x, x));
    *energy                  = r_add(r_scale(force->preload, x), stored);
    *rate                    = stored_power(&s, elastic_force(force, input, x));
}

const cd_force_type cd_force_spring = {
    .name          = "spring",
    .summary       = "spring and damper between two points, linear or given by tables",
    .fields        = "two markers, stiffness or force table, damping or damper table, free length, preload",
    .apply         = apply,
    .stored_energy = stored_energy,
};
