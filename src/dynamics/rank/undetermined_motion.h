// SPDX-License-Identifier: BSD-3-Clause
// Bodies without mass and slender rods have motions that no inertia of theirs resists. Constraints determine them, or
// nothing does, and then there are no accelerations. Eliminations meet such motions as pivots, which are rounding where
// they should be zero; here they are looked for by themselves, by what does not depend on sizes of masses.
#pragma once

#include "constraint/constraint_rows.h"
#include "core/memory.h"
#include "model/model.h"

typedef struct cd_undetermined_search {
    bool    needed;                        // there are such bodies and constraints, and the system is small enough
    bool    all_determined;                // all motions were determined, with the constraints that are on
    int     nrow;                          // of A
    double *A, *tau, *work;                // of QR, columns are velocities
    double *unit_velocity, *velocity_size; // (nv) of velocities: the fastest motion that one gives
    int*    pivot;                         // (nv)
} cd_undetermined_search;

void cd_undetermined_search_layout(const cardan_model* m, int nrow, cd_arena* arena, cd_undetermined_search* d);
