// SPDX-License-Identifier: BSD-3-Clause
// How far a unit force on a link moves it, roughly: what rows of constraints are compared with to say what is stiff and
// what is soft.
#pragma once

#include "formulation/formulation.h"

// (nlink) in world axes at the origins of the links, from their poses in the world; linear blocks first.
void cd_mobility(const cardan_model* m, const cd_kinematics* k, const frame* pose, articulated_inertia* mobility);
// Of row i of a block, by mobilities in world axes or, where poses are given, in those of the links. *could: what it
// would be if the row met the motions of its ends fully; length [m] weighs turning against moving.
double cd_row_mobility(const articulated_inertia* mobility, const frame* link_pose, const cd_row_block* b, int i,
                       double length, double* upper_bound);
