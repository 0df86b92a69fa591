// SPDX-License-Identifier: BSD-3-Clause
// A state that becomes known part by part, while the formulation sweeps over the mechanism (parts.c).
#pragma once

#include "constraint/rows.h"
#include "core/memory.h"

#include <cardan/dynamics.h>

typedef struct cd_parts {
    cd_reach      reach;
    bool          serves;   // the model is of a kind that this is for
    bool          open;     // the state is set, and not all of it known
    bool          sketched; // rows on twists and values of constraints are not there, of which the largest is known
    bool          bare;     // nor motion columns
    const double *q, *v;    // it, as long as it is not in the data; or NULL
} cd_parts;

void cd_parts_layout(cd_arena* arena, cardan_data* d);
// Whether a step may be taken so. The state, in place of cardan_data_set and of everything that cardan_accelerate asks
// for: q and v must stay until the rest is there, which cd_parts_finish sees to. In between cardan_accelerate alone may
// be called, with `firm` set.
bool cd_parts_serve(const cardan_data* d);
void cd_parts_set(cardan_data* d, double t, const double* q, const double* v, const double* state);
void cd_parts_finish(cardan_data* d);
// Rows on twists and values too, for those who doubt the solution. And at the end of the step: whoever looks at the
// state from then on computes what he wants.
void cd_parts_complete(cardan_data* d);
void cd_parts_forget(cardan_data* d);
