// SPDX-License-Identifier: BSD-3-Clause
// Enumeration of the constraints of a model, in the order of the constraint set.
#pragma once

#include "constraint/constraint.h"

typedef struct cd_constraint_source {
    int                    stage, index, axis;              // current position
    int                    joint_driver, constraint_driver; // next driver function of a joint, of a constraint
    cd_coupled_coordinates coupled;                         // of the last constraint
    char                   reason[300];                     // why the constraint is invalid; "": valid
} cd_constraint_source;

cd_constraint_source cd_constraint_source_begin(const cardan_model* m);
// Enumerate the rotors of off-tree joints: a row along each coordinate with armature.
cd_constraint_source cd_constraint_source_begin_rotors(const cardan_model* m);
// Enumerate the coordinates of joints with rigid limits, or with dry friction that sticks.
cd_constraint_source cd_constraint_source_begin_axes(const cardan_model* m);
// Next constraint; false after the last. An invalid one has no rows, and the reason in `reason`.
bool cd_constraint_source_next(const cardan_model* m, cd_constraint_source* source, cd_constraint* constraint);
