// SPDX-License-Identifier: BSD-3-Clause
// Poses and motions of the links, the input of every formulation. One per simulation.
#pragma once

#include "core/memory.h"
#include "math/spatial.h"
#include "model/model.h"

// Motion and wrench of a link, link axes, at its origin.
typedef struct cd_link_motion {
    vec3 w;     // angular velocity [rad/s]
    vec3 alpha; // angular acceleration [rad/s^2]
    vec3 a;     // acceleration of the origin minus gravity (as if ground accelerated upward) [m/s^2]
    mat3 B;     // alpha~ + w~ w~: acceleration of a point r is a + B r
    vec3 n, f;  // moment and force that the parent exerts; after cd_link_wrenches those of the link alone [N m, N]
} cd_link_motion;

typedef struct cd_kinematics {
    // cd_forward_kinematics
    frame*       X; // (nlink) pose of the link in its parent; [-1] ground
    spatial*     S; // (nv) motion columns: twist of the link relative to its parent, link axes, per unit of velocity
    const frame* world_pose; // (nlink) poses in the world if computed (cd_world_poses), or NULL

    // cd_inverse_dynamics
    cd_link_motion* motion; // (nlink), and [-1] is ground

    // cd_root_frame_poses
    frame*   root_pose;   // (nlink) pose of the link in the frame of the root of its tree
    spatial* root_column; // (nv) motion columns in that frame, at the root's origin
} cd_kinematics;

void cd_kinematics_layout(const cardan_model* m, cd_arena* arena, cd_kinematics* k);

// Compute the poses of the links in their parents, and the motion columns, from the coordinates.
void cd_forward_kinematics(const cardan_model* m, cd_kinematics* k, const real* q);
// The same for links from .. to - 1, all of them free bodies (cd_link_is_free); poses only.
void cd_forward_kinematics_free(const cardan_model* m, cd_kinematics* k, const real* q, int from, int to);

// tau (nv) = ID(q, v, a): recursive Newton-Euler. `a` may be NULL (zero), and so may the external wrenches on the links
// (nlink: moment and force at the link's origin, link axes).
void cd_inverse_dynamics(const cardan_model* m, cd_kinematics* k, const real* v, const real* a, const spatial* wrench,
                         real* tau);

// Outward recursion at a = 0 for links from .. to - 1: stores in n and f the moment and force that each link alone
// needs for its motion, without its children. The links before must be done; none is a free body.
void cd_link_wrenches(const cardan_model* m, cd_kinematics* k, const real* v, int from, int to);

// Inverse dynamics at a = 0 of links from .. to - 1, all of them free bodies (cd_link_is_free).
void cd_inverse_dynamics_free(const cardan_model* m, const cd_kinematics* k, const real* v, const spatial* wrench,
                              int from, int to, real* tau);

// Moment and force that link i alone needs for its motion, minus the external wrench on it (or NULL); link axes, at its
// origin. Call after cd_inverse_dynamics.
spatial cd_link_net_wrench(const cardan_model* m, const cd_kinematics* k, int i, const spatial* wrench);

// Compute poses and motion columns in the frame of the root of each tree, where composite inertias are plain sums.
void cd_root_frame_poses(const cardan_model* m, cd_kinematics* k);
