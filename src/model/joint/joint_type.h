// SPDX-License-Identifier: BSD-3-Clause
// Joint types. A type says of which elementary motions it is made, from the first body to the second, and which of the
// six relative motions it locks when it closes a loop. The recursions only know elementary motions.
// To add one: write src/model/joint_<name>.c and add its row to joint_types.def.
#pragma once

#include <cardan/describe.h>

// Elementary motions. The first three have one coordinate, along or about z of the link's own frame.
typedef enum cd_elementary_motion {
    CD_HINGE, // rotation about z by q
    CD_SLIDE, // translation along z by q
    CD_HELIX, // rotation about z by q and translation along z by pitch * q
    CD_BALL,  // rotation, q a quaternion, v the relative angular velocity in the link's axes
    CD_FLOAT, // position x and quaternion; v: xdot in the parent's axes, then angular velocity in the link's axes
    CD_BALL_REVERSED, // the same two joints when the tree runs from their second body to their first
    CD_FLOAT_REVERSED,
} cd_elementary_motion;

typedef struct cd_elementary_joint {
    cd_elementary_motion motion;
    double               axis[3]; // in the joint frame, for the first three
    double               pitch;   // [m/rad]
} cd_elementary_joint;

// Locks, as bits: translation along x y z, rotation about x y z of the joint frame.
enum { CD_LOCK_X = 1, CD_LOCK_Y = 2, CD_LOCK_Z = 4, CD_LOCK_RX = 8, CD_LOCK_RY = 16, CD_LOCK_RZ = 32 };

typedef struct cd_joint_type {
    const char* name;
    const char* summary;
    const char* coordinates; // what q means, for `cardan list`
    unsigned    locked;
    int (*elementary_joints)(const cardan_joint* joint,
                             cd_elementary_joint step[CARDAN_JOINT_MAX]); // how many; 0: welded
} cd_joint_type;

int                  cd_joint_type_count(void);
const cd_joint_type* cd_joint_type_at(int i);
const cd_joint_type* cd_joint_type_find(const char* name); // NULL if there is none

// Sizes and units of a motion's coordinates.
int         cd_motion_nq(cd_elementary_motion motion);
int         cd_motion_nv(cd_elementary_motion motion);
const char* cd_motion_q_unit(cd_elementary_motion motion, int i);
const char* cd_motion_v_unit(cd_elementary_motion motion, int i);
