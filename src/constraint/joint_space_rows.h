// SPDX-License-Identifier: BSD-3-Clause
// Rows along the ways of the tree: J on the velocities between the ends of a constraint. They are as long as the ways,
// which makes them quadratic where loops follow each other from end to end; rows on twists (link_twists.h) are not.
#pragma once

#include "constraint/constraint.h"
#include "constraint/constraint_rows.h"

// Velocities on the ways of the ends that do not move both ends of every pair alike, from the ends inward. list may be
// NULL: they are counted.
int cd_joint_space_velocities(const cardan_model* m, const cd_constraint* c, int* list);
// Fills J of a block of constraint c, whose v are those that cd_joint_space_velocities gave; square (nrow): of the
// lengths of the rows.
void cd_joint_space_rows(const cardan_model* m, const cd_kinematics* k, const cd_world_frame* world,
                         const cd_constraint* c, const cd_row_block* b, double* row_norm_sq);
