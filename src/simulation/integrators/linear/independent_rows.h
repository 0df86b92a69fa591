// SPDX-License-Identifier: BSD-3-Clause
// Rows that implicit methods hold: those of the constraints that do not repeat others, each with a multiplier of its
// own. Which rows repeat others changes along the motion where loops are closed more than once (Bennett's linkage): the
// choice is looked after, and made anew where it has become poor.
#pragma once

#include "simulation/ode/ode_system.h"

typedef struct cd_independent_rows {
    int     nrow;             // of the system
    int     count, nposition; // held; and those of them that hold for positions, which come first
    int*    row;              // (nrow) which
    double  pivot_min_rel;    // least pivot of their J, of the largest, when they were chosen or last looked after
    double *J, *J_all, *tau, *work; // scratch: (nv x nrow) twice, ...; none where matrices are sparse
    int*    pivot;
} cd_independent_rows;

// All rows of J, by their entries: row i has those from start[i] to start[i + 1].
typedef struct cd_jacobian_csr {
    int     nrow;
    int *   row_start, *column;
    double* value;
} cd_jacobian_csr;

bool cd_jacobian_csr_create(const cd_ode_system* system, cd_jacobian_csr* rows); // false: no memory
void cd_jacobian_csr_free(cd_jacobian_csr* rows);
void cd_jacobian_csr_evaluate(const cd_ode_system* system, cd_jacobian_csr* rows); // at the state of the data

void cd_independent_rows_layout(const cd_ode_system* system, cd_arena* arena, cd_independent_rows* rows);
// J' (nv x nrow, column major) at the state of the data.
void cd_constraint_jacobian_dense(const cd_ode_system* system, double* J);
// Chooses at the state of the data, by pivoted QR of J'; where matrices are sparse, a sparse factor says first whether
// all can be held. False where J is not finite, or without memory.
bool cd_independent_rows_select(const cd_ode_system* system, cd_independent_rows* rows);
// Whether other rows would hold the state of the data ten times as firmly as those chosen. Not where matrices are
// sparse.
bool cd_independent_rows_are_outdated(const cd_ode_system* system, cd_independent_rows* rows);
// The state of the data, which is x, onto all constraints: rows that were not held so far gape, and are to be held from
// here on.
void cd_independent_rows_project_state(cd_ode_system* system, cd_ode_state* x);
