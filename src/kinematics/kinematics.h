// SPDX-License-Identifier: BSD-3-Clause
// Where the links are and how they move: what every formulation is fed with. One per simulation.
#pragma once

#include "core/memory.h"
#include "math/spatial.h"
#include "model/model.h"

// Motion and load of a link, own axes, at its origin.
typedef struct cd_link_motion {
    vec3 w;     // angular velocity [rad/s]
    vec3 alpha; // angular acceleration [rad/s^2]
    vec3 a;     // true acceleration of the origin, gravity included as an upward acceleration of ground [m/s^2]
    mat3 B;     // alpha~ + w~ w~: acceleration of a point r is a + B r
    vec3 n, f;  // moment and force the parent must exert; after cd_link_wrenches for the link alone [N m, N]
} cd_link_motion;

typedef struct cd_kinematics {
    // cd_forward_kinematics
    frame*       X; // (nlink) link in its parent; [-1] ground
    spatial*     S; // (nv) motion columns: twist of the link relative to its parent, own axes, per unit of velocity
    const frame* world_pose; // (nlink) links in the world, where somebody computed them (cd_world_poses), or NULL

    // cd_inverse_dynamics
    cd_link_motion* motion; // (nlink), and [-1] is ground

    // cd_root_frame_poses
    frame*   root_pose;   // (nlink) link in the frame of the root of its tree
    spatial* root_column; // (nv) motion columns there, at the root's origin
} cd_kinematics;

void cd_kinematics_layout(const cardan_model* m, cd_arena* arena, cd_kinematics* k);

// Poses of the links in their parents, and motion columns, from the coordinates.
void cd_forward_kinematics(const cardan_model* m, cd_kinematics* k, const real* q);
// Poses alone, of links from .. to - 1, all of them free bodies (cd_link_is_free).
void cd_forward_kinematics_free(const cardan_model* m, cd_kinematics* k, const real* q, int from, int to);

// tau (nv) = ID(q, v, a): recursive Newton-Euler. `a` may be NULL (zero), and so may the outer wrenches on the links
// (nlink: moment and force at the link's origin, own axes).
void cd_inverse_dynamics(const cardan_model* m, cd_kinematics* k, const real* v, const real* a, const spatial* wrench,
                         real* tau);

// At a = 0, outward alone: moment and force that links from .. to - 1 by themselves take for their motion, in n and f.
// Those before are done; none is a free body.
void cd_link_wrenches(const cardan_model* m, cd_kinematics* k, const real* v, int from, int to);

// Inverse dynamics at a = 0 of links from .. to - 1, all of them free bodies (cd_link_is_free).
void cd_inverse_dynamics_free(const cardan_model* m, const cd_kinematics* k, const real* v, const spatial* wrench,
                              int from, int to, real* tau);

// Moment and force that link i by itself takes for its motion, less the outer wrench on it (or NULL); own axes, at its
// origin. After cd_inverse_dynamics.
spatial cd_link_net_wrench(const cardan_model* m, const cd_kinematics* k, int i, const spatial* wrench);

// Poses and motion columns in the frame of the root of each tree, where composite inertias are plain sums.
void cd_root_frame_poses(const cardan_model* m, cd_kinematics* k);
