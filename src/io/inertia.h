// SPDX-License-Identifier: BSD-3-Clause
// Is an inertia possible? Principal moments A <= B <= C of a body satisfy A >= 0 and, because
// A + B - C = 2 * sum m z^2 >= 0, the triangle inequality C <= A + B. Rounding in files is tolerated.
#pragma once

#include <stdbool.h>

typedef struct cd_soundness {
    bool   possible;   // no principal moment is negative
    bool   sound;      // and the triangle inequality holds
    double least;      // principal moment
    double excess;     // C - A - B
    double nearest[6]; // with C = A + B, where it is not sound: xx yy zz xy xz yz
} cd_soundness;

cd_soundness cd_inertia_soundness(const double inertia[6]); // xx yy zz xy xz yz
