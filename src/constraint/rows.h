// SPDX-License-Identifier: BSD-3-Clause
// Rows as formulations see them, in blocks of one constraint each:
//
//   M a + J'lambda = r,   J a - compliance lambda = gamma
//
// Constraints have no compliance. The rotor of a joint that has no coordinates in the model is a row with compliance 1
// / armature: lambda = armature (J a - gamma) is what it resists with.
#pragma once

#include "math/spatial.h"

#include <stdbool.h>

enum { CD_BLOCK_BODIES = 6 }; // most that one constraint acts on: three joints coupled

typedef struct cd_row_block {
    int row, nrow;

    // Rows on the twists of links, in world axes at the origins of the links.
    int      nend;
    int*     link; // (nend) -1: ground
    spatial* G;    // (nrow x nend)

    // The same rows on the velocities the constraint feels, for formulations that want them (CD_WAYS): else nv = 0.
    // Velocities that move all its ends alike are left out: there J is zero.
    int   nv;
    int*  v; // (nv) from the ends inward
    real* J; // (nrow x nv)
} cd_row_block;

// Rows that become known part by part, while a sweep passes over them: before it looks at rows of a block, or at the
// right side of a body (flat coordinates), it asks for the part of CD_PART that it is in. Who has a better place for J
// than the block takes it from there while it is at hand; nobody else has it then, but who asks for all.
enum { CD_PART = 128 };
typedef struct cd_reach {
    void (*ask_block)(struct cd_reach* reach, int part);
    void (*ask_body)(struct cd_reach* reach, int part);
    void (*ask_all)(struct cd_reach* reach);                              // blocks are as if nothing had been taken
    bool *block, *body;                                                   // parts that are known
    void (*take)(void* taker, int constraint, const cd_row_block* block); // or NULL
    void* taker;
} cd_reach;

// A tree has none.
typedef struct cd_rows {
    int                 nrow, nblock;
    const cd_row_block* block;
    double gap;    // largest violation at the state, in units: rows that depend on each other do so only up to this
    double wide;   // [m, rad] the same as it is
    double misfit; // and, relative to their size, only up to this, by the digits of the description (dynamics/misfit.h)
    double doubt;  // relative pivots up to this say nothing, whatever the test for null pivots says by itself
    double sharp;  // part of that test which is taken: what did not hold may have been a weak row, not a null one; 0:
                   // all of it
    const double* compliance; // (nrow), or NULL: none has any
    double        terms; // size of what gamma was summed from, which leaves its rounding; 0 as long as nobody doubts it
    double
        enough; // what may be left of the equations, relative to their terms, where steps follow; 0: all but rounding
    cd_reach* reach; // NULL: all are known
    bool   held; // rows that repeat others are those of the last factorization, and their gaps are left to the others
    double open; // [m/s^2, rad/s^2] what rows may be left open by, where the next step closes them; 0: by nothing
} cd_rows;

static inline void cd_reach_block(cd_reach* reach, int block)
{
    if (!reach->block[block / CD_PART]) reach->ask_block(reach, block / CD_PART);
}

static inline void cd_reach_body(cd_reach* reach, int body)
{
    if (!reach->body[body / CD_PART]) reach->ask_body(reach, body / CD_PART);
}

static inline void cd_reach_all(cd_reach* reach, int blocks, int bodies)
{
    for (int i = 0; i < blocks; i += CD_PART) cd_reach_block(reach, i);
    for (int i = 0; i < bodies; i += CD_PART) cd_reach_body(reach, i);
}

static inline double cd_compliance(const cd_rows* rows, int row)
{
    return rows->compliance ? rows->compliance[row] : 0;
}

// Beside the constraints, rows that depend on each other have pivots of the order gap^2 instead of none: a test for
// null pivots must be that much wider, or such rows lock motions that are free. Far away nothing is known of them.
// So they do everywhere where the description is short of digits.
static inline double cd_null_at(const cd_rows* rows, double gap)
{
    return fmin(1e-6, 100 * fmax(gap < 1e-3 ? gap * gap : 0, rows->misfit * rows->misfit));
}
static inline double cd_null_beside(const cd_rows* rows) { return cd_null_at(rows, rows->gap); }

// Of a row beside the largest of its constraint: what is left of it is the misfit.
static inline bool cd_is_misfit(const cd_rows* rows, double size, double largest)
{
    return size < 100 * rows->misfit * largest;
}

// And squared, beside what the row could say.
static inline double cd_unfelt_part(const cd_rows* rows, double part)
{
    return fmax(part, 100 * rows->misfit * rows->misfit);
}

// Rows that are taken to repeat others hold up to it.
static inline double cd_missed_part(const cd_rows* rows, double part) { return fmax(part, 100 * rows->misfit); }

static inline double cd_null_sharp(const cd_rows* rows, double tolerance)
{
    return rows->sharp > 0 ? rows->sharp * tolerance : tolerance;
}

static inline double cd_null_tolerance(const cd_rows* rows, double tolerance)
{
    return fmax(fmax(cd_null_sharp(rows, tolerance), rows->doubt), cd_null_beside(rows));
}

// Where pivots are measured by the size of their own row, that is not enough: a row that vanishes where it is closed
// (along the axis of a hinge, in a loop whose axes all meet) has no other size than the gap. Such pivots are measured
// by the largest row of the constraint, in a small mechanism one of turns, beside which ways count by what they are.
typedef struct cd_null_test {
    double own;    // below this part of the size of its row a pivot is null
    double beside; // and below this part of the largest row of its constraint
} cd_null_test;

static inline cd_null_test cd_null_pivots(const cd_rows* rows, double tolerance)
{
    return (cd_null_test){fmax(cd_null_sharp(rows, tolerance), rows->doubt), cd_null_at(rows, rows->wide)};
}
