// SPDX-License-Identifier: BSD-3-Clause
// Random collision shapes of every convex kind and tori, and random poses. The numbers are those of random_tree.h (dice).
#pragma once

#include "contact/shape/hull.h"
#include "math/pi.h"

#include <stdint.h>
#include <stdlib.h>

typedef struct shape_dice {
    uint64_t state;
} shape_dice;

static inline double shape_unit(shape_dice* d) // [0, 1)
{
    d->state += 0x9e3779b97f4a7c15u;
    uint64_t z = d->state;
    z          = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z          = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
static inline double shape_range(shape_dice* d, double low, double high) { return low + (high - low) * shape_unit(d); }

// Unit vector, uniform on the sphere.
static inline d3 shape_direction(shape_dice* d)
{
    const double z = shape_range(d, -1, 1), angle = shape_range(d, -CD_PI, CD_PI), r = sqrt(1 - z * z);
    return (d3){{r * cos(angle), r * sin(angle), z}};
}

static inline void shape_rotation(d3 axis, double angle, double R[9])
{
    const double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) R[3 * i + j] = (1 - c) * axis.e[i] * axis.e[j] + (i == j ? c : 0);
    R[1] -= s * axis.e[2], R[2] += s * axis.e[1], R[5] -= s * axis.e[0];
    R[3] += s * axis.e[2], R[6] -= s * axis.e[1], R[7] += s * axis.e[0];
}

static inline void shape_random_rotation(shape_dice* d, double R[9])
{
    double S[9], T[9];
    shape_rotation(shape_direction(d), shape_range(d, -CD_PI, CD_PI), S);
    shape_rotation(shape_direction(d), shape_range(d, -CD_PI, CD_PI), T);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) R[3 * i + j] = S[3 * i] * T[j] + S[3 * i + 1] * T[3 + j] + S[3 * i + 2] * T[6 + j];
}

// Shape of a kind with sizes of 0.2 to 1; boxes, cylinders and hulls with and without rounding. Hulls are owned by the caller
// (random_shape_free); without Qhull they are tetrahedra.
static inline cd_shape_geometry random_shape(shape_dice* d, cd_shape_kind kind)
{
    cd_shape_geometry g = {.kind = kind};
    for (int i = 0; i < 3; ++i) g.size[i] = shape_range(d, 0.2, 1);
    const double rounding = shape_unit(d) < 0.5 ? 0 : 0.02;
    if (kind == CD_SHAPE_BOX || kind == CD_SHAPE_CYLINDER) g.rounding = rounding;
    if (kind == CD_SHAPE_TORUS) g.size[1] = g.size[0] * shape_range(d, 0.05, 0.5);
    if (kind == CD_SHAPE_HULL) {
        double      point[60];
        const int   n = 8 + (int)(shape_unit(d) * 12);
        const char* reason;
        for (int i = 0; i < n; ++i) d3_put(d3_scale(shape_range(d, 0.4, 1), shape_direction(d)), point + 3 * i);
        g.rounding                          = rounding;
        cd_hull*            hull            = cd_hull_create(n, point, rounding, &reason);
        static const double tetrahedron[12] = {1, 1, 1, -1, -1, 1, -1, 1, -1, 1, -1, -1};
        static const int    triangle[12]    = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
        if (!hull) hull = cd_hull_of_triangles(4, tetrahedron, 4, triangle, &reason);
        g.hull = hull;
    }
    return g;
}
static inline void random_shape_free(cd_shape_geometry* g)
{
    union { // the test owns the hull that the geometry refers to as constant
        const cd_hull* constant;
        cd_hull*       owned;
    } hull = {.constant = g->hull};
    cd_hull_destroy(hull.owned);
    g->hull = NULL;
}

// Random pose: any rotation, position within `range` along every axis.
static inline cd_shape_pose random_shape_pose(shape_dice* d, double range)
{
    cd_shape_pose pose;
    shape_random_rotation(d, pose.R);
    for (int i = 0; i < 3; ++i) pose.p[i] = shape_range(d, -range, range);
    return pose;
}

static const cd_shape_pose shape_identity = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};

// Number of cases of a test: `usual`, or `all` with CARDAN_TEST_ALL=1.
static inline int test_cases(int usual, int all)
{
    const char* text = getenv("CARDAN_TEST_ALL");
    return text && strcmp(text, "1") == 0 ? all : usual;
}
