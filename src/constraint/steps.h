// SPDX-License-Identifier: BSD-3-Clause
// A joint as the sequence of its steps: where they lead, the columns of their motions, and the pose of two markers
// measured in them.
#pragma once

#include "constraint/measure.h"

// The moving frame along the steps, in the axes of the first marker.
typedef struct cd_walk {
    mat3 R;
    vec3 p;
    vec3 w, v, alpha, a;                                  // its motion at the given velocities, without accelerations
    vec3 axis[CARDAN_JOINT_MAX], place[CARDAN_JOINT_MAX]; // of each step
} cd_walk;

// True where all coordinates are turns and ways along axes: no ball and no free joint.
bool             cd_is_sequence(const cd_joint_info* joint);
vec3             cd_step_axis(const cd_step* step);
cd_walk          cd_walk_steps(const cd_joint_info* joint, const real* q, const real* v); // v may be NULL: at rest
cd_joint_columns cd_walk_columns(const cd_joint_info* joint,
                                 const cd_walk*       walk); // axes of the first marker, at the end of the walk

// The second marker seen from the first, in its axes.
typedef struct cd_seen {
    mat3    R;
    vec3    p;
    spatial V; // twist at the second's origin
} cd_seen;

cd_seen cd_see(const cd_end end[2]);

// What the pose and the motion of two markers are in terms of the steps between them; sequence.c has the equations.
typedef struct cd_sequence {
    int  n;
    bool singular; // steps whose motions depend on each other
    real q[CARDAN_JOINT_MAX], v[CARDAN_JOINT_MAX];
    real e[6];                       // what is left of the pose: rotation, position
    real E[36];                      // (6 x n) de/dq, column by column
    real basis[36];                  // orthonormal, vector by vector: n along the motions, then 6 - n across them
    real along[CARDAN_JOINT_MAX][6]; // rows on De V that are the velocities of the coordinates
    real across[6][6];               // rows on De V that are the rates of the equations
    real rate[6], bias[6];           // De V, and the second derivative of e without accelerations
    mat3 B;                          // axes of the first marker
    vec3 turned;                     // De on rotations: e0 x - turned x x
    real e0;
} cd_sequence;

// q: in, where the search begins, so that turns are counted. basis NULL: the one at hand; given: coordinates and
// equations are those that belong to it, with exact derivatives as long as it is kept.
void cd_sequence_look(const cd_joint_info* joint, const cd_end end[2], const real* q, const real* basis,
                      cd_sequence* s);
// The row y on De V with a value of its own.
cd_scalar_row cd_sequence_row(const cd_sequence* s, const cd_end end[2], const real y[6], real value);
