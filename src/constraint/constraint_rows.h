// SPDX-License-Identifier: BSD-3-Clause
// Rows as formulations see them, in blocks of one constraint each:
//
//   M a + J'lambda = r,   J a - compliance lambda = gamma
//
// Constraints have no compliance. The rotor of a joint that has no coordinates in the model is a row with compliance 1
// / armature: lambda = armature (J a - gamma) is what it resists with.
#pragma once

#include "math/block_ldl/pivot_test.h"
#include "math/spatial.h"

#include <stdbool.h>

enum { CD_ROW_BLOCK_BODIES_MAX = 6 }; // most that one constraint acts on: three joints coupled

typedef struct cd_row_block {
    int row, nrow;

    // Rows on the twists of links, in world axes at the origins of the links.
    int      nend;
    int*     link; // (nend) -1: ground
    spatial* G;    // (nrow x nend)

    // The same rows on the velocities the constraint feels, for formulations that want them
    // (CD_NEEDS_JOINT_SPACE_JACOBIAN): else nv = 0.
    // Velocities that move all its ends alike are left out: there J is zero.
    int   nv;
    int*  v; // (nv) from the ends inward
    real* J; // (nrow x nv)
} cd_row_block;

// Rows that become known part by part, while a sweep passes over them: before it looks at rows of a block, or at the
// right side of a body (flat coordinates), it asks for the part of CD_STREAM_BATCH that it is in. Who has a better
// place for J
// than the block takes it from there while it is at hand; nobody else has it then, but who asks for all.
enum { CD_STREAM_BATCH = 128 };
typedef struct cd_row_stream {
    void (*request_blocks)(struct cd_row_stream* reach, int part);
    void (*request_bodies)(struct cd_row_stream* reach, int part);
    void (*request_all)(struct cd_row_stream* reach);                     // blocks are as if nothing had been taken
    bool *blocks_ready, *bodies_ready;                                    // parts that are known
    void (*sink)(void* taker, int constraint, const cd_row_block* block); // or NULL
    void* sink_context;
} cd_row_stream;

// A tree has none.
typedef struct cd_rows {
    int                 nrow, nblock;
    const cd_row_block* block;
    double violation; // largest violation at the state, in units: rows that depend on each other do so only up to this
    double violation_si; // [m, rad] the same as it is
    double
           redundancy_error; // and, relative to their size, only up to this, by the digits of the description
                             // (dynamics/rank/near_redundancy.h)
    double pivot_floor; // relative pivots up to this say nothing, whatever the test for null pivots says by itself
    double
        rank_tolerance_factor; // part of that test which is taken: what did not hold may have been a weak row, not a
                               // null one; 0:
                               // all of it
    const double* compliance; // (nrow), or NULL: none has any
    double gamma_scale; // size of what gamma was summed from, which leaves its rounding; 0 as long as nobody doubts it
    double
                   residual_tolerance; // what may be left of the equations, relative to their terms, where steps
                                       // follow; 0: all but rounding
    cd_row_stream* stream; // NULL: all are known
    bool
        freeze_rank; // rows that repeat others are those of the last factorization, and their gaps are left to the
                     // others
    double
        row_residual_tolerance; // [m/s^2, rad/s^2] what rows may be left open by, where the next step closes them; 0:
                                // by nothing
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

// Beside the constraints, rows that depend on each other have pivots of the order gap^2 instead of none: a test for
// null pivots must be that much wider, or such rows lock motions that are free. Far away nothing is known of them.
// So they do everywhere where the description is short of digits.
static inline double cd_rank_tolerance_at(const cd_rows* rows, double violation)
{
    return fmin(1e-6, 100 * fmax(violation < 1e-3 ? violation * violation : 0,
                                 rows->redundancy_error * rows->redundancy_error));
}
static inline double cd_rank_tolerance_off_constraint(const cd_rows* rows)
{
    return cd_rank_tolerance_at(rows, rows->violation);
}

// Of a row beside the largest of its constraint: what is left of it is the misfit.
static inline bool cd_is_redundancy_error(const cd_rows* rows, double row_norm, double max_row_norm)
{
    return row_norm < 100 * rows->redundancy_error * max_row_norm;
}

// And squared, beside what the row could say.
static inline double cd_coupling_tolerance_sq(const cd_rows* rows, double tolerance_sq)
{
    return fmax(tolerance_sq, 100 * rows->redundancy_error * rows->redundancy_error);
}

// Rows that are taken to repeat others hold up to it.
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
                           cd_rank_tolerance_at(rows, rows->violation_si)};
}
