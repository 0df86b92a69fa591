// SPDX-License-Identifier: BSD-3-Clause
// Distance of two points: a massless rod, or with a driver function an actuator of prescribed length.
//
//   c = |d| - L(t)        d: from end 0 to end 1, u = d / |d|
//   cdot = u.(v1 - v0) - L'
//   cddot = u.(a1 - a0) + (|v1 - v0|^2 - (u.(v1 - v0))^2) / |d| - L''
#include "constraint/constraint.h"

static void evaluate(const cd_constraint* c, const cd_end_state* end, const cd_constraint_context* context,
                     cd_constraint_equations* e)
{
    const cd_driver_values driver = c->driver_number[0]
                                        ? cd_driver_values_of(c, context, 0)
                                        : (cd_driver_values){r_const(c->parameter[0]), r_const(0), r_const(0)};
    const vec3             d = v3_sub(end[1].T.p, end[0].T.p), v = v3_sub(end[1].v, end[0].v);
    const real             n             = r_sqrt(v3_dot(d, d));
    const bool             has_direction = !r_can_branch() || r_value(n) > 0; // coincident points have no direction
    const vec3             u             = has_direction ? v3_div(d, n) : m3_column_x(end[0].T.R);
    const real             rate          = v3_dot(u, v);
    const real             centripetal = has_direction ? r_div(r_sub(v3_dot(v, v), r_mul(rate, rate)), n) : r_const(0);
    e->value[0]                        = r_sub(n, driver.x);
    e->rate[0]                         = r_sub(rate, driver.v);
    e->h[0] = r_sub(r_add(v3_dot(u, v3_sub(end[1].bias, end[0].bias)), centripetal), driver.a);
    e->G[0] = (spatial){v3_neg(v3_cross(end[0].r, u)), v3_neg(u)};
    e->G[1] = (spatial){v3_cross(end[1].r, u), u};
}

static bool prepare(const cd_constraint_builder* p, cd_constraint* c)
{
    if (!cd_constraint_init_markers(p, c)) return false;
    c->nrow = c->nholonomic = 1;
    c->parameter[0]         = p->definition->length;
    if (cd_constraint_init_driver(p, 0, c))
        c->driven_rows = 1;
    else if (!(p->definition->length > 0))
        return cd_constraint_fail(
            p, "its length is %g m, but must be positive; for two points that coincide use a spherical joint",
            p->definition->length);
    return true;
}

const cd_constraint_type cd_constraint_distance = {
    .name     = "distance",
    .summary  = "a massless rod between two markers; its length is constant or a driver function of time",
    .fields   = "markers, length or law (driver function)",
    .prepare  = prepare,
    .evaluate = evaluate,
};
