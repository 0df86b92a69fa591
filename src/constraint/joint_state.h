// SPDX-License-Identifier: BSD-3-Clause
// Coordinates of an off-tree joint, computed from the motion of its two bodies.
#pragma once

#include "constraint/constraint.h"

// Twists of the second body relative to the first per unit of each velocity, and the wrench directions of motors:
// torque about the axis of a rotation, force along a translation. World axes, at the joint position on the first body.
typedef struct cd_joint_columns {
    int     n;
    spatial S[CARDAN_JOINT_VELOCITIES_MAX], wrench_direction[CARDAN_JOINT_VELOCITIES_MAX];
} cd_joint_columns;

cd_joint_columns cd_joint_columns_at(const cd_compiled_joint* joint, const cd_end_state end[2], const real* q);

// Compute q (in: the last value, for winding numbers and signs of quaternions) and v.
void cd_joint_state_from_frames(const cd_compiled_joint* joint, const cd_end_state end[2], real* q, real* v);

// Compute the accelerations of the coordinates; the accelerations of the links are up to date.
void cd_joint_acceleration(const cd_compiled_joint* joint, const cd_world_motion* world, const real* q, const real* v,
                           real* a);

// Wrench on the second body, at the point of the columns, of efforts along the coordinates.
spatial cd_joint_wrench(const cd_joint_columns* columns, const real* effort);
