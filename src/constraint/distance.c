// SPDX-License-Identifier: BSD-3-Clause
// Distance of two points: a rod without mass, or with a law of time a cylinder that pushes.
//
//   c = |d| - L(t)        d: from end 0 to end 1, u = d / |d|
//   cdot = u.(v1 - v0) - L'
//   cddot = u.(a1 - a0) + (|v1 - v0|^2 - (u.(v1 - v0))^2) / |d| - L''
#include "constraint/constraint.h"

static void evaluate(const cd_constraint* c, const cd_end* end, const cd_moment* now, cd_equations* e)
{
    const cd_law_values law =
        c->law[0] ? cd_law_of(c, now, 0) : (cd_law_values){r_lift(c->parameter[0]), r_lift(0), r_lift(0)};
    const vec3 d = v3_sub(end[1].T.p, end[0].T.p), v = v3_sub(end[1].v, end[0].v);
    const real n     = r_sqrt(v3_dot(d, d));
    const bool apart = !r_decides() || r_value(n) > 0; // points that coincide have no direction
    const vec3 u     = apart ? v3_over(d, n) : m3_column_x(end[0].T.R);
    const real rate  = v3_dot(u, v);
    const real bend  = apart ? r_div(r_sub(v3_dot(v, v), r_mul(rate, rate)), n) : r_lift(0);
    e->value[0]      = r_sub(n, law.x);
    e->rate[0]       = r_sub(rate, law.v);
    e->h[0]          = r_sub(r_add(v3_dot(u, v3_sub(end[1].bias, end[0].bias)), bend), law.a);
    e->G[0]          = (spatial){v3_neg(v3_cross(end[0].r, u)), v3_neg(u)};
    e->G[1]          = (spatial){v3_cross(end[1].r, u), u};
}

static bool prepare(const cd_prepare* p, cd_constraint* c)
{
    if (!cd_take_markers(p, c)) return false;
    c->nrow = c->nposition = 1;
    c->parameter[0]        = p->described->length;
    if (cd_take_law(p, 0, c))
        c->driven = 1;
    else if (!(p->described->length > 0))
        return cd_refuse(p, "its length is %g m, but must be positive; two points that coincide are a spherical joint",
                         p->described->length);
    return true;
}

const cd_constraint_type cd_constraint_distance = {
    .name     = "distance",
    .summary  = "a rod without mass between two markers; its length is fixed or a law of time",
    .fields   = "markers, length or law",
    .prepare  = prepare,
    .evaluate = evaluate,
};
