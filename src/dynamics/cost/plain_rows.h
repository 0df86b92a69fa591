// SPDX-License-Identifier: BSD-3-Clause
// Constraint rows in plain doubles, for those who compute with other numbers.
#pragma once

#include <cardan/dynamics.h>

typedef struct cd_plain_block {
    int           row, nrow, nv; // nv: 0 where the formulation has no use for J
    const int*    v;
    const double* J;
    int           nend;
    const int*    link;
    const double* G; // (nrow x nend x 6)
} cd_plain_block;

// All that a formulation gets to know of rows beside their blocks, as cd_rows (constraint/constraint_rows.h) has it.
typedef struct cd_plain_row_set {
    int    nrow, nblock;
    double violation, violation_si, redundancy_error, pivot_floor, rank_tolerance_factor, gamma_scale,
        residual_tolerance, row_residual_tolerance;
    const double *gamma, *compliance; // (nrow); compliance NULL: none has any
} cd_plain_row_set;

// Rows of the data at its state, those of rotors included. cd_plain_block_at gives block i of them.
cd_plain_row_set cd_plain_rows(cardan_data* data);
cd_plain_block   cd_plain_block_at(const cardan_data* data, int i);
// After that: all coordinates (nq_all), measured ones among them; what constraints keep from one evaluation to the
// next.
const double* cd_plain_coordinates(const cardan_data* data);
const double* cd_plain_history(const cardan_data* data);
