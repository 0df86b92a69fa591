// SPDX-License-Identifier: BSD-3-Clause
// Physical validity of an inertia. The principal moments A <= B <= C of a body satisfy A >= 0 and, because
// A + B - C = 2 * sum m z^2 >= 0, the triangle inequality C <= A + B. Rounding in files is tolerated.
#pragma once

#include <stdbool.h>

typedef struct cd_inertia_validity {
    bool   is_nonnegative;      // no negative principal moment
    bool   is_physical;         // triangle inequality satisfied as well
    double min_moment;          // smallest principal moment
    double triangle_excess;     // C - A - B
    double nearest_physical[6]; // with C = A + B, if not physical: xx yy zz xy xz yz
} cd_inertia_validity;

cd_inertia_validity cd_inertia_validate(const double inertia[6]); // xx yy zz xy xz yz
