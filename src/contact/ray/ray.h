// SPDX-License-Identifier: BSD-3-Clause
// Rays: the first point of a surface along a half line. Surfaces are hit from their outer side only: a ray that begins inside a
// solid, or behind a triangle, leaves it without a hit.
#pragma once

#include "contact/contact_geometry.h"

typedef struct cd_ray {
    double origin[3], direction[3]; // world; direction: unit
    double length;                  // [m] largest distance; INFINITY is permitted
} cd_ray;

typedef struct cd_ray_hit {
    double distance;  // [m] from the origin, 0 to length
    double point[3];  // world
    double normal[3]; // world, unit, outward: direction.normal <= 0
    int    part;      // face of a box or hull, triangle of a mesh or height field; 0: other shapes
} cd_ray_hit;

// First hit of a shape at a pose; false: none. `hit` is written on a hit only.
bool cd_ray_cast(const cd_shape_geometry* g, const cd_shape_pose* pose, const cd_ray* ray, cd_ray_hit* hit);
