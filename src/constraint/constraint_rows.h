// SPDX-License-Identifier: BSD-3-Clause
// Constraint rows as input of the formulations, in blocks of one constraint each:
//
//   M a + J'lambda = r,   J a - compliance lambda = gamma
//
// Constraints have no compliance. The rotor of a joint without coordinates in the tree is a row with compliance 1 /
// armature: lambda = armature (J a - gamma) is its inertia force.
#pragma once

#include "math/block_ldl/pivot_test.h"
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
    double              violation; // constraint violation at the state, scaled: redundant rows are dependent up to this
    double              unscaled_violation; // [m, rad] the same, unscaled
    double redundancy_error; // relative size up to which dependent rows are dependent, by the digits of the
                             // description (dynamics/rank/near_redundancy.h)
    double pivot_floor; // relative pivots up to this carry no information about the rank, in addition to the pivot test
    // Factor on the tolerance of null pivots; 0: 1. Below 1 (sharper test) after a failed residual check.
    double         rank_tolerance_factor;
    const double*  compliance;  // (nrow), or NULL: zero
    double         gamma_scale; // magnitude of the terms of gamma, which bounds its round-off; 0: not computed yet
    double         residual_tolerance; // of the equations, relative to their terms, if steps follow; 0: round-off only
    cd_row_stream* stream;             // NULL: all rows are computed
    bool           freeze_rank; // redundant rows are those of the last factorization; their residuals are not corrected
    double         row_residual_tolerance; // [m/s^2, rad/s^2] residual of rows that the next step corrects; 0: none
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

// Off the constraint manifold, redundant rows have pivots of order violation^2 instead of zero. The tolerance of null
// pivots grows accordingly, else such rows would lock free motions. Above a violation of 1e-3 this estimate is not
// valid. Limited digits of the description (redundancy_error) have the same effect everywhere.
static inline double cd_rank_tolerance_at(const cd_rows* rows, double violation)
{
    return fmin(1e-6, 100 * fmax(violation < 1e-3 ? violation * violation : 0,
                                 rows->redundancy_error * rows->redundancy_error));
}
static inline double cd_rank_tolerance_off_constraint(const cd_rows* rows)
{
    return cd_rank_tolerance_at(rows, rows->violation);
}

// Whether a row is only a redundancy error, relative to the largest row of its constraint.
static inline bool cd_is_redundancy_error(const cd_rows* rows, double row_norm, double max_row_norm)
{
    return row_norm < 100 * rows->redundancy_error * max_row_norm;
}

// Squared tolerance of a coupling, at least that of the redundancy error.
static inline double cd_coupling_tolerance_sq(const cd_rows* rows, double tolerance_sq)
{
    return fmax(tolerance_sq, 100 * rows->redundancy_error * rows->redundancy_error);
}

// Tolerance up to which redundant rows are satisfied.
static inline double cd_redundant_row_tolerance(const cd_rows* rows, double tolerance)
{
    return fmax(tolerance, 100 * rows->redundancy_error);
}

static inline double cd_scaled_rank_tolerance(const cd_rows* rows, double tolerance)
{
    return rows->rank_tolerance_factor > 0 ? rows->rank_tolerance_factor * tolerance : tolerance;
}

static inline double cd_pivot_tolerance(const cd_rows* rows, double tolerance)
{
    return fmax(fmax(cd_scaled_rank_tolerance(rows, tolerance), rows->pivot_floor),
                cd_rank_tolerance_off_constraint(rows));
}

static inline cd_pivot_test cd_pivot_test_of(const cd_rows* rows, double tolerance)
{
    return (cd_pivot_test){fmax(cd_scaled_rank_tolerance(rows, tolerance), rows->pivot_floor),
                           cd_rank_tolerance_at(rows, rows->unscaled_violation)};
}
