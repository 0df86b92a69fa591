// SPDX-License-Identifier: BSD-3-Clause
// Newton's method for the constraints, at position or at velocity level (constraint_newton.c).
#pragma once

#include "dynamics/data.h"

// Violation of the level at the state [units, units/s].
double cd_level_violation(cardan_data* d, bool velocity_level);
// q <- q (+) dx, or v <- v + dx. dx: (nv)
void cd_apply_correction(cardan_data* d, bool velocity_level, const double* dx);
// The opposite. dx is negated.
void cd_undo_correction(cardan_data* d, bool velocity_level, double* dx);

typedef struct cd_constraint_newton {
    cardan_data* d;
    bool         velocity_level;
    double       tolerance;         // [units] violation; of velocities relative to max(1, speed)
    double       position_roundoff; // [units] round-off of positions
    int          max_iterations;
    bool         is_chord;     // factors of earlier states are used as long as they converge fast
    bool         reuse_factor; // or even if they converge slowly
    // Compute d->solve.correction with a factor of the state (new_factor), or with the existing one.
    cardan_status (*correct)(cardan_data* d, bool velocity_level, bool new_factor);

    // results
    int    iterations;
    double violation_before, violation_after;
    bool   is_rejected; // the last correction was implausible and was not applied
    bool   is_stalled;  // the last correction did not halve the violation, with a factor of the state
} cd_constraint_newton;

// Violation at which the iteration ends, at the state.
double cd_newton_allowed_violation(const cd_constraint_newton* p);
// Correct the state until the violation is allowed, the iteration stalls or a correction is rejected. A correction that
// does not reduce the violation is undone. Returns a failure of `correct`, else CARDAN_OK.
cardan_status cd_newton_iterate(cd_constraint_newton* p);
