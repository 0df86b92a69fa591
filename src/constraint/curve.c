// SPDX-License-Identifier: BSD-3-Clause
// B-splines and NURBS, with derivatives in closed form.
//
//   C(u) = A(u) / w(u)                  A = sum of N_i w_i P_i,  w = sum of N_i w_i
//   C' = (A' - w' C) / w                C'' = (A'' - 2 w' C' - w'' C) / w
//
// The derivative of a B-spline of degree p with coefficients P_i is one of degree p - 1 with p (P_i - P_(i-1)) /
// (t_(i+p) - t_i). L. Piegl, W. Tiller, The NURBS Book, algorithms A3.1 and A4.2 in this form.
#include "constraint/curve.h"

#include <math.h>
#include <stddef.h>

typedef struct point4 {
    real x[4]; // w P, w
} point4;

int cd_curve_degree(const cardan_curve* curve)
{
    const int most = curve->npoint - 1;
    return curve->degree > 0 ? curve->degree : most < 3 ? most : 3;
}

static bool is_point(const cardan_curve* curve)
{
    for (int i = 3; i < 3 * curve->npoint; ++i)
        if (curve->point[i] != curve->point[i % 3]) return false;
    return true;
}

const char* cd_curve_fault(const cardan_curve* curve)
{
    const int p = cd_curve_degree(curve), n = curve->npoint;
    if (n < 2) return "a curve needs two points or more";
    if (is_point(curve)) return "all points of the curve coincide: it is no curve";
    if (p > CD_DEGREE_MAX) return "the degree of a curve is at most 9";
    if (p > n - 1) return "a curve needs more points than its degree";
    if (curve->closed && p < 2) return "a closed curve needs three points and degree 2 or more";
    for (int i = 0; curve->weight && i < n; ++i)
        if (!(curve->weight[i] > 0)) return "the weights of a curve must be positive";
    if (!curve->knot) return NULL;
    if (curve->nknot != (curve->closed ? n + 1 : n + p + 1))
        return curve->closed ? "a closed curve has one knot more than points"
                             : "an open curve has as many knots as points, degree and 1 together";
    for (int i = 1; i < curve->nknot; ++i)
        if (!(curve->knot[i] >= curve->knot[i - 1])) return "the knots of a curve must not decrease";
    double first, last;
    cd_curve_domain(curve, &first, &last);
    return last > first ? NULL : "the knots of a curve must span a range";
}

// Of a closed curve any integer has one: knots repeat with the period.
double cd_curve_knot(const cardan_curve* curve, int i)
{
    const int n = curve->npoint, p = cd_curve_degree(curve);
    if (curve->closed) {
        const int turn = (int)floor((double)i / n), k = i - turn * n;
        return curve->knot ? curve->knot[k] + turn * (curve->knot[n] - curve->knot[0]) : (double)i / n;
    }
    if (curve->knot) return curve->knot[i];
    return i <= p ? 0 : i >= n ? 1 : (double)(i - p) / (n - p);
}

bool cd_curve_wraps(const cardan_curve* curve)
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

// The span k with t_k <= u < t_(k+1), or `before` with t_k < u <= t_(k+1), by halving.
static int span(const cardan_curve* curve, double u, bool before)
{
    int low = curve->closed ? 0 : cd_curve_degree(curve), high = curve->npoint;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (u < cd_curve_knot(curve, middle) || (before && u == cd_curve_knot(curve, middle)))
            high = middle;
        else
            low = middle;
    }
    while (low > 0 && cd_curve_knot(curve, low + 1) <= cd_curve_knot(curve, low)) --low; // the end of a clamped curve
    return low;
}

// A closed curve begins near its first point, not half a support before it.
static point4 coefficient(const cardan_curve* curve, int i)
{
    const int n = curve->npoint, shift = curve->closed ? (cd_curve_degree(curve) + 1) / 2 : 0,
              k     = ((i + shift) % n + n) % n;
    const double  w = curve->weight ? curve->weight[k] : 1;
    const double* P = curve->point + 3 * k;
    return (point4){{r_lift(w * P[0]), r_lift(w * P[1]), r_lift(w * P[2]), r_lift(w)}};
}

// Value at u, in span k, of the spline of degree d whose coefficients there are c[0] to c[d]. De Boor.
static point4 blend(const cardan_curve* curve, int k, int d, const point4* c, real u)
{
    point4 a[CD_DEGREE_MAX + 1];
    for (int i = 0; i <= d; ++i) a[i] = c[i];
    for (int r = 1; r <= d; ++r)
        for (int i = d; i >= r; --i) {
            const double t0 = cd_curve_knot(curve, k - d + i), t1 = cd_curve_knot(curve, k + i - r + 1);
            const real   back = r_div(r_sub(r_lift(t1), u), r_lift(t1 - t0));
            for (int x = 0; x < 4; ++x) a[i].x[x] = r_add(a[i].x[x], r_mul(back, r_sub(a[i - 1].x[x], a[i].x[x])));
        }
    return a[d];
}

// Coefficients of the derivative of the spline of degree d on span k; d of them.
static void differentiate(const cardan_curve* curve, int k, int d, point4* c)
{
    for (int i = 0; i < d; ++i) {
        const double range = cd_curve_knot(curve, k + i + 1) - cd_curve_knot(curve, k - d + i + 1);
        for (int x = 0; x < 4; ++x)
            c[i].x[x] = range > 0 ? r_div(r_times(d, r_sub(c[i + 1].x[x], c[i].x[x])), r_lift(range)) : r_lift(0);
    }
}

static vec3 part(const point4* a) { return v3(a->x[0], a->x[1], a->x[2]); }

// The span is a decision at the state.
static cd_curve_point inside(const cardan_curve* curve, real u, bool before)
{
    const int p = cd_curve_degree(curve), k = span(curve, r_value(u), before);
    point4    c[CD_DEGREE_MAX + 1], A[3];
    for (int i = 0; i < 12; ++i) A[i / 4].x[i % 4] = r_lift(0);
    for (int i = 0; i <= p; ++i) c[i] = coefficient(curve, k - p + i);
    for (int order = 0; order < 3 && order <= p; ++order) {
        A[order] = blend(curve, k, p - order, c, u);
        if (order < p) differentiate(curve, k, p - order, c);
    }
    const real     w = A[0].x[3], w1 = A[1].x[3], w2 = A[2].x[3];
    cd_curve_point C;
    C.p  = v3_over(part(&A[0]), w);
    C.p1 = v3_over(v3_add_scaled(part(&A[1]), r_neg(w1), C.p), w);
    C.p2 = v3_over(v3_add_scaled(v3_add_scaled(part(&A[2]), r_times(-2, w1), C.p1), r_neg(w2), C.p), w);
    return C;
}

cd_curve_point cd_curve_limit(const cardan_curve* curve, real u, bool before)
{
    double first, last;
    cd_curve_domain(curve, &first, &last);
    const double range = last - first, turns = (r_value(u) - first) / range;
    if (!cd_curve_wraps(curve)) return inside(curve, u, before);
    return inside(curve, r_sub(u, r_lift(range * (before ? ceil(turns) - 1 : floor(turns)))), before);
}

// The part of the curve's own range that belongs to a piece.
static cd_piece within(const cardan_curve* curve, cd_piece piece)
{
    double first, last;
    cd_curve_domain(curve, &first, &last);
    if (cd_curve_wraps(curve) && isfinite(piece.from)) return piece;
    return (cd_piece){fmax(first, piece.from), fmin(last, piece.to)};
}

cd_curve_point cd_curve_on(const cardan_curve* curve, cd_piece piece, real u)
{
    const double x = r_value(u);
    if (!isfinite(piece.from) && cd_curve_wraps(curve)) return cd_curve_limit(curve, u, false);
    piece = within(curve, piece);
    if (piece.from < piece.to && x >= piece.from && x <= piece.to) return cd_curve_limit(curve, u, x == piece.to);
    const real     end = r_lift(x < piece.from ? piece.from : piece.to);
    cd_curve_point C   = cd_curve_limit(curve, end, x > piece.to);
    C.p                = v3_add_scaled(C.p, r_sub(u, end), C.p1);
    C.p2               = v3_zero();
    return C;
}

cd_curve_point cd_curve_along(const cardan_curve* curve, cd_piece piece, real u, double near, double way)
{
    cd_curve_point C    = cd_curve_on(curve, piece, u);
    const cd_piece part = within(curve, piece);
    const bool     held = isfinite(piece.from) || isfinite(piece.to), lower = r_value(u) < part.from + near;
    const double   end = lower ? part.from : part.to;
    if ((!held && cd_curve_wraps(curve)) || !(part.from < part.to) || !(fabs(r_value(u) - end) < near)) return C;
    const bool inside = held || (lower ? way >= 0 : way <= 0);
    const real at     = r_add(u, r_lift(end - r_value(u)));
    C.p2              = inside ? cd_curve_limit(curve, at, !lower).p2 : v3_zero();
    return C;
}

cd_curve_point cd_curve_at(const cardan_curve* curve, real u) { return cd_curve_on(curve, cd_curve_whole, u); }

static double distance2(const cardan_curve* curve, cd_piece piece, real u, vec3 x)
{
    const vec3 d = v3_sub(cd_curve_on(curve, piece, u).p, x);
    return r_value(v3_dot(d, d));
}

// Nearest point on the straight way beyond an end; the end itself where that is nearer.
static double nearest_beyond(const cardan_curve* curve, cd_piece piece, vec3 x, double end, double direction)
{
    const cd_curve_point C     = cd_curve_on(curve, piece, r_lift(end));
    const double         speed = r_value(v3_dot(C.p1, C.p1)), way = r_value(v3_dot(C.p1, v3_sub(x, C.p)));
    const double         step = speed > 0 ? way / speed : 0;
    return step * direction > 0 ? end + step : end;
}

static double nearest_anywhere(const cardan_curve* curve, cd_piece piece, vec3 x)
{
    const cd_piece part    = within(curve, piece);
    const bool     ends    = isfinite(piece.from) || !cd_curve_wraps(curve);
    const int      samples = 16 * curve->npoint;
    double         best = INFINITY, at = 0;
    for (int i = 0; i <= samples; ++i) {
        double u = part.from + (part.to - part.from) * i / samples;
        if (ends && i == 0) u = nearest_beyond(curve, piece, x, part.from, -1);
        if (ends && i == samples) u = nearest_beyond(curve, piece, x, part.to, 1);
        const double d = distance2(curve, piece, r_lift(u), x);
        if (d < best) {
            best = d;
            at   = u;
        }
    }
    return at;
}

// C'.(C - x), its derivative and |C'|^2.
typedef struct slope {
    real across, bend, speed;
} slope;

static slope slope_at(const cd_curve_point* C, vec3 x)
{
    const vec3 d     = v3_sub(C->p, x);
    const real speed = v3_dot(C->p1, C->p1);
    return (slope){v3_dot(C->p1, d), r_add(speed, v3_dot(C->p2, d)), speed};
}

// Newton on C'.(C - x) = 0, by the curvature of the distance where it is positive, by Gauss and Newton elsewhere;
// halved until it descends.
real cd_curve_foot(const cardan_curve* curve, cd_piece piece, vec3 x, real near, bool search)
{
    real   u    = search ? r_lift(nearest_anywhere(curve, piece, x)) : near;
    double best = distance2(curve, piece, u, x);
    for (int iteration = 0; iteration < 50; ++iteration) {
        const cd_curve_point C     = cd_curve_on(curve, piece, u);
        const slope          s     = slope_at(&C, x);
        const double         speed = r_value(s.speed);
        if (!(speed > 0)) break;
        real step = r_neg(r_div(s.across, r_value(s.bend) > 0.1 * speed ? s.bend : s.speed));
        if (fabs(r_value(step)) * sqrt(speed) <= 1e-15 * (1 + sqrt(r_value(v3_dot(C.p, C.p))))) break;
        int    halved  = 0;
        double reached = distance2(curve, piece, r_add(u, step), x);
        while (reached > best * (1 + 1e-12) && ++halved < 30) {
            step    = r_times(0.5, step);
            reached = distance2(curve, piece, r_add(u, step), x);
        }
        if (halved == 30) break;
        u    = r_add(u, step);
        best = reached;
    }
    if (!r_derives()) return u;
    const cd_curve_point C = cd_curve_on(curve, piece, u);
    const slope          s = slope_at(&C, x);
    return r_value(s.bend) != 0 ? r_sub(u, r_div(s.across, s.bend)) : u;
}
