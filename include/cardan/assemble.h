// SPDX-License-Identifier: BSD-3-Clause
// Loops: how well they are closed, put back where they have drifted apart, closed from a rough guess.
#pragma once

#include <cardan/dynamics.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Largest gap of all constraints at the state set [m, rad], and its largest rate [m/s, rad/s]. Zero for a tree. Either
/// may be NULL.
cardan_status cardan_constraint_violation(cardan_data* data, double* position, double* velocity);

typedef struct cardan_projection_options {
    double
        position_tolerance; // [m, rad] gap wanted; 0: 1e-12. A hundred times as much is accepted where no more can be had.
                            // In mechanisms smaller than 0.1 m ten lengths stand for the metre, here and of velocities
    double
        velocity_tolerance; // [m/s, rad/s] rate wanted, relative to the largest velocity where that is above 1; 0: 1e-12
    int  max_iterations;    // most, of positions and of velocities; 0: 10
    bool reuse_factor;      // never factor anew: the factor of an earlier state must do
} cardan_projection_options;

typedef struct cardan_projection_result {
    double position_violation_before, velocity_violation_before; // gap and rate found, in those units
    double position_violation_after, velocity_violation_after;   // and left
    int    position_iterations, velocity_iterations;
    int    factorizations;
} cardan_projection_result;

/// Move the state set onto the constraints, positions first and then velocities, by the least change in the metric of
/// the mass matrix: M dx + J'y = 0, J dx = -c. The factor of the last accelerations is used as long as it converges
/// fast (chord iteration), and made anew at the state where it does not. The data are set to the result; q (nq) and v
/// (nv) receive it. `how`, q, v, `done` and `report` may be NULL. Allocates nothing, unless it fails and has a
/// report. Not closed: CARDAN_NOT_CONVERGED, the sentence names the joint.
cardan_status cardan_project(cardan_data* data, const cardan_projection_options* options, double* q, double* v,
                             cardan_projection_result* result, cardan_report* report);

/// How firmly the start of a joint is held.
typedef enum cardan_start_mode {
    CARDAN_START_FREE,  // nothing is known of it
    CARDAN_START_GUESS, // moved less than what is loose
    CARDAN_START_FIXED, // kept
} cardan_start_mode;

/// Start of one joint of the model, whether it has coordinates there or not.
typedef struct cardan_start {
    cardan_start_mode position_mode, velocity_mode;
    double            q[CARDAN_JOINT_MAX + 1], v[CARDAN_JOINT_MAX];
} cardan_start;

/// What the description says: a value that is given is exact unless it is a guess; else the design position, at rest,
/// loose.
cardan_start cardan_start_default(const cardan_model* model, int joint);

typedef struct cardan_assembly_result {
    double position_violation_before, velocity_violation_before; // gap and rate found [m, rad; m/s, rad/s]
    double position_violation_after, velocity_violation_after;   // and left
    int    iterations;
} cardan_assembly_result;

/// Close the loops at the time set: from `start` (njoint; NULL: as described), a rough guess, to a state that satisfies
/// all constraints, velocities too. What is exact stays; guesses and loose joints are moved least; steps are short, so
/// that the branch of the guess is kept. The data are set to the result; q (nq) and v (nv) receive it; q, v, `done` and
/// `report` may be NULL. CARDAN_INCONSISTENT where the loops cannot be closed, or not with these exact values: the
/// sentence names joints and the gap. Allocates while it works.
cardan_status cardan_assemble(cardan_data* data, const cardan_start* start, double* q, double* v,
                              cardan_assembly_result* result, cardan_report* report);

#ifdef __cplusplus
}
#endif
