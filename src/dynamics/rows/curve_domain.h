// SPDX-License-Identifier: BSD-3-Clause
// Points that move along curves: names for messages, and detection of points beyond the end of an open curve, which
// is continued straight.
#pragma once

#include "dynamics/data.h"

// Name of the body that carries the point.
const char* cd_curve_follower_name(const cardan_data* d, const cd_constraint* c);
// Format a point of the curve in the axes of the body that carries the curve, as "[1, 0, 2] m".
void cd_format_curve_point(const cardan_curve* curve, double u, char text[80]);
// Velocity of the point in the axes of the body that carries the curve, at the state of the data.
vec3 cd_curve_follower_velocity(cardan_data* d, const cd_constraint* c);

// Whether the ends are checked: the curve is open, and the point is not driven along it.
bool cd_needs_curve_end_check(const cd_constraint* c);
// Warn about all points that are beyond an end at the state of the data, or at an end and moving outward. warned
// (nconstraint), or NULL: constraints that have been reported already.
void cd_warn_beyond_curve_end(cardan_data* d, bool* warned, cardan_report* report);
