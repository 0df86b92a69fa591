// SPDX-License-Identifier: BSD-3-Clause
// From where a mechanism is looked at: the directions of the picture in the world.
#pragma once

#include "draw/space.h"

// x of the picture is `right`, y is `up`; `toward` points to the eye. All projections are parallel.
typedef struct cd_look {
    cd_xyz      right, up, toward;
    const char* title;     // "front", "isometric", ...
    bool        isometric; // lengths along the world's axes appear shorter by sqrt(2/3)
} cd_look;

// What the user may ask for.
typedef enum cd_look_choice {
    CD_LOOK_AUTO, // the plane of motion where there is one, else isometric
    CD_LOOK_ISOMETRIC,
    CD_LOOK_FRONT,
    CD_LOOK_SIDE,
    CD_LOOK_TOP,
    CD_LOOK_THREE, // front, side, top, and the isometric in the free corner
} cd_look_choice;

// By name ("auto", "isometric", "front", "side", "top", "three"); false where there is none.
bool        cd_look_find(const char* name, cd_look_choice* choice);
const char* cd_look_name(int choice); // NULL ends the list

// The looks of one choice, at most 4; returns how many, 0 without memory. `pose` as for scenes. Up is against gravity,
// or z.
int cd_look_make(const cardan_view* view, const cardan_pose* pose, cd_look_choice choice, cd_look look[4]);

// Normal of the plane in which everything moves; *planar is false for mechanisms in space. NO_MEMORY or OK.
cardan_status cd_plane_of_motion(const cardan_view* view, const cardan_pose* pose, cd_xyz* normal, bool* planar);

static inline cd_xy cd_look_at(const cd_look* look, cd_xyz p)
{
    return (cd_xy){xyz_dot(p, look->right), xyz_dot(p, look->up)};
}
static inline double cd_look_depth(const cd_look* look, cd_xyz p) { return xyz_dot(p, look->toward); }
