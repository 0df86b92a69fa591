// SPDX-License-Identifier: BSD-3-Clause
// Point on a curve: the origin of the first marker stays on a spline fixed to the second marker.
//
//   u: parameter of the foot point, T = C'/|C'|, n1 and n2 normal to it       x: the point in the axes of the carrier
//   c = n.(x - C(u))       cdot = n.xdot       cddot = n.(xddot - C'' udot^2),  udot = T.xdot / |C'|
//
// exact for points on the curve; off it the rows are those of the foot point, as Newton's method needs.
//
// Corners: the simulation restricts the foot point to the segment between two corners, history[2] to history[3], and
// changes it when a corner is passed (simulation/events/corner_events.h). If these are equal, there is no restriction.
#include "constraint/constraint.h"
#include "constraint/constraint_tolerances.h"

#include "constraint/curve/curve.h"

static double component(vec3 T, int i) { return fabs(r_value(v3_component(T, i))); }

// Two directions normal to T, from an axis with a small component along T: the last one as long as possible, so that
// rows are continuous.
static void normal_directions(vec3 T, real* history, vec3* n1, vec3* n2)
{
    int axis = (int)r_value(history[1]) - 1;
    if (axis < 0 || component(T, axis) > 0.8) {
        axis = component(T, 0) <= component(T, 1) ? 0 : 1;
        if (component(T, 2) < component(T, axis)) axis = 2;
    }
    history[1]   = r_const(axis + 1);
    const vec3 n = v3_cross(T, v3_unit(axis));
    *n1          = v3_div(n, r_sqrt(v3_dot(n, n)));
    *n2          = v3_cross(T, *n1);
}

// Foot point, started at the last one. Far off the curve a global search replaces it. `roundoff`: of the position of x.
static cd_curve_point foot_point(const cd_constraint* c, vec3 x, vec3 rate, double roundoff, real* history)
{
    const bool             first   = r_value(history[1]) == 0;
    const cd_curve_segment segment = cd_has_curve_segment(history)
                                         ? (cd_curve_segment){r_value(history[2]), r_value(history[3])}
                                         : cd_curve_full_segment;
    real                   u       = cd_curve_foot_point(c->curve, segment, x, history[0], first);
    cd_curve_point         C       = cd_curve_evaluate_segment(c->curve, segment, u);
    const vec3             d       = v3_sub(x, C.p);
    if (!first &&
        r_value(v3_dot(d, d)) > cd_foot_search_distance * cd_foot_search_distance * c->parameter[0] * c->parameter[0]) {
        u = cd_curve_foot_point(c->curve, segment, x, r_const(0), true);
        C = cd_curve_evaluate_segment(c->curve, segment, u);
    }
    history[0]         = u;
    const double speed = sqrt(r_value(v3_dot(C.p1, C.p1)));
    return cd_curve_evaluate_directed(c->curve, segment, u, speed > 0 ? roundoff / speed : 0,
                                      r_value(v3_dot(C.p1, rate)));
}

// [m] round-off of positions along the curve: of foot points, and of positions in the world.
static double position_roundoff(const cd_constraint* c, const cd_end_state* end)
{
    const double far = r_value(v3_dot(end[0].T.p, end[0].T.p)) + r_value(v3_dot(end[1].T.p, end[1].T.p));
    return cd_foot_point_roundoff * c->parameter[0] + cd_world_position_roundoff * (1 + sqrt(far));
}

static void evaluate(const cd_constraint* c, const cd_end_state* end, const cd_constraint_context* context,
                     cd_constraint_equations* e)
{
    const mat3           R = end[0].T.R;
    const vec3           d = v3_sub(end[1].T.p, end[0].T.p), x = m3_tmul(R, d);
    const vec3           rate        = m3_tmul(R, v3_sub(v3_sub(end[1].v, end[0].v), v3_cross(end[0].w, d)));
    const cd_curve_point C           = foot_point(c, x, rate, position_roundoff(c, end), context->history);
    const real           speed       = r_sqrt(v3_dot(C.p1, C.p1));
    const bool           has_tangent = r_value(speed) > 0;
    const vec3           T           = has_tangent ? v3_div(C.p1, speed) : v3_unit(0);
    const real           udot        = has_tangent ? r_div(v3_dot(T, rate), speed) : r_const(0);
    vec3                 n[2];
    normal_directions(T, context->history, &n[0], &n[1]);
    for (int i = 0; i < 2; ++i) {
        cd_scalar_row row = cd_translation_row(end, m3_mul(R, n[i]));
        cd_scalar_row_subtract(&row, v3_dot(n[i], C.p), r_const(0), r_mul(v3_dot(n[i], C.p2), r_mul(udot, udot)));
        cd_scalar_row_store(&row, i, e);
    }
}

bool cd_constraint_init_curve(const cd_constraint_builder* p, cd_constraint* c)
{
    const cardan_curve* curve  = &p->definition->curve;
    const char*         defect = cd_curve_check(curve);
    if (defect) return cd_constraint_fail(p, "%s", defect);
    c->curve      = curve;
    double extent = 0;
    for (int i = 3; i < 3 * curve->npoint; ++i) extent = fmax(extent, fabs(curve->point[i] - curve->point[i % 3]));
    c->parameter[0] = extent; // [m]
    return true;
}

static bool prepare(const cd_constraint_builder* p, cd_constraint* c)
{
    if (!cd_constraint_init_markers(p, c) || !cd_constraint_init_curve(p, c)) return false;
    const int degree = cd_curve_degree(c->curve), coincident = cd_curve_max_coincident_points(c->curve);
    if (coincident >= (degree > 2 ? degree : 2))
        return cd_constraint_fail(
            p, "%d successive points of its curve coincide: at degree %d the curve has no direction there", coincident,
            degree);
    c->nrow = c->nholonomic = 2;
    return true;
}

const cd_constraint_type cd_constraint_point_on_curve = {
    .name     = "point_on_curve",
    .summary  = "the first marker's origin stays on a spline fixed to the second",
    .fields   = "markers, curve",
    .prepare  = prepare,
    .evaluate = evaluate,
};
