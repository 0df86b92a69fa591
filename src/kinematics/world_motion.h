// SPDX-License-Identifier: BSD-3-Clause
// Motion of the links in world axes, for forces, markers, results and pictures.
#pragma once

#include "kinematics/kinematics.h"

// World axes; velocities and accelerations of the link's origin (true ones, not offset by gravity). [-1] is ground.
typedef struct cd_world_motion {
    frame*   pose;         // (nlink); may be the X of the kinematics if all links are free bodies
    spatial* velocity;     // (nlink) w, v
    spatial* acceleration; // (nlink) alpha, a; valid after cd_world_accelerations
} cd_world_motion;

void cd_world_layout(const cardan_model* m, cd_arena* arena, cd_world_motion* world);
void cd_world_poses(const cardan_model* m, const cd_kinematics* k, const real* v, cd_world_motion* world);
void cd_world_poses_range(const cardan_model* m, const cd_kinematics* k, const real* v, cd_world_motion* world,
                          int from,
                          int to); // links from .. to - 1, after those before
void cd_world_accelerations(const cardan_model* m, const cd_kinematics* k, const real* v, const real* a,
                            cd_world_motion* world);
void cd_world_accelerations_range(const cardan_model* m, const cd_kinematics* k, const real* v, const real* a,
                                  cd_world_motion* world, int from, int to);
