// SPDX-License-Identifier: BSD-3-Clause
// Where constraints come from: one after the other, in the order of the closure.
#pragma once

#include "constraint/constraint.h"

typedef struct cd_source {
    int        stage, index, axis; // where we are
    int        joint_law, law;     // next law of a joint's driver, next law of a constraint
    cd_coupled coupled;            // of the constraint that was told last
    char       why[300];           // what is wrong with the constraint; empty: nothing
} cd_source;

cd_source cd_source_begin(const cardan_model* m);
// The rotors of joints that have no coordinates in the model: a row along each coordinate with armature.
cd_source cd_source_rotors(const cardan_model* m);
// The next constraint; false after the last. One that is refused has no rows, and the reason in `why`.
bool cd_source_next(const cardan_model* m, cd_source* source, cd_constraint* constraint);
