// SPDX-License-Identifier: BSD-3-Clause
// Rows that implicit methods hold: those of the constraints that do not repeat others, each with a multiplier of its
// own. Which rows repeat others changes along the motion where loops are closed more than once (Bennett's linkage): the
// choice is looked after, and made anew where it has become poor.
#pragma once

#include "motion/system.h"

typedef struct cd_held {
    int     nrow;          // of the system
    int     count, placed; // held; and those of them that hold for positions, which come first
    int*    row;           // (nrow) which
    double  firm;          // least pivot of their J, of the largest, when they were chosen or last looked after
    double *J, *chosen, *tau, *work; // scratch: (nv x nrow) twice, ...; none where matrices are sparse
    int*    pivot;
} cd_held;

// All rows of J, by their entries: row i has those from start[i] to start[i + 1].
typedef struct cd_held_rows {
    int     nrow;
    int *   start, *v;
    double* J;
} cd_held_rows;

bool cd_held_rows_create(const cd_system* system, cd_held_rows* rows); // false: no memory
void cd_held_rows_free(cd_held_rows* rows);
void cd_held_rows_at(const cd_system* system, cd_held_rows* rows); // at the state of the data

void cd_held_layout(const cd_system* system, cd_arena* arena, cd_held* held);
// J' (nv x nrow, column major) at the state of the data.
void cd_held_jacobian(const cd_system* system, double* J);
// Chooses at the state of the data, by pivoted QR of J'; where matrices are sparse, a sparse factor says first whether
// all can be held. False where J is not finite, or without memory.
bool cd_held_choose(const cd_system* system, cd_held* held);
// Whether other rows would hold the state of the data ten times as firmly as those chosen. Not where matrices are
// sparse.
bool cd_held_outdated(const cd_system* system, cd_held* held);
// The state of the data, which is x, onto all constraints: rows that were not held so far gape, and are to be held from
// here on.
void cd_held_close(cd_system* system, cd_point* x);
