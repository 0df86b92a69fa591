// SPDX-License-Identifier: BSD-3-Clause
// Constraint rows as input of the formulations, in blocks of one constraint each:
//
//   M a + J'lambda = r,   J a - compliance lambda = gamma
//
// Constraints have no compliance. The rotor of a joint without coordinates in the tree is a row with compliance 1 /
// armature: lambda = armature (J a - gamma) is its inertia force. Every formulation that supports rows supports
// compliance, of all rows of a block or of none; which blocks have one is fixed at the analysis, the values are not.
//
// The set of rows may change between solves within the blocks of the analysis: a block that is switched off has zero
// rows (G and J) and zero gamma. It then has null pivots, or its compliance alone, and zero multipliers, with the same
// pattern and without allocation (test_row_sets.c).
#pragma once

#include "math/spatial.h"

#include <stdbool.h>

enum { CD_ROW_BLOCK_BODIES_MAX = 6 }; // maximum per constraint: three coupled joints

typedef struct cd_row_block {
    int row, nrow;

    // Rows on the twists of links, in world axes at the origins of the links.
    int      nend;
    int*     link; // (nend) -1: ground
    spatial* G;    // (nrow x nend)

    // The same rows on the velocities that couple to the constraint, for formulations that need them
    // (CD_NEEDS_JOINT_SPACE_JACOBIAN): else nv = 0. Velocities that move both ends of every pair alike are omitted:
    // there J is zero.
    int   nv;
    int*  v; // (nv) from the ends inward
    real* J; // (nrow x nv)
} cd_row_block;

// Row stream: rows that are computed in batches while a sweep passes over them. Before the sweep reads rows of a block,
// or the right-hand side of a body (maximal coordinates), it requests the batch of CD_STREAM_BATCH that contains it. A
// sink, if set, receives the J of each block while it is in the cache, and the blocks do not store it; request_all then
// stores all rows.
enum { CD_STREAM_BATCH = 128 };
typedef struct cd_row_stream {
    void (*request_blocks)(struct cd_row_stream* stream, int batch);
    void (*request_bodies)(struct cd_row_stream* stream, int batch);
    void (*request_all)(struct cd_row_stream* stream);                      // stores J in all blocks, with or without a
                                                                            // sink
    bool *blocks_ready, *bodies_ready;                                      // batches that are computed
    void (*sink)(void* context, int constraint, const cd_row_block* block); // or NULL
    void* sink_context;
} cd_row_stream;

// All rows of a model; none for a tree without constraints.
typedef struct cd_rows {
    int                 nrow, nblock;
    const cd_row_block* block;
    const double*       compliance;  // (nrow), or NULL: zero
    double              gamma_scale; // magnitude of the terms of gamma, which bounds its round-off; 0: not computed yet
    cd_row_stream*      stream;      // NULL: all rows are computed
} cd_rows;

static inline void cd_row_stream_require_block(cd_row_stream* stream, int block)
{
    if (!stream->blocks_ready[block / CD_STREAM_BATCH]) stream->request_blocks(stream, block / CD_STREAM_BATCH);
}

static inline void cd_row_stream_require_body(cd_row_stream* stream, int body)
{
    if (!stream->bodies_ready[body / CD_STREAM_BATCH]) stream->request_bodies(stream, body / CD_STREAM_BATCH);
}

static inline void cd_row_stream_require_all(cd_row_stream* stream, int blocks, int bodies)
{
    for (int i = 0; i < blocks; i += CD_STREAM_BATCH) cd_row_stream_require_block(stream, i);
    for (int i = 0; i < bodies; i += CD_STREAM_BATCH) cd_row_stream_require_body(stream, i);
}

static inline double cd_row_compliance(const cd_rows* rows, int row)
{
    return rows->compliance ? rows->compliance[row] : 0;
}
