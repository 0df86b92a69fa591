// SPDX-License-Identifier: BSD-3-Clause
// Is an inertia possible? Principal moments A <= B <= C of a body satisfy A >= 0 and, because
// A + B - C = 2 * sum m z^2 >= 0, the triangle inequality C <= A + B. Rounding in files is tolerated.
#pragma once

#include <stdbool.h>

typedef struct cd_inertia_validity {
    bool   is_nonnegative;      // no principal moment is negative
    bool   is_physical;         // and the triangle inequality holds
    double min_moment;          // principal moment
    double triangle_excess;     // C - A - B
    double nearest_physical[6]; // with C = A + B, where it is not sound: xx yy zz xy xz yz
} cd_inertia_validity;

cd_inertia_validity cd_inertia_validate(const double inertia[6]); // xx yy zz xy xz yz
