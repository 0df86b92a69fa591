// SPDX-License-Identifier: BSD-3-Clause
// Constraint rows as formulations see them: J a = gamma, in blocks of one constraint each.
#pragma once

#include "math/number.h"

enum { CD_BLOCK_BODIES = 6 };  // most that one constraint acts on: three joints coupled

// J on the velocities the constraint feels. Velocities that move all its ends alike are left out: there J is zero.
typedef struct cd_row_block {
    int   row, nrow;
    int   nv;
    int*  v;  // (nv) from the ends inward
    real* J;  // (nrow x nv)
} cd_row_block;

// A tree has none.
typedef struct cd_rows {
    int                 nrow, nblock;
    const cd_row_block* block;
} cd_rows;
