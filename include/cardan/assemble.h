// SPDX-License-Identifier: BSD-3-Clause
// Constraint violation at a state, projection onto the constraints, and assembly of the loops from a rough guess.
#pragma once

#include <cardan/dynamics.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/// Largest constraint violation at the current state [m, rad] and largest velocity violation [m/s, rad/s]. Zero without
/// constraints. Either may be NULL.
cardan_status cardan_data_constraint_violation(cardan_data* data, double* position, double* velocity);

typedef struct cardan_projection_options {
    double position_tolerance; // [m, rad] violation; 0: 1e-12. A hundred times as much is accepted if the iteration
                               // stagnates. In mechanisms smaller than 0.1 m ten lengths replace the metre, also for
                               // velocities
    double velocity_tolerance; // [m/s, rad/s] relative to the largest velocity if that is above 1; 0: 1e-12
    int    max_iterations;     // of positions and of velocities; 0: 10
    bool   reuse_factor;       // never factor again: use the factor of an earlier state
} cardan_projection_options;

typedef struct cardan_projection_result {
    double position_violation_before, velocity_violation_before; // in the units of the tolerances
    double position_violation_after, velocity_violation_after;
    int    position_iterations, velocity_iterations;
    int    factorizations;
} cardan_projection_result;

/// Project the current state onto the constraints, first positions and then velocities, by the minimum-norm correction
/// in the metric of the mass matrix: M dx + J'y = 0, J dx = -c. Uses the factor of the last accelerations while it
/// converges fast (chord iteration), else factors at the current state. Sets the data to the result; q (nq) and v (nv)
/// receive it. `options`, q, v, `result` and `report` may be NULL. Allocates nothing, unless it fails and has a report.
/// Returns CARDAN_NOT_CONVERGED if the violation stays above the tolerance; the message names the joint.
cardan_status cardan_data_project(cardan_data* data, const cardan_projection_options* options, double* q, double* v,
                                  cardan_projection_result* result, cardan_report* report);

/// Start mode of a joint in assembly.
typedef enum cardan_start_mode {
    CARDAN_START_FREE,  // start value unknown: moved with weight 1
    CARDAN_START_GUESS, // moved less than free ones, with weight 10
    CARDAN_START_FIXED, // kept
} cardan_start_mode;

/// Start values of one joint of the model, in the tree or not.
typedef struct cardan_joint_start {
    cardan_start_mode position_mode, velocity_mode;
    double            q[CARDAN_JOINT_VELOCITIES_MAX + 1], v[CARDAN_JOINT_VELOCITIES_MAX];
} cardan_joint_start;

/// Start values of the description: given values are fixed unless they are guesses; other joints are free, at the
/// design configuration with v = 0.
cardan_joint_start cardan_joint_start_default(const cardan_model* model, int joint);

typedef struct cardan_assembly_result {
    double position_violation_before, velocity_violation_before; // violations [m, rad; m/s, rad/s]
    double position_violation_after, velocity_violation_after;
    int    iterations;
} cardan_assembly_result;

/// Assemble the mechanism at the current time: from `start` (njoint; NULL: as described), a rough guess, to a state
/// that satisfies all constraints at position and velocity level. Fixed values stay; guesses and free joints move as
/// little as possible; steps are short, so that the branch of the guess is kept. Sets the data to the result; q (nq)
/// and v (nv) receive it; q, v, `result` and `report` may be NULL. Returns CARDAN_INCONSISTENT if the loops cannot be
/// closed, or not with these fixed values; the message names joints and the violation. Allocates.
cardan_status cardan_data_assemble(cardan_data* data, const cardan_joint_start* start, double* q, double* v,
                                   cardan_assembly_result* result, cardan_report* report);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
