// SPDX-License-Identifier: BSD-3-Clause
// Bodies without mass and slender rods have motions without inertia. Either the constraints determine these motions,
// or the accelerations are not determined. An elimination meets such motions as pivots of round-off size instead of
// zero; here they are searched for separately, by a matrix that does not depend on the size of masses.
#pragma once

#include "constraint/constraint_rows.h"
#include "core/memory.h"
#include "model/model.h"

typedef struct cd_undetermined_search {
    bool    needed;                        // there are such bodies and constraints, and the system is small enough
    int     nrow;                          // rows of A
    double *A, *tau, *work;                // of QR, columns are velocities
    double *unit_velocity, *velocity_size; // (nv), (nv) fastest motion of each velocity
    int*    pivot;                         // (nv)
} cd_undetermined_search;

void cd_undetermined_search_layout(const cardan_model* m, int nrow, cd_arena* arena, cd_undetermined_search* d);

struct cardan_data;
// Index of a velocity of a motion that neither inertia nor constraints determine, or CARDAN_NONE. The search is
// repeated until all motions are determined, as long as the same constraints are enabled. The rows must be up to
// date.
int cd_find_undetermined_velocity(struct cardan_data* d);
// Compute such a motion x (nv), or one that is determined only by less than the tolerance. Returns false if none is
// found or the system is too large for the search.
bool cd_find_undetermined_motion(struct cardan_data* d, double tolerance, double* x);
