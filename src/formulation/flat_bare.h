// SPDX-License-Identifier: BSD-3-Clause
// Motions of free bodies that no inertia resists: those of bodies without mass, spins of slender rods. Rows determine
// them, or nothing does.
#pragma once

#include "formulation/row_rank.h"

// A unit vector of the six velocities of a body.
typedef struct cd_bare_motion {
    int    body;
    double n[6];
} cd_bare_motion;

typedef struct cd_flat_bare {
    int             n;
    cd_bare_motion* motion;
} cd_flat_bare;

// False without memory.
bool cd_flat_bare_find(cd_flat_bare* bare, const cardan_model* m);
void cd_flat_bare_release(cd_flat_bare* bare);
// A velocity of a motion that neither inertia nor rows determine, or CARDAN_NONE, also where the system is too large to
// tell.
int cd_flat_bare_undetermined(const cd_flat_bare* bare, cd_row_rank* rank, const cardan_model* m, const cd_rows* rows);
