// SPDX-License-Identifier: BSD-3-Clause
// Point on a curve: the first marker's origin stays on a spline that the second marker carries.
//
//   u: parameter of the nearest point, T = C'/|C'|, n1 and n2 across it       x: the point in the axes of the carrier
//   c = n.(x - C(u))       cdot = n.xdot       cddot = n.(xddot - C'' udot^2),  udot = T.xdot / |C'|
//
// exact for points on the curve; off it the rows are those of the curve's nearest point, which is what Newton needs.
//
// Corners: whoever steps holds the foot to the piece of the curve between two of them, memory[2] to memory[3], and
// changes it where one is passed (motion/corners.h). Nothing is held where these are equal.
#include "constraint/constraint.h"

#include "constraint/curve.h"

static const double lost = 1e-3; // of the curve's extent: so far off a foot is looked for everywhere

static double component(vec3 T, int i) { return fabs(r_value(v3_component(T, i))); }

// Two directions across T, by an axis that it has little of: the last one as long as it serves, so that rows do not
// jump.
static void across(vec3 T, real* memory, vec3* n1, vec3* n2)
{
    int axis = (int)r_value(memory[1]) - 1;
    if (axis < 0 || component(T, axis) > 0.8) {
        axis = component(T, 0) <= component(T, 1) ? 0 : 1;
        if (component(T, 2) < component(T, axis)) axis = 2;
    }
    memory[1]    = r_lift(axis + 1);
    const vec3 n = v3_cross(T, v3_unit(axis));
    *n1          = v3_over(n, r_sqrt(v3_dot(n, n)));
    *n2          = v3_cross(T, *n1);
}

// The foot, begun at the last one. Far off the curve the last one is not trusted. `rounding`: of the place of x.
static cd_curve_point foot(const cd_constraint* c, vec3 x, vec3 rate, double rounding, real* memory)
{
    const bool     first = r_value(memory[1]) == 0;
    const cd_piece piece = cd_is_held(memory) ? (cd_piece){r_value(memory[2]), r_value(memory[3])} : cd_curve_whole;
    real           u     = cd_curve_foot(c->curve, piece, x, memory[0], first);
    cd_curve_point C     = cd_curve_on(c->curve, piece, u);
    const vec3     d     = v3_sub(x, C.p);
    if (!first && r_value(v3_dot(d, d)) > lost * lost * c->parameter[0] * c->parameter[0]) {
        u = cd_curve_foot(c->curve, piece, x, r_lift(0), true);
        C = cd_curve_on(c->curve, piece, u);
    }
    memory[0]          = u;
    const double speed = sqrt(r_value(v3_dot(C.p1, C.p1)));
    return cd_curve_along(c->curve, piece, u, speed > 0 ? rounding / speed : 0, r_value(v3_dot(C.p1, rate)));
}

// [m] by which places along the curve may be wrong: feet are as exact as that, and places in the world.
static double rounding_of(const cd_constraint* c, const cd_end* end)
{
    const double far = r_value(v3_dot(end[0].T.p, end[0].T.p)) + r_value(v3_dot(end[1].T.p, end[1].T.p));
    return 1e-12 * c->parameter[0] + 1e-14 * (1 + sqrt(far));
}

static void evaluate(const cd_constraint* c, const cd_end* end, const cd_moment* now, cd_equations* e)
{
    const mat3           R = end[0].T.R;
    const vec3           d = v3_sub(end[1].T.p, end[0].T.p), x = m3_tmul(R, d);
    const vec3           rate  = m3_tmul(R, v3_sub(v3_sub(end[1].v, end[0].v), v3_cross(end[0].w, d)));
    const cd_curve_point C     = foot(c, x, rate, rounding_of(c, end), now->memory);
    const real           speed = r_sqrt(v3_dot(C.p1, C.p1));
    const bool           runs  = r_value(speed) > 0;
    const vec3           T     = runs ? v3_over(C.p1, speed) : v3_unit(0);
    const real           udot  = runs ? r_div(v3_dot(T, rate), speed) : r_lift(0);
    vec3                 n[2];
    across(T, now->memory, &n[0], &n[1]);
    for (int i = 0; i < 2; ++i) {
        cd_scalar_row row = cd_row_along(end, m3_mul(R, n[i]));
        cd_row_less(&row, v3_dot(n[i], C.p), r_lift(0), r_mul(v3_dot(n[i], C.p2), r_mul(udot, udot)));
        cd_row_put(&row, i, e);
    }
}

bool cd_take_curve(const cd_prepare* p, cd_constraint* c)
{
    const cardan_curve* curve = &p->described->curve;
    const char*         fault = cd_curve_fault(curve);
    if (fault) return cd_refuse(p, "%s", fault);
    c->curve      = curve;
    double extent = 0;
    for (int i = 3; i < 3 * curve->npoint; ++i) extent = fmax(extent, fabs(curve->point[i] - curve->point[i % 3]));
    c->parameter[0] = extent; // [m]
    return true;
}

static bool prepare(const cd_prepare* p, cd_constraint* c)
{
    if (!cd_take_markers(p, c) || !cd_take_curve(p, c)) return false;
    const int degree = cd_curve_degree(c->curve), stay = cd_curve_stay(c->curve);
    if (stay >= (degree > 2 ? degree : 2))
        return cd_refuse(p, "%d successive points of its curve coincide: at degree %d the curve has no direction there",
                         stay, degree);
    c->nrow = c->nposition = 2;
    return true;
}

const cd_constraint_type cd_constraint_point_on_curve = {
    .name     = "point_on_curve",
    .summary  = "the first marker's origin stays on a spline carried by the second",
    .fields   = "markers, curve",
    .prepare  = prepare,
    .evaluate = evaluate,
};
