// SPDX-License-Identifier: BSD-3-Clause
// Joint types. A type defines its sequence of elementary motions, from the first body to the second, and the relative
// motions that it locks as a cut joint. The recursions use only elementary motions. To add a type: write
// src/model/joint/joint_<name>.c and add its entry to joint_types.def.
#pragma once

#include <cardan/describe.h>

// Elementary motions. The first three have one coordinate, along or about z of the link's frame.
typedef enum cd_elementary_motion {
    CD_REVOLUTE,  // rotation about z by q
    CD_PRISMATIC, // translation along z by q
    CD_SCREW,     // rotation about z by q and translation along z by pitch * q
    CD_SPHERICAL, // rotation, q a quaternion, v the relative angular velocity in the link's axes
    CD_FREE,      // position x and quaternion; v: xdot in the parent's axes, then angular velocity in the link's axes
    CD_SPHERICAL_REVERSED, // the same two joints if the tree goes from their second body to their first
    CD_FREE_REVERSED,
} cd_elementary_motion;

typedef struct cd_elementary_joint {
    cd_elementary_motion motion;
    double               axis[3]; // in the joint frame, for the first three
    double               pitch;   // [m/rad]
} cd_elementary_joint;

// Bit mask of locked motions: translation along x y z, rotation about x y z of the joint frame.
enum { CD_LOCK_X = 1, CD_LOCK_Y = 2, CD_LOCK_Z = 4, CD_LOCK_RX = 8, CD_LOCK_RY = 16, CD_LOCK_RZ = 32 };

typedef struct cd_joint_type {
    const char* name;
    const char* summary;
    const char* coordinates; // meaning of q, for `cardan list`
    unsigned    locked;
    int (*elementary_joints)(
        const cardan_joint* joint,
        cd_elementary_joint elementary[CARDAN_JOINT_VELOCITIES_MAX]); // returns their number; 0: welded
} cd_joint_type;

int                  cd_joint_type_count(void);
const cd_joint_type* cd_joint_type_at(int i);
const cd_joint_type* cd_joint_type_find(const char* name); // NULL: none

// Sizes and units of the coordinates of a motion.
int         cd_motion_nq(cd_elementary_motion motion);
int         cd_motion_nv(cd_elementary_motion motion);
const char* cd_motion_q_unit(cd_elementary_motion motion, int i);
const char* cd_motion_v_unit(cd_elementary_motion motion, int i);
// Whether velocity i of a motion is an angular velocity.
bool cd_motion_is_rotation(cd_elementary_motion motion, int i);
