// SPDX-License-Identifier: BSD-3-Clause
// Slopes of all equations at a state (dynamics/state_slopes.h) and what rounding may have left in them: a part of
// themselves, and how they scatter at states that rounding tells apart. Terms that cancel within an entry leave their
// rounding there, which nothing but that scatter shows.
#pragma once

#include "dynamics/state_slopes.h"

// Slopes by positions, velocities and states.
typedef struct cd_slope_columns {
    double *q, *v, *s;
} cd_slope_columns;

typedef struct cd_slope_bounds {
    cardan_data*     d;
    cd_state_slopes  slopes;
    cd_slope_columns here, bound; // columns of `rows` rows: r at slopes.r, rates at slopes.g
    cd_slope_columns all;         // scratch: columns of slopes.n rows
    int              rows;
    double           part; // of a slope that is rounding
    double *         q, *v, *z, *beside_q, *beside_v, *beside_z, *move;
} cd_slope_bounds;

// To be called twice, before and after the arena is reserved.
void cd_slope_bounds_layout(cardan_data* d, cd_arena* arena, cd_slope_bounds* b);
// At the state of the data, which stays, at accelerations a (nv) and multipliers lambda. unit (nv): velocities times it
// are in rad/s or lengths per second.
void cd_slope_bounds_at(cd_slope_bounds* b, const double* a, const double* lambda, const double* unit);
