// SPDX-License-Identifier: BSD-3-Clause
// A joint as a sequence of elementary joints: pose of the frame that they lead to, motion columns, and the pose of two
// markers expressed in their coordinates.
#pragma once

#include "constraint/joint_state.h"

// The frame at the end of the elementary joints, in the axes of the first marker.
typedef struct cd_joint_chain {
    mat3 R;
    vec3 p;
    vec3 w, v, alpha, a; // its motion at the given velocities, at zero accelerations
    vec3 axis[CARDAN_JOINT_VELOCITIES_MAX], origin[CARDAN_JOINT_VELOCITIES_MAX]; // of each elementary joint
} cd_joint_chain;

// True if all coordinates are rotations or translations along axes: no spherical and no free joint.
bool           cd_joint_is_axis_sequence(const cd_compiled_joint* joint);
vec3           cd_elementary_joint_axis(const cd_elementary_joint* element);
cd_joint_chain cd_joint_chain_evaluate(const cd_compiled_joint* joint, const real* q,
                                       const real* v); // v may be NULL: zero
cd_joint_columns
cd_joint_chain_columns(const cd_compiled_joint* joint,
                       const cd_joint_chain*    chain); // axes of the first marker, at the end of the chain

// The second marker relative to the first, in its axes.
typedef struct cd_relative_state {
    mat3    R;
    vec3    p;
    spatial V; // twist at the second's origin
} cd_relative_state;

cd_relative_state cd_relative_state_of(const cd_end_state end[2]);

// Pose and motion of two markers in terms of the elementary joints between them; the equations are in
// constraint_general_joint.c.
typedef struct cd_general_joint_state {
    int  n;
    bool is_singular; // elementary motions are linearly dependent
    real q[CARDAN_JOINT_VELOCITIES_MAX], v[CARDAN_JOINT_VELOCITIES_MAX];
    real e[6];      // pose error: rotation, position
    real E[36];     // (6 x n) de/dq, column major
    real basis[36]; // orthonormal, by vectors: n that span the motions, then 6 - n orthogonal to them
    real coordinate_row[CARDAN_JOINT_VELOCITIES_MAX][6]; // rows on De V that give the velocities of the coordinates
    real equation_row[6][6];                             // rows on De V that give the rates of the equations
    real rate[6], bias[6];                               // De V, and the second derivative of e at zero accelerations
    mat3 B;                                              // axes of the first marker
    vec3 e_vector;                                       // De on rotations: e0 x - e_vector x x
    real e0;
} cd_general_joint_state;

// Evaluate a general joint. q: start values of the iteration, for the winding numbers. basis NULL: computed at this
// state; given: coordinates and equations with respect to it, with exact derivatives as long as it is constant.
void cd_general_joint_evaluate(const cd_compiled_joint* joint, const cd_end_state end[2], const real* q,
                               const real* basis, cd_general_joint_state* s);
// Row y on De V with a given value.
cd_scalar_row cd_general_joint_row(const cd_general_joint_state* s, const cd_end_state end[2], const real y[6],
                                   real value);
