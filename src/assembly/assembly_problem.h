// SPDX-License-Identifier: BSD-3-Clause
// The assembly problem, at position or velocity level, and its solution.
//
// The unknowns are the changes dq of all coordinates that are not fixed. Everything is scaled: rows are divided by
// the norm of their twist coefficients with one length of the mechanism as unit (so the scaling of a row has no
// effect), dq is measured in radians and in that length, times the weight of its joint.
#pragma once

#include "dynamics/data.h"

#include <cardan/assemble.h>

// Free motions of a cut joint with fixed values: a lock between the second frame and the first frame moved by the
// joint.
typedef struct cd_fixed_joint {
    cd_constraint           c;
    cd_constraint_equations e;
    double                  target_twist[6]; // prescribed relative velocity, in the axes of the second frame
} cd_fixed_joint;

typedef struct cd_assembly {
    cardan_data*        d;
    cardan_joint_start* start; // (njoint)
    cd_arena            arena;
    double              length_scale;       // [m] unit of lengths
    double              violation_roundoff; // round-off of violations, in units
    bool                local_only;         // accept only configurations near the start

    int             nfixed, nfixed_row;
    cd_fixed_joint* fixed_joint;              // (nfixed)
    double *        fixed_value, *fixed_rate; // (nfixed_row)

    // cd_assembly_set_unknowns
    bool    velocity_level;
    bool    fixed_released; // fixed values may change, too
    int     nrow;           // constraint rows, then rows of fixed joints
    int     nfree;
    int *   free_velocity, *free_column; // (nfree) velocity indices; (nv) index of a velocity there, or -1
    double* velocity_unit_inverse;       // (nv) dq in radians or lengths is dq * velocity_unit_inverse
    double* weight;                      // (nv) weight of a velocity in the minimum-norm change
    double* row_unit;                    // (nrow)

    double *c, *trial_residual; // (nrow) residuals in units
    double* q_start;            // (nq) start
    double *q, *q_trial;        // (nq) current and trial configuration
    double* q_saved;            // (nq)
    double* v_start;            // (nv)
    double *y, *dq;             // (nv)
    double* row_space_part;     // (nv)
    double* fixed_jacobian;     // (nfixed_row x nv) rows of the fixed joints
    double* nearest_work;       // scratch of cd_assembly_step_to_targets
    int     iterations;

    // cd_assembly_least_squares
    bool    dense;                       // direct solution; else iterative
    bool    use_gram_matrix;             // few rows compared with velocities: A A' is factorized instead of A
    double *A, *work;                    // (nrow + nv) x nv; with use_gram_matrix A (nrow x nv)
    double *velocity_si, *multiplier_si; // (nv), (constraint rows) scratch in SI units
    double* gram;                        // with use_gram_matrix: (nrow x nrow) A A' and its factor
    int*    pivot;                       // (nv)
    double *b, *r, *s, *p;               // (nrow + nv) each
} cd_assembly;

// Create the problem; cut joints with fixed values become locks. Returns false without memory.
bool cd_assembly_init(cd_assembly* a, cardan_data* d, const cardan_joint_start* start);
void cd_assembly_destroy(cd_assembly* a);

// [m] Round-off of a position violation: of positions far from the origin, and of the rotations of all links on the
// path.
double cd_position_violation_roundoff(cardan_data* d);
// Select the unknowns and their weights.
void cd_assembly_set_unknowns(cd_assembly* a, bool velocity_level, bool fixed_released);
// Start mode of a joint at the level of the problem; whether its start values are fixed at this level.
static inline cardan_start_mode cd_assembly_start_mode(const cd_assembly* a, int joint)
{
    return a->velocity_level ? a->start[joint].velocity_mode : a->start[joint].position_mode;
}
static inline bool cd_assembly_is_fixed(const cd_assembly* a, int joint)
{
    return !a->fixed_released && cd_assembly_start_mode(a, joint) == CARDAN_START_FIXED;
}
// Compute the residual c at the state of the data, in units. Returns its infinity norm.
double cd_assembly_residual(cd_assembly* a, double* c);
// Compute A = d c / d y at the state of the data, y = dq * velocity_unit_inverse * weight (nfree).
void cd_assembly_update_jacobian(cd_assembly* a);
void cd_assembly_apply(const cd_assembly* a, const double* y, double* c);            // c = A y
void cd_assembly_apply_transposed(const cd_assembly* a, const double* c, double* y); // y = A'c
// Minimize |A y - b|^2 + mu |y|^2; minimum-norm y. Returns false if a value is not finite.
bool cd_assembly_least_squares(cd_assembly* a, double mu, const double* b, double* y);

// Targets: start values of cut joints that are not fixed; they count in the minimum change. Number of their
// coordinates; their errors in units, s0 (or NULL), and the largest.
int    cd_assembly_count_targets(const cd_assembly* a);
double cd_assembly_target_errors(cd_assembly* a, double* s0);
// On entry y is the displacement of the tree coordinates to the start (nfree, in units); on return the change along
// the constraint manifold that is nearest to it and to all targets.
bool                cd_assembly_step_to_targets(cd_assembly* a, double* y);
size_t              cd_assembly_target_work_size(const cd_assembly* a); // doubles of scratch, at most
static const double cd_guess_weight = 10;                               // relative to joints without start values

// Iterate the positions until the residual is zero or minimal. Returns its infinity norm.
double cd_assembly_solve_positions(cd_assembly* a);
// The same without perturbations at stationary points.
double cd_assembly_minimize_residual(cd_assembly* a);
// Displace the free coordinates from a->q_saved by up to `size` rad or lengths, all to one side (attempt 0) or to
// both, differently for each attempt.
void cd_assembly_perturb(cd_assembly* a, double size, int attempt);
// After a failed position assembly: continuation of the fixed values from assembled configurations, and random
// starts. violation_after: infinity norm of the residual; the state is restored if nothing is found. Returns false
// without memory.
bool cd_assembly_solve_by_continuation(cd_assembly* a, double* violation_after);
// Before the position assembly: continuation of fixed values that are far from the design configuration, if nothing
// is guessed. Returns false without memory.
bool cd_assembly_continue_from_design(cd_assembly* a);
// Move along the constraint manifold towards the start as far as possible.
void   cd_assembly_minimize_change(cd_assembly* a);
double cd_assembly_solve_velocities(cd_assembly* a);
// Move consistent velocities towards the start values.
void cd_assembly_minimize_velocity_change(cd_assembly* a);

// Whether a constraint, or one of its driven rows, is involved in a violation that cannot be removed: there A'c = 0,
// so that the nonzeros of c show the conflicting rows.
bool cd_assembly_is_involved(const cd_assembly* a, int constraint, bool driven);
bool cd_assembly_driver_is_involved(const cd_assembly* a, int constraint); // one of its drivers is

// Set all joints to the design configuration.
void cd_assembly_set_design(cd_assembly* a);
// Whether a first-order motion exists at the state, with all values released. Selects velocity-level unknowns.
bool cd_assembly_can_move(cd_assembly* a);

// At a singular configuration whose consistent velocities start no motion: choose those of the nearest velocity
// branch. *changed: false if no change is necessary or no branch is found. Returns false without memory.
typedef struct cd_velocity_branch {
    int    row;                       // constraint row that is dependent there
    int    velocity;                  // in which the next branch differs most, or CARDAN_NONE
    double chosen_value, other_value; // its values in both branches
} cd_velocity_branch;
bool cd_assembly_choose_branch(cd_assembly* a, cd_velocity_branch* found, bool* changed);

// Pose of the second frame of a joint relative to its first frame in the design configuration.
cardan_pose cd_joint_design_pose(const cardan_model* m, int j);
// Joint coordinates in the design configuration: free joints from the poses of their bodies, all others zero.
void cd_joint_design_coordinates(const cardan_model* m, int j, double* q);
// Joint motion at q: pose of the second frame relative to the first; and its relative twist (w, v) in the axes of the
// second frame.
cardan_pose cd_joint_pose(const cd_compiled_joint* joint, const double* q);
void        cd_joint_twist(const cd_compiled_joint* joint, const double* q, const double* v, double twist[6]);
// Assemble to a configuration near the start, without report.
cardan_status cd_assemble_locally(cardan_data* d, const cardan_joint_start* start);
