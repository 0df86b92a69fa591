// SPDX-License-Identifier: BSD-3-Clause
// Vectors and rotations of three components in doubles, with components by index. Rotation matrices are row by row.
#pragma once

#include <math.h>
#include <string.h>

typedef struct d3 {
    double e[3];
} d3;

static inline d3     d3_of(const double x[3]) { return (d3){{x[0], x[1], x[2]}}; }
static inline void   d3_put(d3 a, double x[3]) { memcpy(x, a.e, sizeof a.e); }
static inline d3     d3_zero(void) { return (d3){{0, 0, 0}}; }
static inline d3     d3_axis(int i) { return (d3){{i == 0, i == 1, i == 2}}; }
static inline d3     d3_add(d3 a, d3 b) { return (d3){{a.e[0] + b.e[0], a.e[1] + b.e[1], a.e[2] + b.e[2]}}; }
static inline d3     d3_sub(d3 a, d3 b) { return (d3){{a.e[0] - b.e[0], a.e[1] - b.e[1], a.e[2] - b.e[2]}}; }
static inline d3     d3_scale(double s, d3 a) { return (d3){{s * a.e[0], s * a.e[1], s * a.e[2]}}; }
static inline d3     d3_neg(d3 a) { return d3_scale(-1, a); }
static inline d3     d3_add_scaled(d3 a, double s, d3 b) { return d3_add(a, d3_scale(s, b)); }
static inline double d3_dot(d3 a, d3 b) { return a.e[0] * b.e[0] + a.e[1] * b.e[1] + a.e[2] * b.e[2]; }
static inline double d3_norm(d3 a) { return sqrt(d3_dot(a, a)); }
static inline d3     d3_cross(d3 a, d3 b)
{
    return (d3){{a.e[1] * b.e[2] - a.e[2] * b.e[1], a.e[2] * b.e[0] - a.e[0] * b.e[2], //
                 a.e[0] * b.e[1] - a.e[1] * b.e[0]}};
}
static inline d3 d3_unit(d3 a) { return d3_scale(1 / d3_norm(a), a); }
// Part of a that is orthogonal to the unit vector n.
static inline d3 d3_reject(d3 a, d3 n) { return d3_add_scaled(a, -d3_dot(a, n), n); }

// R a, R' a, and column i of R
static inline d3 d3_rotate(const double R[9], d3 a)
{
    return (d3){{R[0] * a.e[0] + R[1] * a.e[1] + R[2] * a.e[2], R[3] * a.e[0] + R[4] * a.e[1] + R[5] * a.e[2],
                 R[6] * a.e[0] + R[7] * a.e[1] + R[8] * a.e[2]}};
}
static inline d3 d3_rotate_back(const double R[9], d3 a)
{
    return (d3){{R[0] * a.e[0] + R[3] * a.e[1] + R[6] * a.e[2], R[1] * a.e[0] + R[4] * a.e[1] + R[7] * a.e[2],
                 R[2] * a.e[0] + R[5] * a.e[1] + R[8] * a.e[2]}};
}
static inline d3 d3_column(const double R[9], int i) { return (d3){{R[i], R[3 + i], R[6 + i]}}; }

// Index of the component with the smallest magnitude.
static inline int d3_smallest(d3 a)
{
    const double x = fabs(a.e[0]), y = fabs(a.e[1]), z = fabs(a.e[2]);
    return x <= y && x <= z ? 0 : y <= z ? 1 : 2;
}
// Unit vector orthogonal to the unit vector n.
static inline d3 d3_orthogonal(d3 n) { return d3_unit(d3_cross(n, d3_axis(d3_smallest(n)))); }
