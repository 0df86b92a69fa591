// SPDX-License-Identifier: BSD-3-Clause
// Geometric rank: rank decision for all rows at once by orthogonal transformations, where pivots of the elimination
// leave it undecided. Pivots are squares of singular values in the metric of the masses: with masses that differ by
// many decades, a row whose independent part is 1e-6 of its norm has a relative pivot of 1e-12, which is round-off.
// Which rows are redundant depends on geometry alone, and QR of the scaled rows shows it clearly. Off the constraints
// redundant rows differ by the violation (cd_solve_policy.violation), and the tolerance grows with it.
#pragma once

#include "formulation/formulation.h"

typedef struct cd_geometric_rank {
    bool    fits;           // the system is small enough
    double *A, *tau, *work; // work arrays of the QR factorization
    int*    pivot;
    bool*   is_redundant; // (nv + nrow) redundant rows of the last computation; always false for velocities
} cd_geometric_rank;

void cd_geometric_rank_layout(cd_geometric_rank* rank, const cardan_model* m, const cd_rows* rows, cd_arena* arena);
// Compute which rows (CD_NEEDS_JOINT_SPACE_JACOBIAN) are redundant. Returns false if the rank cannot be computed.
bool cd_geometric_rank_compute(cd_geometric_rank* rank, const cd_problem* p);
// Return whether forced null pivots are useful at this state: with a violation, redundant rows contradict each other by
// the violation, whichever of them are omitted.
bool cd_geometric_rank_is_decisive(const cd_geometric_rank* rank, const cd_problem* p);
