// SPDX-License-Identifier: BSD-3-Clause
// Rows that are redundant in every configuration except for the digits of the description: four axes that are
// parallel up to 1e-9. No elimination can distinguish them from independent rows, and different eliminations would
// decide differently. Therefore the decision is made once, at the start, by singular values at several
// configurations, for the diagnosis and for all formulations (cd_solve_policy.redundancy_error).
#pragma once

#include "dynamics/rank/constraint_rank.h"

// Largest singular value of nearly redundant rows at the configuration q and at others nearby; 0 if there are none,
// or if they are independent elsewhere, as near singular configurations; negative if memory is exhausted. On return the
// analysis holds the rank at q with drivers released, and rows that count as redundant do so for all its later ranks.
double cd_find_redundancy_error(cd_rank_analysis* p, const double* q);
// Compute the redundancy error at the assembled state, store it for the formulations, and warn about rows that exceed
// the limit. If it is too small to be decided by pivots, cardan_data.undecidable_rank is set and nothing is solved.
cardan_status cd_update_redundancy_error(cardan_data* d, cardan_report* report);
