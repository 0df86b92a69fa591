// SPDX-License-Identifier: BSD-3-Clause
// B-splines and NURBS, with derivatives in closed form.
//
//   C(u) = A(u) / w(u)                  A = sum of N_i w_i P_i,  w = sum of N_i w_i
//   C' = (A' - w' C) / w                C'' = (A'' - 2 w' C' - w'' C) / w
//
// The derivative of a B-spline of degree p with coefficients P_i is one of degree p - 1 with p (P_i - P_(i-1)) /
// (t_(i+p) - t_i). L. Piegl, W. Tiller, The NURBS Book, algorithms A3.1 and A4.2 in this form.
#include "constraint/curve/curve.h"
#include "constraint/constraint_tolerances.h"

#include <math.h>
#include <stddef.h>

typedef struct homogeneous_point {
    real x[4]; // w P, w
} homogeneous_point;

int cd_curve_degree(const cardan_curve* curve)
{
    const int most = curve->npoint - 1;
    return curve->degree > 0 ? curve->degree : most < 3 ? most : 3;
}

static bool is_degenerate(const cardan_curve* curve)
{
    for (int i = 3; i < 3 * curve->npoint; ++i)
        if (curve->point[i] != curve->point[i % 3]) return false;
    return true;
}

const char* cd_curve_check(const cardan_curve* curve)
{
    const int p = cd_curve_degree(curve), n = curve->npoint;
    if (n < 2) return "a curve needs two points or more";
    if (is_degenerate(curve)) return "all points of the curve coincide";
    if (p > CD_CURVE_DEGREE_MAX) return "the degree of a curve is at most 9";
    if (p > n - 1) return "a curve needs more points than its degree";
    if (curve->closed && p < 2) return "a closed curve needs three points and degree 2 or more";
    for (int i = 0; curve->weight && i < n; ++i)
        if (!(curve->weight[i] > 0)) return "the weights of a curve must be positive";
    if (!curve->knot) return NULL;
    if (curve->nknot != (curve->closed ? n + 1 : n + p + 1))
        return curve->closed ? "a closed curve needs one knot more than points"
                             : "an open curve needs as many knots as points, degree and 1 together";
    for (int i = 1; i < curve->nknot; ++i)
        if (!(curve->knot[i] >= curve->knot[i - 1])) return "the knots of a curve must not decrease";
    double first, last;
    cd_curve_domain(curve, &first, &last);
    return last > first ? NULL : "the knots of a curve must not all be equal";
}

// Closed curves: defined for any integer; knots repeat with the period.
double cd_curve_knot(const cardan_curve* curve, int i)
{
    const int n = curve->npoint, p = cd_curve_degree(curve);
    if (curve->closed) {
        const int period = (int)floor((double)i / n), k = i - period * n;
        return curve->knot ? curve->knot[k] + period * (curve->knot[n] - curve->knot[0]) : (double)i / n;
    }
    if (curve->knot) return curve->knot[i];
    return i <= p ? 0 : i >= n ? 1 : (double)(i - p) / (n - p);
}

bool cd_curve_is_periodic(const cardan_curve* curve)
{
    const int     p = cd_curve_degree(curve), n = curve->npoint;
    const double *a = curve->point, *b = a + 3 * (n - 1);
    if (curve->closed) return true;
    if (a[0] != b[0] || a[1] != b[1] || a[2] != b[2]) return false;
    return cd_curve_knot(curve, 0) == cd_curve_knot(curve, p) && cd_curve_knot(curve, n) == cd_curve_knot(curve, n + p);
}

void cd_curve_domain(const cardan_curve* curve, double* first, double* last)
{
    const int p = cd_curve_degree(curve);
    *first      = cd_curve_knot(curve, curve->closed ? 0 : p);
    *last       = cd_curve_knot(curve, curve->npoint);
}

// Span k with t_k <= u < t_(k+1), or `from_left` with t_k < u <= t_(k+1), by bisection.
static int knot_span(const cardan_curve* curve, double u, bool from_left)
{
    int low = curve->closed ? 0 : cd_curve_degree(curve), high = curve->npoint;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (u < cd_curve_knot(curve, middle) || (from_left && u == cd_curve_knot(curve, middle)))
            high = middle;
        else
            low = middle;
    }
    while (low > 0 && cd_curve_knot(curve, low + 1) <= cd_curve_knot(curve, low)) --low; // end of a clamped curve
    return low;
}

// A closed curve begins near its first point: the indices are shifted by half a support.
static homogeneous_point coefficient(const cardan_curve* curve, int i)
{
    const int n = curve->npoint, shift = curve->closed ? (cd_curve_degree(curve) + 1) / 2 : 0,
              k     = ((i + shift) % n + n) % n;
    const double  w = curve->weight ? curve->weight[k] : 1;
    const double* P = curve->point + 3 * k;
    return (homogeneous_point){{r_const(w * P[0]), r_const(w * P[1]), r_const(w * P[2]), r_const(w)}};
}

// Value at u, in span k, of the spline of degree d with coefficients c[0] to c[d] there, by de Boor's algorithm.
static homogeneous_point de_boor(const cardan_curve* curve, int k, int d, const homogeneous_point* c, real u)
{
    homogeneous_point a[CD_CURVE_DEGREE_MAX + 1];
    a[0] = c[0];
    for (int i = 1; i <= d; ++i) a[i] = c[i];
    for (int r = 1; r <= d; ++r)
        for (int i = d; i >= r; --i) {
            const double t0 = cd_curve_knot(curve, k - d + i), t1 = cd_curve_knot(curve, k + i - r + 1);
            const real   back = r_div(r_sub(r_const(t1), u), r_const(t1 - t0));
            for (int x = 0; x < 4; ++x) a[i].x[x] = r_add(a[i].x[x], r_mul(back, r_sub(a[i - 1].x[x], a[i].x[x])));
        }
    return a[d];
}

// Coefficients of the derivative of the spline of degree d on span k; d of them.
static void derivative_coefficients(const cardan_curve* curve, int k, int d, homogeneous_point* c)
{
    for (int i = 0; i < d; ++i) {
        const double range = cd_curve_knot(curve, k + i + 1) - cd_curve_knot(curve, k - d + i + 1);
        for (int x = 0; x < 4; ++x)
            c[i].x[x] = range > 0 ? r_div(r_scale(d, r_sub(c[i + 1].x[x], c[i].x[x])), r_const(range)) : r_const(0);
    }
}

static vec3 cartesian_part(const homogeneous_point* a) { return v3(a->x[0], a->x[1], a->x[2]); }

// The span is a decision at the state (r_value).
static cd_curve_point evaluate_span(const cardan_curve* curve, real u, bool from_left)
{
    const int         p = cd_curve_degree(curve), k = knot_span(curve, r_value(u), from_left);
    homogeneous_point c[CD_CURVE_DEGREE_MAX + 1], A[3];
    for (int i = 0; i < 12; ++i) A[i / 4].x[i % 4] = r_const(0);
    for (int i = 0; i <= p; ++i) c[i] = coefficient(curve, k - p + i);
    for (int order = 0; order < 3 && order <= p; ++order) {
        A[order] = de_boor(curve, k, p - order, c, u);
        if (order < p) derivative_coefficients(curve, k, p - order, c);
    }
    const real     w = A[0].x[3], w1 = A[1].x[3], w2 = A[2].x[3];
    cd_curve_point C;
    C.p  = v3_div(cartesian_part(&A[0]), w);
    C.p1 = v3_div(v3_add_scaled(cartesian_part(&A[1]), r_neg(w1), C.p), w);
    C.p2 = v3_div(v3_add_scaled(v3_add_scaled(cartesian_part(&A[2]), r_scale(-2, w1), C.p1), r_neg(w2), C.p), w);
    return C;
}

cd_curve_point cd_curve_evaluate_one_sided(const cardan_curve* curve, real u, bool from_left)
{
    double first, last;
    cd_curve_domain(curve, &first, &last);
    const double range = last - first, periods = (r_value(u) - first) / range;
    if (!cd_curve_is_periodic(curve)) return evaluate_span(curve, u, from_left);
    return evaluate_span(curve, r_sub(u, r_const(range * (from_left ? ceil(periods) - 1 : floor(periods)))), from_left);
}

// Intersection of a segment with the domain of the curve.
static cd_curve_segment clip_segment(const cardan_curve* curve, cd_curve_segment segment)
{
    double first, last;
    cd_curve_domain(curve, &first, &last);
    if (cd_curve_is_periodic(curve) && isfinite(segment.from)) return segment;
    return (cd_curve_segment){fmax(first, segment.from), fmin(last, segment.to)};
}

cd_curve_point cd_curve_evaluate_segment(const cardan_curve* curve, cd_curve_segment segment, real u)
{
    const double x = r_value(u);
    if (!isfinite(segment.from) && cd_curve_is_periodic(curve)) return cd_curve_evaluate_one_sided(curve, u, false);
    segment = clip_segment(curve, segment);
    if (segment.from < segment.to && x >= segment.from && x <= segment.to)
        return cd_curve_evaluate_one_sided(curve, u, x == segment.to);
    const real     end = r_const(x < segment.from ? segment.from : segment.to);
    cd_curve_point C   = cd_curve_evaluate_one_sided(curve, end, x > segment.to);
    C.p                = v3_add_scaled(C.p, r_sub(u, end), C.p1);
    C.p2               = v3_zero();
    return C;
}

cd_curve_point cd_curve_evaluate_directed(const cardan_curve* curve, cd_curve_segment segment, real u,
                                          double end_tolerance, double direction)
{
    cd_curve_point         C             = cd_curve_evaluate_segment(curve, segment, u);
    const cd_curve_segment part          = clip_segment(curve, segment);
    const bool             is_restricted = isfinite(segment.from) || isfinite(segment.to),
               lower                     = r_value(u) < part.from + end_tolerance;
    const double end                     = lower ? part.from : part.to;
    if ((!is_restricted && cd_curve_is_periodic(curve)) || !(part.from < part.to) ||
        !(fabs(r_value(u) - end) < end_tolerance))
        return C;
    const bool inside = is_restricted || (lower ? direction >= 0 : direction <= 0);
    const real at     = r_add(u, r_const(end - r_value(u)));
    C.p2              = inside ? cd_curve_evaluate_one_sided(curve, at, !lower).p2 : v3_zero();
    return C;
}

cd_curve_point cd_curve_evaluate(const cardan_curve* curve, real u)
{
    return cd_curve_evaluate_segment(curve, cd_curve_full_segment, u);
}

static double distance_sq(const cardan_curve* curve, cd_curve_segment segment, real u, vec3 x)
{
    const vec3 d = v3_sub(cd_curve_evaluate_segment(curve, segment, u).p, x);
    return r_value(v3_dot(d, d));
}

// Nearest point on the straight extension beyond an end; the end itself if that is nearer.
static double nearest_on_extension(const cardan_curve* curve, cd_curve_segment segment, vec3 x, double end,
                                   double direction)
{
    const cd_curve_point C        = cd_curve_evaluate_segment(curve, segment, r_const(end));
    const double         speed_sq = r_value(v3_dot(C.p1, C.p1)), projection = r_value(v3_dot(C.p1, v3_sub(x, C.p)));
    const double         parameter_step = speed_sq > 0 ? projection / speed_sq : 0;
    return parameter_step * direction > 0 ? end + parameter_step : end;
}

static double nearest_sample(const cardan_curve* curve, cd_curve_segment segment, vec3 x)
{
    const cd_curve_segment part    = clip_segment(curve, segment);
    const bool             ends    = isfinite(segment.from) || !cd_curve_is_periodic(curve);
    const int              samples = 16 * curve->npoint;
    double                 best = INFINITY, at = 0;
    for (int i = 0; i <= samples; ++i) {
        double u = part.from + (part.to - part.from) * i / samples;
        if (ends && i == 0) u = nearest_on_extension(curve, segment, x, part.from, -1);
        if (ends && i == samples) u = nearest_on_extension(curve, segment, x, part.to, 1);
        const double d = distance_sq(curve, segment, r_const(u), x);
        if (d < best) {
            best = d;
            at   = u;
        }
    }
    return at;
}

// C'.(C - x), its derivative and |C'|^2.
typedef struct foot_residual {
    real value, derivative, speed_sq;
} foot_residual;

static foot_residual foot_residual_at(const cd_curve_point* C, vec3 x)
{
    const vec3 d     = v3_sub(C->p, x);
    const real speed = v3_dot(C->p1, C->p1);
    return (foot_residual){v3_dot(C->p1, d), r_add(speed, v3_dot(C->p2, d)), speed};
}

// Newton's method on C'.(C - x) = 0 with the second derivative of the distance if it is positive, else Gauss-Newton;
// the step is halved until the distance decreases.
real cd_curve_foot_point(const cardan_curve* curve, cd_curve_segment segment, vec3 x, real start, bool search)
{
    real   u    = search ? r_const(nearest_sample(curve, segment, x)) : start;
    double best = distance_sq(curve, segment, u, x);
    for (int iteration = 0; iteration < 50; ++iteration) {
        const cd_curve_point C        = cd_curve_evaluate_segment(curve, segment, u);
        const foot_residual  s        = foot_residual_at(&C, x);
        const double         speed_sq = r_value(s.speed_sq);
        if (!(speed_sq > 0)) break;
        real newton_step = r_neg(r_div(s.value, r_value(s.derivative) > 0.1 * speed_sq ? s.derivative : s.speed_sq));
        if (fabs(r_value(newton_step)) * sqrt(speed_sq) <=
            cd_foot_step_tolerance * (1 + sqrt(r_value(v3_dot(C.p, C.p)))))
            break;
        int    halved       = 0;
        double distance_new = distance_sq(curve, segment, r_add(u, newton_step), x);
        while (distance_new > best * (1 + cd_foot_distance_growth_sq) && ++halved < 30) {
            newton_step  = r_scale(0.5, newton_step);
            distance_new = distance_sq(curve, segment, r_add(u, newton_step), x);
        }
        if (halved == 30) break;
        u    = r_add(u, newton_step);
        best = distance_new;
    }
    if (!r_has_derivatives()) return u;
    const cd_curve_point C = cd_curve_evaluate_segment(curve, segment, u);
    const foot_residual  s = foot_residual_at(&C, x);
    return r_value(s.derivative) != 0 ? r_sub(u, r_div(s.value, s.derivative)) : u;
}
