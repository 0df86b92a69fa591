// SPDX-License-Identifier: BSD-3-Clause
// Driver of a marker along a curve: its origin is at C(u(t)) in the axes of the carrier, u a law of time.
//
//   c = x - C(u)       cdot = xdot - C' u'       cddot = xddot - C'' u'^2 - C' u''
//
// Corners as in point_on_curve.c: memory[0] is u.
#include "constraint/constraint.h"

#include "constraint/curve.h"

static void evaluate(const cd_constraint* c, const cd_end* end, const cd_moment* now, cd_equations* e)
{
    const cd_law_values law = cd_law_of(c, now, 0);
    const cd_piece      piece =
        cd_is_held(now->memory) ? (cd_piece){r_value(now->memory[2]), r_value(now->memory[3])} : cd_curve_whole;
    const cd_curve_point C = cd_curve_on(c->curve, piece, law.x);
    const vec3 first = v3_scale(law.v, C.p1), second = v3_add_scaled(v3_scale(r_mul(law.v, law.v), C.p2), law.a, C.p1);
    now->memory[0]  = law.x;
    const real p[3] = {C.p.x, C.p.y, C.p.z}, v[3] = {first.x, first.y, first.z}, a[3] = {second.x, second.y, second.z};
    for (int i = 0; i < 3; ++i) {
        cd_scalar_row row = cd_row_along(end, m3_column(end[0].T.R, i));
        cd_row_less(&row, p[i], v[i], a[i]);
        cd_row_put(&row, i, e);
    }
}

static bool prepare(const cd_prepare* p, cd_constraint* c)
{
    if (!cd_take_markers(p, c) || !cd_take_curve(p, c)) return false;
    c->nrow = c->nposition = 3;
    c->driven              = 7;
    return cd_take_law(p, 0, c) || cd_refuse(p, "it has no law of motion");
}

const cd_constraint_type cd_constraint_follow = {
    .name     = "follow",
    .summary  = "the first marker's origin runs along a spline carried by the second, by a law of time",
    .fields   = "markers, curve, law",
    .prepare  = prepare,
    .evaluate = evaluate,
};
