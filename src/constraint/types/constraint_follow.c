// SPDX-License-Identifier: BSD-3-Clause
// Driver of a marker along a curve: its origin is at C(u(t)) in the axes of the carrier, u a driver function.
//
//   c = x - C(u)       cdot = xdot - C' u'       cddot = xddot - C'' u'^2 - C' u''
//
// Corners as in constraint_point_on_curve.c: history[0] is u.
#include "constraint/constraint.h"

#include "constraint/curve/curve.h"

static void evaluate(const cd_constraint* c, const cd_end_state* end, const cd_constraint_context* context,
                     cd_constraint_equations* e)
{
    const cd_driver_values driver = cd_driver_values_of(c, context, 0);
    const cd_curve_segment segment =
        cd_has_curve_segment(context->history)
            ? (cd_curve_segment){r_value(context->history[2]), r_value(context->history[3])}
            : cd_curve_full_segment;
    const cd_curve_point C     = cd_curve_evaluate_segment(c->curve, segment, driver.x);
    const vec3           first = v3_scale(driver.v, C.p1),
               second          = v3_add_scaled(v3_scale(r_mul(driver.v, driver.v), C.p2), driver.a, C.p1);
    context->history[0]        = driver.x;
    const real p[3] = {C.p.x, C.p.y, C.p.z}, v[3] = {first.x, first.y, first.z}, a[3] = {second.x, second.y, second.z};
    for (int i = 0; i < 3; ++i) {
        cd_scalar_row row = cd_translation_row(end, m3_column(end[0].T.R, i));
        cd_scalar_row_subtract(&row, p[i], v[i], a[i]);
        cd_scalar_row_store(&row, i, e);
    }
}

static bool prepare(const cd_constraint_builder* p, cd_constraint* c)
{
    if (!cd_constraint_init_markers(p, c) || !cd_constraint_init_curve(p, c)) return false;
    c->nrow = c->nholonomic = 3;
    c->driven_rows          = 7;
    return cd_constraint_init_driver(p, 0, c) || cd_constraint_fail(p, "it has no driver function");
}

const cd_constraint_type cd_constraint_follow = {
    .name     = "follow",
    .summary  = "the first marker's origin moves along a spline fixed to the second, by a driver function of time",
    .fields   = "markers, curve, law (driver function)",
    .prepare  = prepare,
    .evaluate = evaluate,
};
