// SPDX-License-Identifier: BSD-3-Clause
// Formulations that may solve a mechanism, by what an evaluation costs.
#pragma once

#include <cardan/dynamics.h>

enum { CD_MAX_CANDIDATES = 32 };

typedef struct cd_formulation_candidate {
    int    formulation;
    double estimated_operations, counted_operations; // operations: about, from sizes; counted
    double cost;                                     // of one evaluation, in units of the paces
} cd_formulation_candidate;

// The *count formulations that are counted, cheapest first, and behind them *nleft that are not, for their size. What
// cannot be counted cannot be taken. `start`: the closed start where it is known, or NULL. NO_MEMORY or OK.
cardan_status cd_count_candidates(cardan_model* const model[3], const cardan_data* start, bool loops, int nconstraint,
                                  cd_formulation_candidate* found, int* count, int* nuncounted);
