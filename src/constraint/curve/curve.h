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

// NULL, or what is wrong with it.
const char* cd_curve_check(const cardan_curve* curve);
int         cd_curve_degree(const cardan_curve* curve);
void        cd_curve_domain(const cardan_curve* curve, double* first, double* last);
bool        cd_curve_is_periodic(
           const cardan_curve* curve); // closed, or its last point is its first: its parameter goes on round it
double         cd_curve_knot(const cardan_curve* curve, int i);
cd_curve_point cd_curve_evaluate(const cardan_curve* curve, real u); // curves with ends go on straight beyond them
// From the right, or with `before` from the left: at corners the derivatives differ.
cd_curve_point cd_curve_evaluate_one_sided(const cardan_curve* curve, real u, bool from_left);

// A piece of a curve between two corners, by parameters; infinite where there is none. Beyond a corner it goes on
// straight, so that steps that look beyond it see nothing but a smooth curve.
typedef struct cd_curve_segment {
    double from, to;
} cd_curve_segment;

static const cd_curve_segment cd_curve_full_segment = {-INFINITY, INFINITY};

// Most successive points that coincide.
int cd_curve_max_coincident_points(const cardan_curve* curve);
// Somewhere inside its direction jumps; `by_parameter`: its derivative does.
bool cd_curve_has_corner(const cardan_curve* curve, bool by_parameter);
// The corner that comes first from u on, u excluded, in the direction +1 or -1; infinite where there is none.
double         cd_curve_next_corner(const cardan_curve* curve, bool by_parameter, double u, int direction);
cd_curve_point cd_curve_evaluate_segment(const cardan_curve* curve, cd_curve_segment segment, real u);
// The same for one who runs along it. Nearer to an end than `near` the side is not decided by rounding: who is held to
// the piece is on it, who is not has the curvature of that side, curved or straight, that its way (+ or -) leads to.
cd_curve_point cd_curve_evaluate_directed(const cardan_curve* curve, cd_curve_segment segment, real u,
                                          double end_tolerance, double direction);
// Parameter of the point of the piece that is nearest to x, beginning at `near`; with `search` everywhere.
real cd_curve_foot_point(const cardan_curve* curve, cd_curve_segment segment, vec3 x, real start, bool search);
