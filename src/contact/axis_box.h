// SPDX-License-Identifier: BSD-3-Clause
// Axis-aligned boxes.
#pragma once

#include "contact/vector3.h"

#include <stdbool.h>

typedef struct cd_box {
    double lower[3], upper[3];
} cd_box;

static inline bool cd_box_overlap(const cd_box* a, const cd_box* b)
{
    for (int i = 0; i < 3; ++i)
        if (!(a->lower[i] <= b->upper[i] && b->lower[i] <= a->upper[i])) return false;
    return true;
}
static inline cd_box cd_box_union(const cd_box* a, const cd_box* b)
{
    cd_box c;
    for (int i = 0; i < 3; ++i)
        c.lower[i] = fmin(a->lower[i], b->lower[i]), c.upper[i] = fmax(a->upper[i], b->upper[i]);
    return c;
}
static inline cd_box cd_box_of_points(const d3* x, int n)
{
    cd_box c = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < n; ++k)
        for (int i = 0; i < 3; ++i) c.lower[i] = fmin(c.lower[i], x[k].e[i]), c.upper[i] = fmax(c.upper[i], x[k].e[i]);
    return c;
}
static inline bool cd_box_contains(const cd_box* a, const cd_box* b)
{
    for (int i = 0; i < 3; ++i)
        if (!(a->lower[i] <= b->lower[i] && b->upper[i] <= a->upper[i])) return false;
    return true;
}
static inline double cd_box_area(const cd_box* a) // half of the surface
{
    const double x = a->upper[0] - a->lower[0], y = a->upper[1] - a->lower[1], z = a->upper[2] - a->lower[2];
    return x * y + y * z + z * x;
}
static inline cd_box cd_box_grown(const cd_box* a, double margin)
{
    cd_box c = *a;
    for (int i = 0; i < 3; ++i) c.lower[i] -= margin, c.upper[i] += margin;
    return c;
}
