// SPDX-License-Identifier: BSD-3-Clause
// Coordinates of off-tree joints (joint_coordinates.c).
#pragma once

#include "dynamics/data.h"

// Compute coordinates and velocities of all off-tree joints if they are stale.
void cd_update_off_tree_joints(cardan_data* d);
// The same for the referenced joints only. cd_find_referenced_joints determines these once, when the data are
// created.
void cd_update_referenced_joints(cardan_data* d);
void cd_find_referenced_joints(cardan_data* d);
