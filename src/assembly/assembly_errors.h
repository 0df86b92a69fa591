// SPDX-License-Identifier: BSD-3-Clause
// Sentences of assembly: which joints, by how much, at what time.
#pragma once

#include "assembly/assembly_problem.h"

enum { CD_NAME_LIST_SIZE = 300 };

typedef struct cd_name_list {
    char text[CD_NAME_LIST_SIZE];
    int  length, count;
} cd_name_list;

// A constraint that is open, and by how much in all its directions.
typedef struct cd_located_violation {
    const cd_constraint* c;
    double               size;
    const char*          unit;
} cd_located_violation;

// Joints that a gear, a rod or a driver feels.
cd_name_list cd_coupled_joint_names(const cardan_model* m, const cd_constraint* c);
// Joints around the loop: out to the first end, the joint that closes it, and back from the other end.
cd_name_list cd_loop_joint_names(const cardan_model* m, const cd_constraint* c);
// Joints with exact values in the loop.
cd_name_list cd_fixed_joint_names(const cd_assembly* a, const cd_constraint* c);
// Drivers that take part where nothing can be closed.
cd_name_list cd_conflicting_driver_names(const cd_assembly* a, const cd_constraint** first);
// How far a constraint is open; the one that is open most.
cd_located_violation cd_violation_of_constraint(const cd_assembly* a, int constraint);
cd_located_violation cd_largest_violation(const cd_assembly* a);

// What drivers ask for cannot be: named with the widest gap.
cardan_status cd_fail_driver_conflict(const cd_assembly* a, cd_located_violation g, cd_name_list drivers,
                                      const cd_constraint* first, cardan_report* report);
// Nothing closes. `blamed`: this gap is left where all others close.
cardan_status cd_fail_loop_closure(const cd_assembly* a, cd_located_violation g, bool attributed,
                                   cardan_report* report);
// Exact values are in the way. `rigid`: let go they leave a pose where nothing can move.
cardan_status cd_fail_fixed_start(const cd_assembly* a, cd_located_violation g, bool rigid, cardan_report* report);
// A drawing with a gap that was closed, and then nothing moves: an error, or a warning.
cardan_status cd_report_rigid(const cd_assembly* a, cd_located_violation g, bool error, cardan_report* report);

// Of loops that pull against each other at the least gap the one that is to blame, and its gap where all others are
// closed (loop_attribution.c). False where that cannot be told; all else is as before.
bool cd_attribute_violation(cd_assembly* a, cd_located_violation* g);
