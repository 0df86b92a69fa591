// SPDX-License-Identifier: BSD-3-Clause
// Corners of a spline: its direction is discontinuous where only the position is continuous, at knots whose
// multiplicity is the degree, and at every inner knot of a polyline. If both one-sided directions are equal, as between
// arcs of a NURBS, there is no corner, except for a point that moves by the parameter: its velocity is discontinuous
// where the derivative is.
#include "constraint/curve/curve.h"
#include "constraint/constraint_tolerances.h"

static bool has_corner_at(const cardan_curve* curve, double u, bool by_parameter)
{
    const vec3 a = cd_curve_evaluate_one_sided(curve, r_const(u), true).p1,
               b = cd_curve_evaluate_one_sided(curve, r_const(u), false).p1, n = v3_cross(a, b);
    const double aa = r_value(v3_dot(a, a)), bb = r_value(v3_dot(b, b));
    if (by_parameter)
        return r_value(v3_dot(v3_sub(a, b), v3_sub(a, b))) > cd_curve_corner_sine * cd_curve_corner_sine * fmax(aa, bb);
    if (!(aa > 0) || !(bb > 0)) return false;
    return r_value(v3_dot(a, b)) <= 0 || r_value(v3_dot(n, n)) > cd_curve_corner_sine * cd_curve_corner_sine * aa * bb;
}

// Whether knot i is the first of a knot whose multiplicity is the degree, inside an open curve, anywhere in a closed
// one.
static bool may_have_corner(const cardan_curve* curve, int i)
{
    const int    p = cd_curve_degree(curve);
    const double u = cd_curve_knot(curve, i);
    double       first, last;
    cd_curve_domain(curve, &first, &last);
    if (!curve->closed && !(u > first && u < last)) return false;
    return cd_curve_knot(curve, i + p - 1) == u && (p == 1 || cd_curve_knot(curve, i - 1) < u);
}

// The corner `at`, or its periodic image that comes first from u on.
static double next_period_image(const cardan_curve* curve, double at, double u, int direction)
{
    double first, last;
    if (!cd_curve_is_periodic(curve) || !isfinite(u)) return at;
    cd_curve_domain(curve, &first, &last);
    const double range = last - first, periods = (u - at) / range;
    return at + range * (direction > 0 ? floor(periods + cd_curve_corner_tolerance) + 1
                                       : ceil(periods - cd_curve_corner_tolerance) - 1);
}

// Open curves: inner knots, and the ends if they coincide; closed curves: the knots of one period.
double cd_curve_next_corner(const cardan_curve* curve, bool by_parameter, double u, int direction)
{
    double    first, last, best = direction > 0 ? INFINITY : -INFINITY;
    const int p = cd_curve_degree(curve), n = curve->npoint;
    cd_curve_domain(curve, &first, &last);
    for (int i = curve->closed ? 0 : p; i < n; ++i) {
        const double at = cd_curve_knot(curve, i), next = next_period_image(curve, at, u, direction);
        if (!(direction * (next - u) > 0 && direction * (best - next) > 0)) continue;
        const bool seam = !curve->closed && i == p;
        if ((seam ? cd_curve_is_periodic(curve) : may_have_corner(curve, i)) && has_corner_at(curve, at, by_parameter))
            best = next;
    }
    return best;
}

bool cd_curve_has_corner(const cardan_curve* curve, bool by_parameter)
{
    double first, last;
    cd_curve_domain(curve, &first, &last);
    return isfinite(cd_curve_next_corner(curve, by_parameter, first - (last - first) / 2, 1));
}

int cd_curve_max_coincident_points(const cardan_curve* curve)
{
    int       max_count = 1, run = 1;
    const int n = curve->npoint, count = curve->closed ? 2 * n : n;
    for (int i = 1; i < count; ++i) {
        const double *a = curve->point + 3 * ((i - 1) % n), *b = curve->point + 3 * (i % n);
        run       = a[0] == b[0] && a[1] == b[1] && a[2] == b[2] ? run + 1 : 1;
        max_count = run > max_count ? run : max_count;
    }
    return max_count;
}
