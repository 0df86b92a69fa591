// SPDX-License-Identifier: BSD-3-Clause
// From where a mechanism is looked at: the directions of the picture in the world.
#pragma once

#include "draw/picture_space.h"

// x of the picture is `right`, y is `up`; `toward` points to the eye. All projections are parallel.
typedef struct cd_camera {
    cd_xyz      right, up, toward;
    const char* title;     // "front", "isometric", ...
    bool        isometric; // lengths along the world's axes appear shorter by sqrt(2/3)
} cd_camera;

// What the user may ask for.
typedef enum cd_view_choice {
    CD_VIEW_AUTO, // the plane of motion where there is one, else isometric
    CD_VIEW_ISOMETRIC,
    CD_VIEW_FRONT,
    CD_VIEW_SIDE,
    CD_VIEW_TOP,
    CD_VIEW_THREE, // front, side, top, and the isometric in the free corner
} cd_view_choice;

// By name ("auto", "isometric", "front", "side", "top", "three"); false where there is none.
bool        cd_view_choice_find(const char* name, cd_view_choice* choice);
const char* cd_view_choice_name(int choice); // NULL ends the list

// The looks of one choice, at most 4; returns how many, 0 without memory. `pose` as for scenes. Up is against gravity,
// or z.
int cd_cameras_create(const cardan_view* view, const cardan_pose* pose, cd_view_choice choice, cd_camera camera[4]);

// Normal of the plane in which everything moves; *planar is false for mechanisms in space. NO_MEMORY or OK.
cardan_status cd_plane_of_motion(const cardan_view* view, const cardan_pose* pose, cd_xyz* normal, bool* planar);

static inline cd_xy cd_camera_project(const cd_camera* camera, cd_xyz p)
{
    return (cd_xy){xyz_dot(p, camera->right), xyz_dot(p, camera->up)};
}
static inline double cd_camera_depth(const cd_camera* camera, cd_xyz p) { return xyz_dot(p, camera->toward); }
