// SPDX-License-Identifier: BSD-3-Clause
// Camera of a picture: directions of a parallel projection onto the picture plane.
#pragma once

#include "draw/picture_space.h"

// World directions: `right` and `up` are x and y of the picture, `toward` points to the viewer.
typedef struct cd_camera {
    cd_xyz      right, up, toward;
    const char* title;     // "front", "isometric", ...
    bool        isometric; // lengths along the world axes appear shortened by sqrt(2/3)
} cd_camera;

// Views selectable by the user.
typedef enum cd_view_choice {
    CD_VIEW_AUTO, // plane of motion of planar mechanisms, else isometric
    CD_VIEW_ISOMETRIC,
    CD_VIEW_FRONT,
    CD_VIEW_SIDE,
    CD_VIEW_TOP,
    CD_VIEW_THREE, // front, side, top; isometric view in the free corner
} cd_view_choice;

// Find a view by name ("auto", "isometric", "front", "side", "top", "three"); returns false if the name is unknown.
bool        cd_view_choice_find(const char* name, cd_view_choice* choice);
const char* cd_view_choice_name(int choice); // NULL after the last

// Cameras of a view choice, at most 4. Returns their number, 0 if memory is exhausted. `pose` as in cd_scene_create.
// The vertical is opposite to gravity, else z.
int cd_cameras_create(const cardan_description_view* view, const cardan_pose* pose, cd_view_choice choice,
                      cd_camera camera[4]);

// Normal of the plane of motion; *planar is false for spatial mechanisms. Returns CARDAN_NO_MEMORY or CARDAN_OK.
cardan_status cd_plane_of_motion(const cardan_description_view* view, const cardan_pose* pose, cd_xyz* normal,
                                 bool* planar);

static inline cd_xy cd_camera_project(const cd_camera* camera, cd_xyz p)
{
    return (cd_xy){xyz_dot(p, camera->right), xyz_dot(p, camera->up)};
}
static inline double cd_camera_depth(const cd_camera* camera, cd_xyz p) { return xyz_dot(p, camera->toward); }
