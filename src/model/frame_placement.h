// SPDX-License-Identifier: BSD-3-Clause
// Frames in the world and poses relative to them, also with parametric values (expression/parametric_values.h; NULL:
// plain doubles). The reader of model files and cardan_joint_at place joints by the same functions.
#pragma once

#include "expression/parametric_values.h"

#include <cardan/describe.h>

// Frame in the world: x_world = p + R x. As a base of numbers, R may be left-handed.
typedef struct cd_frame {
    double p[3];
    double R[3][3];
    const struct cd_frame*
        coordinates_of; // base: frame whose coordinates the numbers are, up to the signs of the level; or NULL
} cd_frame;

cd_frame cd_frame_of_pose(const cardan_pose* pose);

// Scale a direction to length 1; a unit vector keeps its bits. Returns false if it is too small to be a direction.
bool cd_normalize_direction(cd_parametric* l, double a[3]);
void cd_normalize_quaternion(cd_parametric* l, double q[4]);                   // a unit quaternion keeps its bits
void cd_rotation_of_quaternion(cd_parametric* l, double q[4], double R[3][3]); // normalizes q
void cd_rotation_z_to_axis(cd_parametric* l, const double axis[3],
                           double R[3][3]); // rotation that takes z to the axis, x unchanged if possible

void        cd_world_to_frame(cd_parametric* l, const cd_frame* frame, const double world[3], double x[3]);
cardan_pose cd_relative_pose(cd_parametric* l, const cd_frame* outer, const cd_frame* inner);
