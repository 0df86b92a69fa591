// SPDX-License-Identifier: BSD-3-Clause
// Formulations that may solve a mechanism, sorted by the cost of an evaluation.
#pragma once

#include <cardan/dynamics.h>

enum { CD_MAX_CANDIDATES = 32 };

typedef struct cd_formulation_candidate {
    int    formulation;
    double estimated_operations, counted_operations; // estimated from sizes; counted
    double cost;                                     // of one evaluation: operations times time per operation
} cd_formulation_candidate;

// Store *count counted formulations in found, cheapest first, followed by *nuncounted that were not counted because
// of their size. A formulation whose count fails is skipped. start: assembled start, or NULL. Returns
// CARDAN_NO_MEMORY or CARDAN_OK.
cardan_status cd_count_candidates(cardan_model* const model[3], const cardan_data* start, bool loops, int nconstraint,
                                  cd_formulation_candidate* found, int* count, int* nuncounted);
