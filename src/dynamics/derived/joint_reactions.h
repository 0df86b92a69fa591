// SPDX-License-Identifier: BSD-3-Clause
// What reactions are computed with: the mechanism body by body, and the wrenches that joints could carry without any
// load.
#pragma once

#include "constraint/constraint_set.h"
#include "dynamics/derived/body_tree.h"

#include <cardan/dynamics.h>

// Self-stress: sets of joint wrenches that hold each other without any load.
typedef struct cd_self_stress {
    bool   affordable;      // else it is only known which joints are on loops
    int    nbasis;          // independent sets
    int    width;           // 6 njoint, and one for every row of constraints that close no joint
    int    first_other_row; // the first such row
    double rank_tolerance;  // of its rank; 0: the usual one
    double*
        basis; // (nrow x width) orthonormal: moment / length, force of every joint; forces of other rows; one set per row
    bool*   unique; // (njoint) no set reaches it
    double *J, *scale, *sigma, *left_singular, *work, *lambda;
} cd_self_stress;

// Reactions that were found beside a singular pose, for the state of the data (simulation/singularity/limit_reactions.c); NAN where
// they have no bound there.
typedef struct cd_limit_reactions {
    bool     valid;
    spatial* joint_wrench;  // (njoint)
    spatial* marker_wrench; // (nrow at most) of constraints between markers
    double*  lambda;        // (nrow) of constraints that close no joint
    bool*    joint_unique;  // (njoint)
    bool*    row_unique;    // (nrow)
} cd_limit_reactions;

typedef struct cd_reaction_work {
    cd_body_tree body_tree;
    double       design_length; // [m] size of the mechanism: how far a moment of 1 N m is taken to reach

    // cd_update_bodies; wrenches are at the body's origin in world axes
    cd_world_frame body_motion;     // (nbody) poses and velocities; [-1] is ground
    cd_link_frame* marker;          // (nmarker) on bodies: `link` is a body
    spatial*       required_wrench; // (nbody) what the joints must supply
    vec3*          joint_position;  // (njoint) of the joint on its first body
    spatial*       joint_wrench;    // (njoint) on the second body, at the joint's place
    double*        lambda;      // (nrow) multipliers, of which for constraints that close no joint those of least norm
    double*        driver_rate; // (rows of the system), (nv): how drivers could move, and what answers that
    double*        driver_response;

    // cd_find_self_stress
    double*        effort; // (nv_all) scratch
    cd_self_stress self_stress;

    cd_limit_reactions limit;

    int  nmarker_constraint; // constraints between two markers, which are no joint
    int* marker_constraint;  // (nbetween) their numbers in the closure
} cd_reaction_work;

// Layouts run twice, to measure and to assign. A stress that would take more than `operations` (nrow^2 nv) is not
// affordable.
void cd_reaction_work_layout(const cardan_model* m, int nrow, int system_rows, cd_arena* arena, cd_reaction_work* r);
void cd_self_stress_layout(const cardan_model* m, int nrow, double operations, cd_arena* arena, cd_self_stress* stress);

struct cardan_data;
// Bodies, markers and places of joints at the state.
void cd_update_bodies(struct cardan_data* d);
// Wrench of every joint for multipliers lambda and body loads in r->load, into r->carried.
void cd_compute_joint_wrenches(struct cardan_data* d, const double* lambda);
// Size of a row: of its wrenches about the markers, where forces count with the length of the mechanism.
double cd_row_wrench_norm(const struct cardan_data* d, int constraint, int row);
// J (nrow x nv, row major) with unit columns of 1 rad or `length`, rows scaled by their own size; scale (nrow) is 1 /
// size.
void cd_scaled_jacobian(struct cardan_data* d, double* J, double* scale);
// Near a singular pose: the sets that become possible there, beside those of the `repeated` rows that are null at every
// pose. Returns the smallest singular value they belong to; without sets where that is too much to compute.
double cd_find_near_singular_stress(struct cardan_data* d, int nredundant, cd_self_stress* stress);
// What couples coordinates, once reactions are known (transmissions.c). Whether no self-stress reaches a constraint
// that closes no joint.
void cd_compute_transmissions(const struct cardan_data* d, cardan_transmission* transmission);
bool cd_multipliers_are_unique(const struct cardan_data* d, const cd_constraint* c);
// Whether none reaches the sum of `part` (nrow) times the multipliers of a constraint, against that of its row `row`.
bool cd_multiplier_sum_is_unique(const struct cardan_data* d, const cd_constraint* c, int row, const double* part);
// Makes the list of constraints between two markers.
void cd_find_marker_constraints(struct cardan_data* d);
// Of the i-th constraint between markers, once reactions are known: on its first body, at its marker there.
spatial cd_marker_constraint_wrench(const struct cardan_data* d, int i);
// Everything of the above at accelerations a: r->carried, r->lambda, r->stress.
void cd_compute_reactions(struct cardan_data* d, const double* a);
// Singular values at the state and left singular vectors, into sigma and left: the rank, or -1 where it is not known.
int cd_rank_of_rows(struct cardan_data* d, cd_self_stress* stress);
// Self-stress at the state, and which reactions are therefore unique.
void cd_find_self_stress(struct cardan_data* d, cd_self_stress* stress);
