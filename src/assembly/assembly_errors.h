// SPDX-License-Identifier: BSD-3-Clause
// Messages of assembly: joints, violation and time.
#pragma once

#include "assembly/assembly_problem.h"

enum { CD_NAME_LIST_SIZE = 300 };

typedef struct cd_name_list {
    char text[CD_NAME_LIST_SIZE];
    int  length, count;
} cd_name_list;

// Violated constraint, and the norm of its translational or rotational rows.
typedef struct cd_located_violation {
    const cd_constraint* c;
    double               size;
    const char*          unit;
} cd_located_violation;

// Joints on which a gear, a rod or a driver depends.
cd_name_list cd_coupled_joint_names(const cardan_model* m, const cd_constraint* c);
// Joints around the loop: outward to the first end, the closing joint, and back from the other end.
cd_name_list cd_loop_joint_names(const cardan_model* m, const cd_constraint* c);
// Joints of the loop with fixed start values.
cd_name_list cd_fixed_joint_names(const cd_assembly* a, const cd_constraint* c);
// Drivers involved in a violation that cannot be removed.
cd_name_list cd_conflicting_driver_names(const cd_assembly* a, const cd_constraint** first);
// Violation of one constraint; largest violation of all.
cd_located_violation cd_violation_of_constraint(const cd_assembly* a, int constraint);
cd_located_violation cd_largest_violation(const cd_assembly* a);

// Report drivers that the other constraints do not permit, with the largest violation.
cardan_status cd_fail_driver_conflict(const cd_assembly* a, cd_located_violation g, cd_name_list drivers,
                                      const cd_constraint* first, cardan_report* report);
// Report a loop that cannot be closed. attributed: the violation remains while all other loops are closed.
cardan_status cd_fail_loop_closure(const cd_assembly* a, cd_located_violation g, bool attributed,
                                   cardan_report* report);
// Report conflicting fixed start values. is_rigid: after their release nothing can move.
cardan_status cd_fail_fixed_start(const cd_assembly* a, cd_located_violation g, bool is_rigid, cardan_report* report);
// Report a violated design configuration that cannot move after assembly: as error or warning.
cardan_status cd_report_rigid(const cd_assembly* a, cd_located_violation g, bool error, cardan_report* report);

// Attribute the minimum violation to one of the conflicting loops, and compute its violation with all others closed
// (loop_attribution.c). Returns false if that is not possible; the state is restored.
bool cd_attribute_violation(cd_assembly* a, cd_located_violation* g, bool* out_of_memory);
