// SPDX-License-Identifier: BSD-3-Clause
// Interior point method for a quadratic program with Lorentz cones and lagged shifts of Coulomb friction:
//
//   minimize  x'H x/2 + (c + shift)'x   subject to   s = A x + b,  s in L_1 x L_2 x ...
//
//   H x + c + shift = A'y,  y in L_1 x L_2 x ...,  s perpendicular to y
//
// L_i = { |s_t| <= s_0 } of 1 to 3 components. The shift of a friction set is mu |y_t| in the row of its normal
// impulse, of the last iterate: at the end Coulomb's law holds, not its convex approximation.
#pragma once

#include "core/memory.h"

enum { CD_CONE_MAX_SIZE = 3 };

typedef struct cd_cone_rows { // A by rows, sparse
    int     ncone, nrow;
    int*    first;  // (ncone + 1) rows of the cones
    int*    start;  // (nrow + 1) entries of the rows
    int*    column; // (entries)
    double* value;
    double* b; // (nrow)
} cd_cone_rows;

typedef struct cd_conic_program {
    int           n;
    const double* H; // (n x n, row major)
    const double* c; // (n)
    bool          is_symmetric;
    cd_cone_rows  rows;
    const int*    shifted;  // (ncone) column of the normal impulse that is shifted by |y_t| of the cone; -1: none
    const double* shift_by; // (ncone) mu
} cd_conic_program;

typedef struct cd_interior_point {
    double* factor;                             // (n x n)
    int*    pivot;                              // (n)
    double *dx, *rd, *shift;                    // (n)
    double *s, *y, *ds, *dy, *rp, *rc, *lambda; // (rows)
    double* scale;                              // (18 per cone) W and its inverse, 3 x 3 each
} cd_interior_point;

void cd_cone_rows_layout(cd_arena* arena, int max_cones, int max_rows, long max_entries, cd_cone_rows* rows);
void cd_cone_rows_clear(cd_cone_rows* rows);
// A cone begins, a row of it, an entry of that row: all in order.
void cd_cone_rows_begin_cone(cd_cone_rows* rows);
void cd_cone_rows_begin_row(cd_cone_rows* rows, double b);
void cd_cone_rows_add(cd_cone_rows* rows, int column, double value);

void cd_interior_point_layout(cd_arena* arena, int max_n, int max_cones, int max_rows, cd_interior_point* work);

// x: result; s and y begin at 1, so that the program must be scaled. Stops if all residuals are below `tolerance`, or
// after `max_iterations`; returns the number of iterations, negative if the tolerance was not reached.
int cd_interior_point_solve(const cd_conic_program* program, cd_interior_point* work, double* x, double tolerance,
                            int max_iterations);
