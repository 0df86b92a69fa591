// SPDX-License-Identifier: BSD-3-Clause
// What reactions are computed with: the mechanism body by body, and the wrenches that joints could carry without any load.
#pragma once

#include "constraint/closure.h"
#include "dynamics/body_tree.h"

typedef struct cd_reacting {
    cd_body_tree tree;
    double       length;  // [m] size of the mechanism: how far a moment of 1 N m is taken to reach

    // cd_know_bodies; wrenches are at the body's origin in world axes
    cd_world     body;     // (nbody) poses and velocities; [-1] is ground
    cd_attached* marker;   // (nmarker) on bodies: `link` is a body
    spatial*     outer;    // (nbody) from outside, at the origin of the link
    spatial*     load;     // (nbody) what the joints must supply
    vec3*        place;    // (njoint) of the joint on its first body
    spatial*     carried;  // (njoint) on the second body, at the joint's place

    // cd_know_stress
    bool     affordable;  // else it is only known which joints are on loops
    int      nstress;     // independent sets of wrenches that balance by themselves
    double*  J;           // (nrow x nv) scaled
    double*  scale;       // (nrow)
    double*  sigma;       // (min)
    double*  left;        // (nrow x nrow)
    double*  work;
    double*  lambda;      // (nrow)
    double*  effort;      // (nv) scratch
    double*  stress;      // (nrow x 6 njoint) orthonormal: torque / length, force of every joint, one set per row
    bool*    unique;      // (njoint)
} cd_reacting;

// Runs twice, to measure and to assign.
void cd_reacting_layout(const cardan_model* m, int nrow, cd_arena* arena, cd_reacting* r);

struct cardan_data;
// Bodies, markers and places of joints at the state.
void cd_know_bodies(struct cardan_data* d);
// Wrench of every joint for multipliers lambda and body loads in r->load, into r->carried.
void cd_carry(struct cardan_data* d, const double* lambda);
// J (nrow x nv, row major) with unit columns of 1 rad or `length`, rows scaled by their own size, which goes to scale (nrow).
void cd_scaled_rows(struct cardan_data* d, double* J, double* scale);
// Self-stress at the state, and which reactions are therefore unique.
void cd_know_stress(struct cardan_data* d);
