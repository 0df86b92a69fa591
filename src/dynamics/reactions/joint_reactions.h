// SPDX-License-Identifier: BSD-3-Clause
// Data of the computation of reactions: motion and wrenches of the bodies, and the self-stress.
#pragma once

#include "constraint/constraint_set.h"
#include "dynamics/reactions/body_tree.h"

#include <cardan/dynamics.h>

// Self-stress: joint wrenches in equilibrium without load.
typedef struct cd_self_stress {
    bool    affordable;      // else only the joints on loops are known
    int     nbasis;          // number of independent self-stresses
    int     width;           // 6 njoint + number of rows of constraints other than cut joints
    int     first_other_row; // first of these rows
    double  rank_tolerance;  // 0: default
    double* basis;           // (nrow x width) orthonormal: moment / length, force per joint; then the other rows
    bool*   unique;          // (njoint) no self-stress involves the joint
    double *J, *scale, *sigma, *left_singular, *work, *lambda;
} cd_self_stress;

// Limits of reactions at a singular configuration, for the state of the data
// (simulation/singularity/limit_reactions.c); NAN if unbounded.
typedef struct cd_limit_reactions {
    bool     valid;
    spatial* joint_wrench;  // (njoint)
    spatial* marker_wrench; // (at most nrow) of marker constraints
    double*  lambda;        // (nrow) of constraints other than cut joints
    bool*    joint_unique;  // (njoint)
    bool*    row_unique;    // (nrow)
} cd_limit_reactions;

typedef struct cd_reaction_work {
    cd_body_tree body_tree;
    double       design_length; // [m] length by which moments are divided, cd_design_length

    // cd_update_body_motions; wrenches are at the body's origin in world axes
    cd_world_motion body_motion;     // (nbody) poses and velocities; [-1] is ground
    cd_link_frame*  marker;          // (nmarker) on bodies: `link` is a body
    spatial*        required_wrench; // (nbody) wrench required from the joints
    vec3*           joint_position;  // (njoint) of the joint on its first body
    spatial*        joint_wrench;    // (njoint) on the second body, at the joint position
    double*         lambda;          // (nrow) multipliers; minimum norm for constraints other than cut joints
    double*         driver_rate;     // (solver_rows.nrow), (nv) test rate of the drivers and its solution
    double*         driver_response;

    // cd_find_self_stress
    double*        effort; // (nv_joint) scratch
    cd_self_stress self_stress;

    cd_limit_reactions limit;

    int  nmarker_constraint; // number of constraints between two markers, other than joints
    int* marker_constraint;  // (nmarker_constraint) their numbers in the constraint set
} cd_reaction_work;

// Layouts are called twice, to measure and to assign. A self-stress that would take more than `operations` (nrow^2
// nv) is not affordable.
void cd_reaction_work_layout(const cardan_model* m, int nrow, int system_rows, cd_arena* arena, cd_reaction_work* r);
void cd_self_stress_layout(const cardan_model* m, int nrow, double operations, cd_arena* arena, cd_self_stress* stress);

struct cardan_data;
// Update bodies, markers and joint positions at the state.
void cd_update_body_motions(struct cardan_data* d);
// Compute the joint_wrench of every joint from multipliers lambda and the required_wrench of the bodies, which is
// overwritten.
void cd_compute_joint_wrenches(struct cardan_data* d, const double* lambda);
// Norm of the wrenches of a row about its markers, forces multiplied by the design length.
double cd_row_wrench_norm(const struct cardan_data* d, int constraint, int row);
// Compute J (nrow x nv, row-major) with columns per 1 rad or design length, rows divided by their norm; scale (nrow)
// is 1 / norm.
void cd_scaled_jacobian(struct cardan_data* d, double* J, double* scale);
// Near a singular configuration: compute the self-stresses that exist there in addition to those of the nredundant
// rows that are redundant everywhere. Returns the smallest singular value they belong to; no self-stress if that is
// too expensive.
double cd_find_near_singular_stress(struct cardan_data* d, int nredundant, cd_self_stress* stress);
// cd_compute_transmissions: transmitted efforts, after cd_compute_reactions (transmissions.c).
// cd_multipliers_are_unique: whether no self-stress involves a constraint other than a cut joint.
void cd_compute_transmissions(const struct cardan_data* d, cardan_transmission* transmission);
bool cd_multipliers_are_unique(const struct cardan_data* d, const cd_constraint* c);
// Whether no self-stress changes the sum of `part` (nrow) times the multipliers of a constraint, relative to its row
// `row`.
bool cd_multiplier_sum_is_unique(const struct cardan_data* d, const cd_constraint* c, int row, const double* part);
// List the constraints between two markers.
void cd_find_marker_constraints(struct cardan_data* d);
// Wrench of the i-th marker constraint, after cd_compute_reactions: on the body of its end 1, at the marker there.
spatial cd_marker_constraint_wrench(const struct cardan_data* d, int i);
// Compute all of the above at accelerations a: joint_wrench, lambda, self_stress.
void cd_compute_reactions(struct cardan_data* d, const double* a);
// Compute joint_wrench only, by the multipliers of the last solve; self-stress is not removed.
void cd_compute_given_reactions(struct cardan_data* d, const double* a);
// Compute singular values and left singular vectors at the state. Returns the rank, or -1 if it is unknown.
int cd_rank_of_rows(struct cardan_data* d, cd_self_stress* stress);
// Compute the self-stress at the state, and which reactions are unique.
void cd_find_self_stress(struct cardan_data* d, cd_self_stress* stress);
