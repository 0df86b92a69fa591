// SPDX-License-Identifier: BSD-3-Clause
// Blocked evaluation of a state while the formulation sweeps over the mechanism (blocked_evaluation.c).
#pragma once

#include "constraint/constraint_rows.h"
#include "core/memory.h"

#include <cardan/dynamics.h>

typedef struct cd_blocked_evaluation {
    cd_row_stream row_stream;
    bool          supported;          // model and constraints are suitable
    bool          active;             // the state is set but not completely evaluated
    bool          rows_not_stored;    // twist Jacobians and constraint values are not stored, only the violation
    bool          columns_not_stored; // motion columns are not stored
    const double *q, *v;              // state until it is copied to the data; or NULL
} cd_blocked_evaluation;

void cd_blocked_layout(cd_arena* arena, cardan_data* d);
// cd_can_evaluate_blocked: whether a step may be evaluated this way. cd_blocked_set_state: set the state instead of
// cardan_data_set_state and of the updates of cardan_data_accelerate; q and v must stay valid until cd_blocked_finish has
// evaluated the remaining links and constraints. In between only cardan_data_accelerate may be called, with
// assume_full_rank set.
bool cd_can_evaluate_blocked(const cardan_data* d);
void cd_blocked_set_state(cardan_data* d, double t, const double* q, const double* v, const double* state);
void cd_blocked_finish(cardan_data* d);
// cd_blocked_store_rows: compute the twist Jacobians and values that were not stored, for a check of the solution.
// cd_blocked_invalidate: at the end of the step, invalidate the cached quantities; later calls recompute them.
void cd_blocked_store_rows(cardan_data* d);
void cd_blocked_invalidate(cardan_data* d);
