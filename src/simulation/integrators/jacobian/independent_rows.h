// SPDX-License-Identifier: BSD-3-Clause
// Independent constraint rows for implicit methods: a maximal set of linearly independent rows, each with its own
// multiplier. Where loops are overconstrained (Bennett's linkage), the redundant rows change along the motion: the
// selection is monitored, and repeated when its conditioning has become poor.
#pragma once

#include "simulation/ode/ode_system.h"

typedef struct cd_independent_rows {
    int     nrow;                   // rows of the system
    int     count, nposition;       // selected rows; holonomic ones among them, which come first
    int*    row;                    // (nrow) indices
    double  pivot_min_rel;          // smallest relative pivot of their J at the selection or last check
    double *J, *J_all, *tau, *work; // scratch: (nv x nrow) twice, ...; none for sparse matrices
    int*    pivot;
} cd_independent_rows;

// All rows of J in compressed rows: row i has the entries row_start[i] to row_start[i + 1].
typedef struct cd_jacobian_csr {
    int     nrow;
    int *   row_start, *column;
    double* value;
} cd_jacobian_csr;

bool cd_jacobian_csr_create(const cd_ode_system* system, cd_jacobian_csr* rows); // false: no memory
void cd_jacobian_csr_free(cd_jacobian_csr* rows);
void cd_jacobian_csr_evaluate(const cd_ode_system* system, cd_jacobian_csr* rows); // at the state of the data

void cd_independent_rows_layout(const cd_ode_system* system, cd_arena* arena, cd_independent_rows* rows);
// Compute J' (nv x nrow, column major) at the state of the data.
void cd_constraint_jacobian_dense(const cd_ode_system* system, double* J);
// Select rows at the state of the data, by QR of J' with column pivoting; with sparse matrices, a sparse
// factorization first tests whether all rows are independent. Returns false if J is not finite, or if memory is
// exhausted.
bool cd_independent_rows_select(const cd_ode_system* system, cd_independent_rows* rows);
// Return whether another selection would have a ten times larger smallest pivot at the state of the data. Always
// false for sparse matrices.
bool cd_independent_rows_are_outdated(const cd_ode_system* system, cd_independent_rows* rows);
// Project the state of the data, which is x, onto all constraints: rows that were not selected so far are violated,
// and will be enforced from now on.
void cd_independent_rows_project_state(cd_ode_system* system, cd_ode_state* x);
