// SPDX-License-Identifier: BSD-3-Clause
// Estimated mobility of links: acceleration due to a unit force. The compliance of constraint rows is relative to it.
#pragma once

#include "formulation/formulation.h"

// Compute the mobility (nlink) in world axes at the origins of the links, from their world poses; linear blocks first.
void cd_mobility(const cardan_model* m, const cd_kinematics* k, const frame* pose, articulated_inertia* mobility);
// Return the mobility of row i of a block, with link mobilities in world axes or, if poses are given, in link axes.
// *upper_bound: the mobility if the row acted fully on the motions of its ends; length [m] scales rotations against
// translations.
double cd_row_mobility(const articulated_inertia* mobility, const frame* link_pose, const cd_row_block* b, int i,
                       double length, double* upper_bound);
