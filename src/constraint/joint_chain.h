// SPDX-License-Identifier: BSD-3-Clause
// A joint as the sequence of its steps: where they lead, the columns of their motions, and the pose of two markers
// measured in them.
#pragma once

#include "constraint/joint_state.h"

// The moving frame along the steps, in the axes of the first marker.
typedef struct cd_joint_chain {
    mat3 R;
    vec3 p;
    vec3 w, v, alpha, a;                                   // its motion at the given velocities, without accelerations
    vec3 axis[CARDAN_JOINT_MAX], origin[CARDAN_JOINT_MAX]; // of each step
} cd_joint_chain;

// True where all coordinates are turns and ways along axes: no ball and no free joint.
bool           cd_joint_is_axis_sequence(const cd_joint_info* joint);
vec3           cd_elementary_joint_axis(const cd_elementary_joint* element);
cd_joint_chain cd_joint_chain_evaluate(const cd_joint_info* joint, const real* q,
                                       const real* v); // v may be NULL: at rest
cd_joint_columns
cd_joint_chain_columns(const cd_joint_info*  joint,
                       const cd_joint_chain* chain); // axes of the first marker, at the end of the walk

// The second marker seen from the first, in its axes.
typedef struct cd_relative_state {
    mat3    R;
    vec3    p;
    spatial V; // twist at the second's origin
} cd_relative_state;

cd_relative_state cd_relative_state_of(const cd_end_state end[2]);

// What the pose and the motion of two markers are in terms of the steps between them; constraint_general_joint.c has the equations.
typedef struct cd_general_joint_state {
    int  n;
    bool is_singular; // steps whose motions depend on each other
    real q[CARDAN_JOINT_MAX], v[CARDAN_JOINT_MAX];
    real e[6];      // what is left of the pose: rotation, position
    real E[36];     // (6 x n) de/dq, column by column
    real basis[36]; // orthonormal, vector by vector: n along the motions, then 6 - n across them
    real coordinate_row[CARDAN_JOINT_MAX][6]; // rows on De V that are the velocities of the coordinates
    real equation_row[6][6];                  // rows on De V that are the rates of the equations
    real rate[6], bias[6];                    // De V, and the second derivative of e without accelerations
    mat3 B;                                   // axes of the first marker
    vec3 e_vector;                            // De on rotations: e0 x - turned x x
    real e0;
} cd_general_joint_state;

// q: in, where the search begins, so that turns are counted. basis NULL: the one at hand; given: coordinates and
// equations are those that belong to it, with exact derivatives as long as it is kept.
void cd_general_joint_evaluate(const cd_joint_info* joint, const cd_end_state end[2], const real* q, const real* basis,
                               cd_general_joint_state* s);
// The row y on De V with a value of its own.
cd_scalar_row cd_general_joint_row(const cd_general_joint_state* s, const cd_end_state end[2], const real y[6],
                                   real value);
