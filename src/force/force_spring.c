// SPDX-License-Identifier: BSD-3-Clause
// Spring and damper between two points. Tension is positive and pulls the points together.
//
//   L = |b - a|, e = (b - a)/L        F = preload + k (L - L0) + c dL/dt
// with a table in place of k (force over extension L - L0) or of c (force over dL/dt). Points that coincide have no
// direction and feel nothing. Where preload = k L0, as in a spring of no length, the spring's part of F e is k (b - a),
// which is smooth there.
#include "force/force.h"

#include "expression/numbers.h"
#include "model/description.h"

typedef struct line {
    cd_marker_point a, b;
    vec3            d, e;
    real            length, rate;
} line;

static line line_of(const cardan_force* force, const cd_force_input* input)
{
    line       s    = {.a = cd_marker_point_of(input->m, input->world, force->marker[0]),
                       .b = cd_marker_point_of(input->m, input->world, force->marker[1])};
    const real zero = r_lift(0);
    s.d             = v3_sub(s.b.p, s.a.p);
    s.length        = r_sqrt(v3_dot(s.d, s.d));
    s.e             = !r_decides() || r_value(s.length) > 0 ? v3_over(s.d, s.length) : v3_zero();
    if (!r_decides())
        s.e = v3(r_pick(zero, s.length, s.e.x, zero), r_pick(zero, s.length, s.e.y, zero),
                 r_pick(zero, s.length, s.e.z, zero));
    s.rate = v3_dot(s.e, v3_sub(s.b.v, s.a.v));
    return s;
}

// Linear, or by table.
static real by_law(const cd_force_input* input, int table, double factor, real x)
{
    return table == CARDAN_NONE ? r_times(factor, x) : cd_number_table(input->m->description->graph, table, 0, x);
}

static real elastic(const cardan_force* force, const cd_force_input* input, real extension)
{
    return r_add(r_lift(force->preload), by_law(input, force->force_table, force->stiffness[0], extension));
}

static bool has_no_length(const cardan_force* force)
{
    const real unstretched = r_mul(r_lift(force->stiffness[0]), r_lift(force->length));
    return force->force_table == CARDAN_NONE && r_vanishes(r_sub(r_lift(force->preload), unstretched));
}

// Rate of the stored energy.
static real storing(const line* s, real held) { return r_mul(held, s->rate); }

static void apply(const cardan_force* force, const cd_force_input* input, cd_force_effect* effect)
{
    const line s      = line_of(force, input);
    const real damper = by_law(input, force->damper_table, force->damping[0], s.rate);
    const real held   = elastic(force, input, r_sub(s.length, r_lift(force->length)));
    const vec3 f      = has_no_length(force) ? v3_add(v3_scale(r_lift(force->stiffness[0]), s.d), v3_scale(damper, s.e))
                                             : v3_scale(r_add(held, damper), s.e);
    if (effect->storing) *effect->storing = r_add(*effect->storing, storing(&s, held));
    cd_push(input, effect, s.a.link, s.a.p, f, v3_zero());
    cd_push(input, effect, s.b.link, s.b.p, v3_neg(f), v3_zero());
}

// Energy of the extension x: preload x + k x^2 / 2, or the integral of the table.
static void store(const cardan_force* force, const cd_force_input* input, real* energy, real* rate)
{
    const line s     = line_of(force, input);
    const real x     = r_sub(s.length, r_lift(force->length));
    const bool table = force->force_table != CARDAN_NONE;
    const real held  = table ? cd_number_table(input->m->description->graph, force->force_table, -1, x)
                             : r_mul(r_times(0.5, r_lift(force->stiffness[0])), r_mul(x, x));
    *energy          = r_add(r_times(force->preload, x), held);
    *rate            = storing(&s, elastic(force, input, x));
}

const cd_force_type cd_force_spring = {
    .name    = "spring",
    .summary = "spring and damper between two points, linear or by table",
    .fields  = "two markers, stiffness or force table, damping or damper table, free length, preload",
    .apply   = apply,
    .store   = store,
};
