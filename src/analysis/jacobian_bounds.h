// SPDX-License-Identifier: BSD-3-Clause
// State Jacobian (dynamics/derivatives/state_jacobian.h) with bounds of its round-off. The bound of an entry is the
// larger of two values: a relative round-off of the entry, and the scatter of the entry at states perturbed by
// round-off. Terms that cancel within an entry leave their round-off there; only the scatter reveals it.
#pragma once

#include "dynamics/derivatives/state_jacobian.h"

// Derivatives by positions (nv columns), velocities (nv columns) and user states (nstate columns), column major.
typedef struct cd_jacobian_columns {
    double *q, *v, *s;
} cd_jacobian_columns;

typedef struct cd_jacobian_bounds {
    cardan_data*        d;
    cd_state_jacobian   state_jacobian;
    cd_jacobian_columns value, bound; // columns of `rows` rows: r at r_offset, state rates at g_offset
    cd_jacobian_columns scratch;      // columns of state_jacobian.nresidual rows
    int                 rows;
    double              relative_roundoff; // relative round-off of an entry [-]
    double *            q, *v, *z, *perturbed_q, *perturbed_v, *perturbed_z, *displacement;
} cd_jacobian_bounds;

// Assign the arrays. Call once before and once after cd_arena_reserve.
void cd_jacobian_bounds_layout(cardan_data* d, cd_arena* arena, cd_jacobian_bounds* b);
// Compute `value` and `bound` at the state of the data, accelerations a (nv) and multipliers lambda; the state of the
// data is restored. unit (nv): factors that convert velocities to rad/s or tangent.length per second.
void cd_jacobian_bounds_compute(cd_jacobian_bounds* b, const double* a, const double* lambda, const double* unit);
