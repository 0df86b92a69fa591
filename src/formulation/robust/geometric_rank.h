// SPDX-License-Identifier: BSD-3-Clause
// Ranks decided once for all rows by orthogonal transformations, where an elimination is in doubt. An elimination sees
// squares of singular values in the metric of the masses: a row that says a part of 1e-6 of itself among bodies of many
// decades is 1e-12 there, and rounding. Which rows repeat others is a matter of geometry alone, and there it is plain;
// beside the constraints by more than the gap (rows->gap), which is all that such rows differ by.
#pragma once

#include "constraint/constraint_rows.h"
#include "core/memory.h"
#include "model/model.h"

typedef struct cd_geometric_rank {
    bool    fits;           // the system is small enough
    double *A, *tau, *work; // of QR
    int*    pivot;
    bool*   is_redundant; // (nv + nrow) rows that repeat others, by the last ruling; velocities never do
} cd_geometric_rank;

void cd_geometric_rank_layout(cd_geometric_rank* rank, const cardan_model* m, const cd_rows* rows, cd_arena* arena);
// Which rows (CD_NEEDS_JOINT_SPACE_JACOBIAN) repeat others; false where nothing can be told.
bool cd_geometric_rank_compute(cd_geometric_rank* rank, const cardan_model* m, const cd_rows* rows);
// Whether a ruling there would change anything: beside the constraints rows that do repeat others contradict each other
// by the gap, whichever are left out.
bool cd_geometric_rank_is_decisive(const cd_geometric_rank* rank, const cardan_model* m, const cd_rows* rows);
