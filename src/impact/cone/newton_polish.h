// SPDX-License-Identifier: BSD-3-Clause
// Proximal semismooth Newton method on the equations of Alart and Curnier.
#pragma once

#include "impact/cone/cone_problem.h"

typedef struct cd_newton_polish {
    double* jacobian; // (max_rows^2) column major
    int*    pivot;    // (max_rows)
    double *centre, *best, *y, *z, *F, *dx, *trial;
    double* V; // (3 max_rows) derivatives of a row of the projection by z_n and the rows of its set
} cd_newton_polish;

enum { CD_POLISH_SOLVES = 400, CD_POLISH_FEW_SOLVES = 12 }; // usual limits

void cd_newton_polish_layout(cd_arena* arena, int max_rows, cd_newton_polish* work);

// Improve x until the residual of the cone law is at most `tolerance` (relative to v_ref). Returns the residual; x is
// the best one found. It stops after
// `max_solves` linear systems. solves: the number of linear systems is added.
double cd_newton_polish_run(const cd_cone_problem* cone, cd_newton_polish* work, double* x, double tolerance,
                            int max_solves, int* solves);
