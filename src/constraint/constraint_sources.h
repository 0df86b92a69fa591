// SPDX-License-Identifier: BSD-3-Clause
// Where constraints come from: one after the other, in the order of the closure.
#pragma once

#include "constraint/constraint.h"

typedef struct cd_constraint_source {
    int                    stage, index, axis;              // where we are
    int                    joint_driver, constraint_driver; // next law of a joint's driver, next law of a constraint
    cd_coupled_coordinates coupled;                         // of the constraint that was told last
    char                   reason[300];                     // what is wrong with the constraint; empty: nothing
} cd_constraint_source;

cd_constraint_source cd_constraint_source_begin(const cardan_model* m);
// The rotors of joints that have no coordinates in the model: a row along each coordinate with armature.
cd_constraint_source cd_constraint_source_begin_rotors(const cardan_model* m);
// The next constraint; false after the last. One that is refused has no rows, and the reason in `why`.
bool cd_constraint_source_next(const cardan_model* m, cd_constraint_source* source, cd_constraint* constraint);
