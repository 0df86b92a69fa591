// SPDX-License-Identifier: BSD-3-Clause
// B-splines and NURBS in space: point, first and second derivative, nearest parameter.
#pragma once

#include "math/spatial.h"

#include <cardan/describe.h>

enum { CD_DEGREE_MAX = 9 };

typedef struct cd_curve_point {
    vec3 p, p1, p2; // C, C', C''
} cd_curve_point;

// NULL, or what is wrong with it.
const char*    cd_curve_fault(const cardan_curve* curve);
int            cd_curve_degree(const cardan_curve* curve);
bool           cd_curve_has_corner(const cardan_curve* curve); // somewhere inside its direction may jump
void           cd_curve_domain(const cardan_curve* curve, double* first, double* last);
cd_curve_point cd_curve_at(const cardan_curve* curve, real u); // open curves go on straight beyond their ends
// Parameter of the point of the curve that is nearest to x, beginning at `near`; with `search` everywhere.
real cd_curve_foot(const cardan_curve* curve, vec3 x, real near, bool search);
