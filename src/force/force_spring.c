// SPDX-License-Identifier: BSD-3-Clause
// Spring and damper between two points. Tension is positive and pulls the points together.
//
//   L = |b - a|, e = (b - a)/L        F = preload + k (L - L0) + c dL/dt
// with a table in place of k (force over extension L - L0) or of c (force over dL/dt). Points that coincide have no
// direction and feel nothing.
#include "force/force.h"

#include "model/description.h"

#include <math.h>

typedef struct line {
    cd_marker_state a, b;
    vec3            e;
    double          length, rate;
} line;

static line line_of(const cardan_force* force, const cd_force_input* input)
{
    line       s  = {.a = cd_marker_state_of(input->m, input->world, force->marker[0]), .b = cd_marker_state_of(input->m, input->world, force->marker[1])};
    const vec3 d  = v3_sub(s.b.p, s.a.p);
    s.length      = sqrt(v3_dot(d, d));
    s.e           = s.length > 0 ? v3_scale(1 / s.length, d) : v3_zero();
    s.rate        = v3_dot(s.e, v3_sub(s.b.v, s.a.v));
    return s;
}

static double elastic(const cardan_force* force, const cd_force_input* input, double extension)
{
    if (force->force_table == CARDAN_NONE) return force->preload + force->stiffness[0] * extension;
    return force->preload + cd_graph_table(input->m->description->graph, force->force_table, 0, extension);
}

static void apply(const cardan_force* force, const cd_force_input* input, cd_force_effect* effect)
{
    const line   s = line_of(force, input);
    const double damper = force->damper_table == CARDAN_NONE ? force->damping[0] * s.rate
                                                             : cd_graph_table(input->m->description->graph, force->damper_table, 0, s.rate);
    const vec3   f = v3_scale(elastic(force, input, s.length - force->length) + damper, s.e);
    cd_push(input, effect, s.a.link, s.a.p, f, v3_zero());
    cd_push(input, effect, s.b.link, s.b.p, v3_neg(f), v3_zero());
}

// Energy of the extension x: preload x + k x^2 / 2, or the integral of the table.
static void store(const cardan_force* force, const cd_force_input* input, double* energy, double* rate)
{
    const line   s = line_of(force, input);
    const double x = s.length - force->length;
    *energy        = force->preload * x;
    if (force->force_table == CARDAN_NONE) *energy += force->stiffness[0] * x * x / 2;
    else *energy += cd_graph_table(input->m->description->graph, force->force_table, -1, x);
    *rate = elastic(force, input, x) * s.rate;
}

const cd_force_type cd_force_spring = {
    .name    = "spring",
    .summary = "spring and damper between two points, linear or by table",
    .fields  = "two markers, stiffness or force table, damping or damper table, free length, preload",
    .apply   = apply,
    .store   = store,
};
