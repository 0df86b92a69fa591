// SPDX-License-Identifier: BSD-3-Clause
// Rows that repeat others at every pose, but for the digits of the description: four axes that are parallel up to 1e-9.
// No elimination can tell them from rows of their own, and each would say something else. So it is decided once, at the
// start, by singular values at several poses, for the doctor and for all that solve (cd_rows.misfit).
#pragma once

#include "dynamics/rank/constraint_rank.h"

// A singular value that is no larger at any pose belongs to a row that repeats others, for the doctor and assembly,
// too.
static const double cd_max_redundancy_error = 1e-9;

// The largest singular value of rows that hardly say anything, at the pose q and at others nearby; 0: there are none,
// or elsewhere they say more, as beside singular poses; below zero without memory. The patient is examined at q then,
// its drivers released, and where rows count as repeated they do for all its ranks from then on.
double cd_find_redundancy_error(cd_rank_analysis* p, const double* q);
// At the state that was assembled: what formulations are told, and a warning of rows that say too much for that. Where
// they say too little for pivots to tell, nothing is solved (cardan_data.torn).
cardan_status cd_update_redundancy_error(cardan_data* d, cardan_report* report);
