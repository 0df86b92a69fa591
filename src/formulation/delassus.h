// SPDX-License-Identifier: BSD-3-Clause
// Response of the mechanism to forces along rows that are not part of the factor, such as contacts:
//
//   M X + J'Y = Jc',   J X - C Y = 0,   W = Jc X          J, C: rows of the factor; Jc: the other rows
//
// W (Delassus matrix) maps multipliers of the other rows to accelerations along them. It is symmetric and positive
// semidefinite, and rank-deficient where the other rows are redundant.
#pragma once

#include "formulation/formulation.h"

typedef struct cd_delassus_work {
    int   nrow;      // rows of Jc
    real *r, *gamma; // (nv), (nrow of the factor) constant zeros: right sides of a solve
    real* X;         // (nrow x nv) responses, one row for each row of Jc
    real* Y;         // (nrow x nrow of the factor) their multipliers
    real* W;         // (nrow x nrow) both triangles, equal bits
} cd_delassus_work;

// Lay out for at most `capacity` rows.
void cd_delassus_layout(const cardan_model* m, const cd_rows* rows, int capacity, cd_arena* arena, cd_delassus_work* w);
// Compute X and W with the current factor. `other` (joint-space rows) has at most `capacity` rows; they may differ from
// call to call. Every formulation solves column by column; rows of zeros have no response and need no solve.
cardan_status cd_delassus_compute(const cd_formulation* f, const cd_problem* p, void* work, const cd_rows* other,
                                  cd_delassus_work* w, cd_solve_info* info);
