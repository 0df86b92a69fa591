// SPDX-License-Identifier: BSD-3-Clause
// A state that becomes known part by part, while the formulation sweeps over the mechanism (blocked_evaluation.c).
#pragma once

#include "constraint/constraint_rows.h"
#include "core/memory.h"

#include <cardan/dynamics.h>

typedef struct cd_blocked_evaluation {
    cd_row_stream row_stream;
    bool          supported; // the model is of a kind that this is for
    bool          active;    // the state is set, and not all of it known
    bool rows_not_stored;    // rows on twists and values of constraints are not there, of which the largest is known
    bool columns_not_stored; // nor motion columns
    const double *q, *v;     // it, as long as it is not in the data; or NULL
} cd_blocked_evaluation;

void cd_blocked_layout(cd_arena* arena, cardan_data* d);
// Whether a step may be taken so. The state, in place of cardan_data_set_state and of everything that cardan_accelerate asks
// for: q and v must stay until the rest is there, which cd_blocked_finish sees to. In between cardan_accelerate alone may
// be called, with `firm` set.
bool cd_can_evaluate_blocked(const cardan_data* d);
void cd_blocked_set_state(cardan_data* d, double t, const double* q, const double* v, const double* state);
void cd_blocked_finish(cardan_data* d);
// Rows on twists and values too, for those who doubt the solution. And at the end of the step: whoever looks at the
// state from then on computes what he wants.
void cd_blocked_store_rows(cardan_data* d);
void cd_blocked_invalidate(cardan_data* d);
