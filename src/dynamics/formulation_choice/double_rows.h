// SPDX-License-Identifier: BSD-3-Clause
// Constraint rows in plain doubles, for code compiled with another number type.
#pragma once

#include "formulation/solve_policy.h"

#include <cardan/dynamics.h>

typedef struct cd_double_row_block {
    int           row, nrow, nv; // nv: 0 if the formulation does not use J
    const int*    v;
    const double* J;
    int           nend;
    const int*    link;
    const double* G; // (nrow x nend x 6)
} cd_double_row_block;

// Data of cd_rows (constraint/constraint_rows.h) except the blocks, and the policy of their solve.
typedef struct cd_double_row_set {
    int             nrow, nblock;
    cd_solve_policy policy;
    double          gamma_scale;
    const double *  gamma, *compliance; // (nrow); compliance NULL: no compliant rows
} cd_double_row_set;

// Rows of the data at its state, rotor rows included. cd_double_block_at returns block i.
cd_double_row_set   cd_double_rows(cardan_data* data);
cd_double_row_block cd_double_block_at(const cardan_data* data, int i);
// After cd_double_rows: all coordinates (nq_joint), off-tree joints included; history of the constraints.
const double* cd_double_coordinates(const cardan_data* data);
const double* cd_double_history(const cardan_data* data);
