// SPDX-License-Identifier: BSD-3-Clause
// Inside of the transcription: functions of one instant become kinds, and kinds blocks along the chain.
#pragma once

#include "optimize/plan.h"

typedef struct building {
    cardan_plan* p;
    cd_instant*  s;
    cd_graph*    g;
    bool*        unknown; // (ninput)
    cd_binding   b;
    cd_node*     row; // scratch
    double *     lower, *upper;
    bool         ok;
} building;

static inline cd_node input(building* w, int i) { return cd_input(w->g, i); }
static inline cd_node times(building* w, cd_node a, cd_node b) { return cd_binary(w->g, CD_MUL, a, b); }
static inline cd_node minus(building* w, cd_node a, cd_node b) { return cd_binary(w->g, CD_SUB, a, b); }
static inline cd_node plus(building* w, cd_node a, cd_node b) { return cd_binary(w->g, CD_ADD, a, b); }

// A kind of the first rows, or NULL; a block of it with the bindings at hand, `bounded` by lower and upper instead of
// zero.
const cd_kind* cd_make_kind(building* w, const char* name, int nrow, cd_node objective);
void           cd_add_block(building* w, const cd_kind* kind, int interval, bool bounded);

// conditions.c
void           cd_add_start(building* w);
void           cd_add_last(building* w);
const cd_kind* cd_make_path(building* w);
void           cd_bound_path(building* w); // bounds of the rows of a path block
const cd_kind* cd_make_limits(building* w);
void           cd_bound_limits(building* w);
void           cd_limit_unknowns(cardan_plan* p);

// cost.c
const cd_kind* cd_make_effort(building* w);
const cd_kind* cd_make_rate(building* w);
const cd_kind* cd_make_integral(building* w);
