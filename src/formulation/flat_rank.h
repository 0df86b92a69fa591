// SPDX-License-Identifier: BSD-3-Clause
// Ranks in maximal coordinates, decided once for all rows by orthogonal transformations, where an elimination is in
// doubt. An elimination sees squares of singular values in the metric of the masses: a row that says a part of 1e-6 of
// itself among bodies of many decades is 1e-12 there, and rounding. Which rows repeat others is a matter of geometry
// alone, and there it is plain.
#pragma once

#include "constraint/rows.h"
#include "core/memory.h"
#include "model/model.h"

// A motion of one body that no inertia of it resists: a unit vector of its six velocities.
typedef struct cd_bare_motion {
    int    body;
    double n[6];
} cd_bare_motion;

typedef struct cd_flat_rank {
    int             nbare;
    cd_bare_motion* bare;
    bool            room;           // the system is small enough
    double *        A, *tau, *work; // of QR: rows by velocities, or by motions
    int*            pivot;
    bool*           null; // (nv + nrow) rows that repeat others, by the last ruling
} cd_flat_rank;

// False without memory.
bool cd_flat_rank_analyse(cd_flat_rank* rank, const cardan_model* m, const cd_rows* rows);
void cd_flat_rank_layout(cd_flat_rank* rank, const cardan_model* m, const cd_rows* rows, cd_arena* arena);
void cd_flat_rank_release(cd_flat_rank* rank);

// Which rows repeat others; false where nothing can be told.
bool cd_flat_rank_rule(cd_flat_rank* rank, const cardan_model* m, const cd_rows* rows);
// A velocity of a motion that neither inertia nor rows determine, H n = 0 and C n = 0, or CARDAN_NONE.
int cd_flat_rank_undetermined(cd_flat_rank* rank, const cardan_model* m, const cd_rows* rows);
