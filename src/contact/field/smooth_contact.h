// SPDX-License-Identifier: BSD-3-Clause
// Contact points of shapes with smooth height fields, profiles and formulas.
#pragma once

#include "contact/contact_pair.h"
#include "contact/field/height_field.h"

void cd_smooth_collide(cd_pair* pair);

// A feature of a core in the frame of the field; R: axes of an ellipsoid.
typedef struct cd_smooth_core {
    cd_core_feature feature;
    double          R[9];
} cd_smooth_core;

// Common normal of a smooth surface and a core feature (point, circle or ellipsoid) from a start (x, y): s is the point of the
// core, b that of the surface, n the upward normal. Returns false if the iteration does not converge.
typedef struct cd_smooth_foot {
    d3 s, b, n;
} cd_smooth_foot;
bool cd_smooth_foot_find(const cd_height_field* field, const cd_smooth_core* core, double x, double y,
                         cd_smooth_foot* foot);
