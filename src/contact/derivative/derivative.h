// SPDX-License-Identifier: BSD-3-Clause
// A contact point seen by the functions that differentiate it: index 0 is A, index 1 is B.
#pragma once

#include "contact/shape/shape.h"

typedef struct cd_derivative_end {
    const cd_shape_geometry* g;
    const cd_shape_pose*     pose;
    uint32_t                 feature;
    cd_core_feature          core;   // local geometry of the feature, in the world
    double                   offset; // of the shape around its core
    d3                       point;  // on the surface, world
} cd_derivative_end;

typedef struct cd_derivative_problem {
    cd_derivative_end end[2];
    d3                n, centre; // normal from B to A; (a + b)/2
    double            gap, length;
} cd_derivative_problem;

// Angular velocity of a shape and velocity of its point at the centre: unit motion number j of one of the two shapes.
typedef struct cd_unit_motion {
    d3 w, v;
} cd_unit_motion;
static inline cd_unit_motion cd_unit_motion_of(int end, int j)
{
    cd_unit_motion m = {d3_zero(), d3_zero()};
    if (j / 6 == end) *(j % 6 < 3 ? &m.w : &m.v) = d3_axis(j % 3);
    return m;
}
static inline d3 cd_velocity_at(const cd_unit_motion* m, d3 x, d3 centre)
{
    return d3_add(m->v, d3_cross(m->w, d3_sub(x, centre)));
}
static inline void cd_put_rates(cd_contact_rates* rates, int j, double gap, d3 normal, d3 point)
{
    rates->gap[j] = gap;
    for (int i = 0; i < 3; ++i) rates->normal[i][j] = normal.e[i], rates->point[i][j] = point.e[i];
}

bool cd_nearest_derivative(const cd_derivative_problem* p, cd_contact_rates* rates);
// `reference`: end whose feature is a part of a face (CD_FEATURE_CLIP or CD_FEATURE_CORNER)
bool cd_clip_derivative(const cd_derivative_problem* p, int reference, cd_contact_rates* rates);
