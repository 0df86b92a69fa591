// SPDX-License-Identifier: BSD-3-Clause
// What reactions are computed with: the mechanism body by body, and the wrenches that joints could carry without any
// load.
#pragma once

#include "constraint/closure.h"
#include "dynamics/body_tree.h"

#include <cardan/dynamics.h>

// Self-stress: sets of joint wrenches that hold each other without any load.
typedef struct cd_stress {
    bool   affordable;  // else it is only known which joints are on loops
    int    nset;        // independent sets
    int    width;       // 6 njoint, and one for every row of constraints that close no joint
    int    first_other; // the first such row
    double tolerance;   // of its rank; 0: the usual one
    double*
        set; // (nrow x width) orthonormal: moment / length, force of every joint; forces of other rows; one set per row
    bool*   unique; // (njoint) no set reaches it
    double *J, *scale, *sigma, *left, *work, *lambda;
} cd_stress;

// Reactions that were found beside a singular pose, for the state of the data (motion/beside_reactions.c); NAN where
// they have no bound there.
typedef struct cd_limits {
    bool     known;
    spatial* carried;    // (njoint)
    spatial* between;    // (nrow at most) of constraints between markers
    double*  lambda;     // (nrow) of constraints that close no joint
    bool*    unique;     // (njoint)
    bool*    row_unique; // (nrow)
} cd_limits;

typedef struct cd_reacting {
    cd_body_tree tree;
    double       length; // [m] size of the mechanism: how far a moment of 1 N m is taken to reach

    // cd_know_bodies; wrenches are at the body's origin in world axes
    cd_world     body;    // (nbody) poses and velocities; [-1] is ground
    cd_attached* marker;  // (nmarker) on bodies: `link` is a body
    spatial*     load;    // (nbody) what the joints must supply
    vec3*        place;   // (njoint) of the joint on its first body
    spatial*     carried; // (njoint) on the second body, at the joint's place
    double*      lambda;  // (nrow) multipliers, of which for constraints that close no joint those of least norm
    double*      rate;    // (rows of the system), (nv): how drivers could move, and what answers that
    double*      answer;

    // cd_find_stress
    double*   effort; // (nv_all) scratch
    cd_stress stress;

    cd_limits given;

    int  nbetween; // constraints between two markers, which are no joint
    int* between;  // (nbetween) their numbers in the closure
} cd_reacting;

// Layouts run twice, to measure and to assign. A stress that would take more than `operations` (nrow^2 nv) is not
// affordable.
void cd_reacting_layout(const cardan_model* m, int nrow, int system_rows, cd_arena* arena, cd_reacting* r);
void cd_stress_layout(const cardan_model* m, int nrow, double operations, cd_arena* arena, cd_stress* stress);

struct cardan_data;
// Bodies, markers and places of joints at the state.
void cd_know_bodies(struct cardan_data* d);
// Wrench of every joint for multipliers lambda and body loads in r->load, into r->carried.
void cd_carry(struct cardan_data* d, const double* lambda);
// Size of a row: of its wrenches about the markers, where forces count with the length of the mechanism.
double cd_row_size(const struct cardan_data* d, int constraint, int row);
// J (nrow x nv, row major) with unit columns of 1 rad or `length`, rows scaled by their own size; scale (nrow) is 1 /
// size.
void cd_scaled_rows(struct cardan_data* d, double* J, double* scale);
// Near a singular pose: the sets that become possible there, beside those of the `repeated` rows that are null at every
// pose. Returns the smallest singular value they belong to; without sets where that is too much to compute.
double cd_find_weak_stress(struct cardan_data* d, int repeated, cd_stress* stress);
// What couples coordinates, once reactions are known (transmissions.c). Whether no self-stress reaches a constraint
// that closes no joint.
void cd_transmit(const struct cardan_data* d, cardan_transmission* transmission);
bool cd_is_unique(const struct cardan_data* d, const cd_constraint* c);
// Whether none reaches the sum of `part` (nrow) times the multipliers of a constraint, against that of its row `row`.
bool cd_rows_are_unique(const struct cardan_data* d, const cd_constraint* c, int row, const double* part);
// Makes the list of constraints between two markers.
void cd_find_between(struct cardan_data* d);
// Of the i-th constraint between markers, once reactions are known: on its first body, at its marker there.
spatial cd_constraint_wrench(const struct cardan_data* d, int i);
// Everything of the above at accelerations a: r->carried, r->lambda, r->stress.
void cd_react(struct cardan_data* d, const double* a);
// Singular values at the state and left singular vectors, into sigma and left: the rank, or -1 where it is not known.
int cd_rank_of_rows(struct cardan_data* d, cd_stress* stress);
// Self-stress at the state, and which reactions are therefore unique.
void cd_find_stress(struct cardan_data* d, cd_stress* stress);
