// SPDX-License-Identifier: BSD-3-Clause
// Points that run along curves: who they are, and where one is beyond an end of its curve, which goes on straight
// there.
#pragma once

#include "dynamics/data.h"

// Name of the body whose point it is.
const char* cd_curve_follower_name(const cardan_data* d, const cd_constraint* c);
// "[1, 0, 2] m", a place on the curve in the axes of its carrier.
void cd_format_curve_point(const cardan_curve* curve, double u, char text[80]);
// Velocity of the point in the axes of the carrier, at the state of the data.
vec3 cd_curve_follower_velocity(cardan_data* d, const cd_constraint* c);

// Ends are watched where forces move a point, and the curve has some.
bool cd_needs_curve_end_check(const cd_constraint* c);
// Warns of all that are beyond an end at the state of the data, or at it and about to leave. told (nconstraint), or
// NULL: those that were warned of already.
void cd_warn_beyond_curve_end(cardan_data* d, bool* warned, cardan_report* report);
