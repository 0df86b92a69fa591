// SPDX-License-Identifier: BSD-3-Clause
// Contact problem without dimensions, in the rows that can carry impulses:
//
//   y = G x + q,  x = S p s_max/v_ref,  y = S^-1 u s_max/v_ref,  G = C'W B scaled,  S = diag(sqrt(d))
//
// Rows without friction coefficient are left out. The friction of a contact that slides in a given direction is part of
// the column of its normal impulse; then G is not symmetric. The shifts w are in q.
#pragma once

#include "core/memory.h"
#include "impact/contact_problem.h"

typedef struct cd_friction_set { // |x_t| <= coefficient x_normal + bound
    int    row, nrow;
    int    normal; // row; -1: none
    double coefficient, bound;
} cd_friction_set;

enum { CD_CONE_MAX_SETS = 3, CD_CONE_MAX_ROWS = 6 };

typedef struct cd_cone_block { // of an element; of an equality, one per row
    int    element;
    int    normal;          // row of the normal impulse, or of a limit; -1: none
    int    equality;        // row of an equality; -1: none
    int    first, nrow;     // rows: that of the normal impulse, then those of the friction sets
    int    first_set, nset; // friction sets
    double size;            // residual of the block in velocities, relative to v_ref
} cd_cone_block;

typedef struct cd_cone_problem {
    int              n, nblock, nset;
    double*          G; // (n x n, row major)
    double*          q; // (n)
    bool             is_symmetric;
    cd_cone_block*   block;
    cd_friction_set* set;
    int*             row;       // (n) row of the contact problem
    double*          scale;     // (n) p = scale x
    double*          row_scale; // (n) sqrt(d)
} cd_cone_problem;

void cd_cone_problem_layout(cd_arena* arena, int max_rows, int max_elements, cd_cone_problem* cone);
void cd_cone_problem_reduce(const cd_contact_problem* problem, cd_cone_problem* cone);
void cd_cone_problem_expand(const cd_cone_problem* cone, const cd_contact_problem* problem, const double* x, double* p);
void cd_cone_problem_restrict(const cd_cone_problem* cone, const double* p, double* x);

// y = G x + q
void cd_cone_velocity(const cd_cone_problem* cone, const double* x, double* y);
// Largest residual of the cone law over the blocks, relative to v_ref.
double cd_cone_residual(const cd_cone_problem* cone, const double* x, const double* y);
