// SPDX-License-Identifier: BSD-3-Clause
// B-splines and NURBS in space: point, first and second derivative, nearest parameter.
#pragma once

#include "math/spatial.h"

#include <cardan/describe.h>
#include <math.h>

enum { CD_CURVE_DEGREE_MAX = 9 };

typedef struct cd_curve_point {
    vec3 p, p1, p2; // C, C', C''
} cd_curve_point;

// Reason why a curve is invalid, or NULL.
const char* cd_curve_check(const cardan_curve* curve);
int         cd_curve_degree(const cardan_curve* curve);
void        cd_curve_domain(const cardan_curve* curve, double* first, double* last);
bool        cd_curve_is_periodic(
           const cardan_curve* curve); // closed, or its last point is its first: the parameter is periodic
double         cd_curve_knot(const cardan_curve* curve, int i);
cd_curve_point cd_curve_evaluate(const cardan_curve* curve, real u); // open curves are extended straight
// One-sided derivatives, from the right or from the left: they differ at corners.
cd_curve_point cd_curve_evaluate_one_sided(const cardan_curve* curve, real u, bool from_left);

// Part of a curve between two corners, by parameters; infinite if there is none. Beyond a corner it is extended
// straight, so that steps beyond the corner are evaluated on a smooth curve.
typedef struct cd_curve_segment {
    double from, to;
} cd_curve_segment;

static const cd_curve_segment cd_curve_full_segment = {-INFINITY, INFINITY};

// Largest number of successive coincident points.
int cd_curve_max_coincident_points(const cardan_curve* curve);
// Whether its direction is discontinuous inside; `by_parameter`: its derivative.
bool cd_curve_has_corner(const cardan_curve* curve, bool by_parameter);
// Next corner from u (excluded) in direction +1 or -1; infinite if there is none.
double         cd_curve_next_corner(const cardan_curve* curve, bool by_parameter, double u, int direction);
cd_curve_point cd_curve_evaluate_segment(const cardan_curve* curve, cd_curve_segment segment, real u);
// The same for a point that moves along the curve. Within `end_tolerance` of an end, round-off does not decide the
// side: a point restricted to the segment is on it; else the curvature is that of the side, curved or straight, to
// which the direction of motion (+ or -) leads.
cd_curve_point cd_curve_evaluate_directed(const cardan_curve* curve, cd_curve_segment segment, real u,
                                          double end_tolerance, double direction);
// Foot point: parameter of the point of the segment nearest to x, from the start value `start`; with `search` a global
// search.
real cd_curve_foot_point(const cardan_curve* curve, cd_curve_segment segment, vec3 x, real start, bool search);
