// SPDX-License-Identifier: BSD-3-Clause
// Rows along the ways of the tree: J on the velocities between the ends of a constraint. They are as long as the ways,
// which makes them quadratic where loops follow each other from end to end; rows on twists (twists.h) are not.
#pragma once

#include "constraint/constraint.h"
#include "constraint/rows.h"

// Velocities on the ways of the ends that do not move both ends of every pair alike, from the ends inward. list may be
// NULL: they are counted.
int cd_ways(const cardan_model* m, const cd_constraint* c, int* list);
// Fills J of a block of constraint c, whose v are those that cd_ways gave; square (nrow): of the lengths of the rows.
void cd_way_rows(const cardan_model* m, const cd_kinematics* k, const cd_world* world, const cd_constraint* c,
                 const cd_row_block* b, double* square);
