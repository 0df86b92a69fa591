// SPDX-License-Identifier: BSD-3-Clause
// Internal data of the transcription: expressions of the point model become block functions, and block
// functions become blocks.
#pragma once

#include "optimize/transcription/ocp.h"

typedef struct transcription_builder {
    cardan_ocp*     ocp;
    cd_point_model* model;
    cd_graph*       graph;
    bool*           unknown; // (ninput)
    cd_binding      binding;
    cd_node*        row; // scratch
    double *        lower, *upper;
    bool            ok;
} transcription_builder;

static inline cd_node input(transcription_builder* w, int i) { return cd_input(w->graph, i); }
static inline cd_node times(transcription_builder* w, cd_node a, cd_node b)
{
    return cd_binary(w->graph, CD_MUL, a, b);
}
static inline cd_node minus(transcription_builder* w, cd_node a, cd_node b)
{
    return cd_binary(w->graph, CD_SUB, a, b);
}
static inline cd_node plus(transcription_builder* w, cd_node a, cd_node b) { return cd_binary(w->graph, CD_ADD, a, b); }

// transcription_builder.c: create a block function of the first nrow entries of `row`, or return NULL on failure; add a
// block of it with the current binding, `bounded` by lower and upper instead of zero.
const cd_block_function* cd_builder_add_function(transcription_builder* builder, const char* name, int nrow,
                                                 cd_node objective);
void cd_builder_add_block(transcription_builder* w, const cd_block_function* function, int interval, bool bounded);

// ocp_conditions.c
void                     cd_add_start_conditions(transcription_builder* w);
void                     cd_add_end_conditions(transcription_builder* w);
const cd_block_function* cd_make_path_conditions(transcription_builder* w);
void                     cd_set_path_bounds(transcription_builder* w); // bounds of the rows of a path block
const cd_block_function* cd_make_state_limits(transcription_builder* w);
void                     cd_set_state_limit_bounds(transcription_builder* w);
void                     cd_set_unknown_bounds(cardan_ocp* p);

// ocp_cost.c
const cd_block_function* cd_make_effort_cost(transcription_builder* w);
const cd_block_function* cd_make_effort_rate_cost(transcription_builder* w);
const cd_block_function* cd_make_integral_cost(transcription_builder* w);
