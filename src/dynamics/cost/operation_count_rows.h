// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dynamics/cost/plain_rows.h"
#include "kinematics/kinematics.h"

// Constraint rows evaluated on counting numbers at a placed position: G and gamma, and J where `ways`. What they cost
// goes to the tally that q (nq) and v (nv) know. Turns, feet on curves and measured joints begin at those of `plain`.
cardan_status cd_count_row_operations(const cardan_model* m, const cd_kinematics* k, const cardan_data* plain,
                                      bool joint_space, const real* q, const real* v);
