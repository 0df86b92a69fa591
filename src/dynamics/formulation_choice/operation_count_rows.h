// SPDX-License-Identifier: BSD-3-Clause
// Operation count of the constraint rows (operation_count_rows.c).
#pragma once

#include "dynamics/formulation_choice/double_rows.h"
#include "kinematics/kinematics.h"

// Evaluate constraint rows on counting numbers at the position of the kinematics k: G and gamma, and J if
// joint_space. The operations are added to the counter that q (nq) and v (nv) refer to. Winding numbers, foot points
// on curves and off-tree joints start at the values of `plain`.
cardan_status cd_count_row_operations(const cardan_model* m, const cd_kinematics* k, const cardan_data* plain,
                                      bool joint_space, const real* q, const real* v);
