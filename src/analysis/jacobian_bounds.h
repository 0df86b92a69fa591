// SPDX-License-Identifier: BSD-3-Clause
// Slopes of all equations at a state (dynamics/derivatives/state_jacobian.h) and what rounding may have left in them: a part of
// themselves, and how they scatter at states that rounding tells apart. Terms that cancel within an entry leave their
// rounding there, which nothing but that scatter shows.
#pragma once

#include "dynamics/derivatives/state_jacobian.h"

// Slopes by positions, velocities and states.
typedef struct cd_jacobian_columns {
    double *q, *v, *s;
} cd_jacobian_columns;

typedef struct cd_jacobian_bounds {
    cardan_data*        d;
    cd_state_jacobian   state_jacobian;
    cd_jacobian_columns value, bound; // columns of `rows` rows: r at slopes.r, rates at slopes.g
    cd_jacobian_columns scratch;      // scratch: columns of slopes.n rows
    int                 rows;
    double              relative_roundoff; // of a slope that is rounding
    double *            q, *v, *z, *perturbed_q, *perturbed_v, *perturbed_z, *displacement;
} cd_jacobian_bounds;

// To be called twice, before and after the arena is reserved.
void cd_jacobian_bounds_layout(cardan_data* d, cd_arena* arena, cd_jacobian_bounds* b);
// At the state of the data, which stays, at accelerations a (nv) and multipliers lambda. unit (nv): velocities times it
// are in rad/s or lengths per second.
void cd_jacobian_bounds_compute(cd_jacobian_bounds* b, const double* a, const double* lambda, const double* unit);
