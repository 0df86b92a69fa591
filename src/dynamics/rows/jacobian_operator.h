// SPDX-License-Identifier: BSD-3-Clause
// J as an operator (jacobian_operator.c).
#pragma once

#include "dynamics/data.h"

// Joint-space rows of constraint i, valid until the next call. The rows must be up to date, as for the functions
// below.
void         cd_jacobian_layout(const cardan_model* m, cd_arena* arena, cardan_data* d);
cd_row_block cd_joint_space_block(const cardan_data* d, const cd_constraint_set* constraints, int i);
// cd_twists_of: twists of the links (nlink, [-1] ground) in world axes for velocities x, valid until the next of
// these calls. cd_jacobian_times: y (nrow) = J x. cd_add_jacobian_transposed_times: x (nv) += J'lambda.
const spatial* cd_twists_of(const cardan_data* d, const double* x);
void           cd_jacobian_times(const cardan_data* d, const cd_rows* rows, const double* x, double* y);
void cd_add_jacobian_transposed_times(const cardan_data* d, const cd_rows* rows, const double* lambda, double* x);
