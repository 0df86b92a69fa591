// SPDX-License-Identifier: BSD-3-Clause
// Joint-space rows: J on the velocities between the ends of a constraint. Their length is that of the paths, so that
// their total size is quadratic for loops in series; rows on twists (link_twists.h) stay linear.
#pragma once

#include "constraint/constraint.h"
#include "constraint/constraint_rows.h"

// Velocities on the paths of the ends that do not move both ends of every pair alike, from the ends inward. Returns
// their number; list may be NULL.
int cd_joint_space_velocities(const cardan_model* m, const cd_constraint* c, int* list);
// Compute J of a block of constraint c, whose v are those of cd_joint_space_velocities; row_norm_sq (nrow): squared
// norms of the rows.
void cd_joint_space_rows(const cardan_model* m, const cd_kinematics* k, const cd_world_motion* world,
                         const cd_constraint* c, const cd_row_block* b, double* row_norm_sq);
