// SPDX-License-Identifier: BSD-3-Clause
// Interface of the casts of single shapes, in the frame of the shape.
#pragma once

#include "contact/ray/ray.h"
#include "contact/shape/shape.h"

typedef struct cd_local_ray {
    d3     origin, direction; // unit
    double length;
} cd_local_ray;

typedef struct cd_local_hit {
    double distance;
    d3     normal; // unit, outward
    int    part;
} cd_local_hit;

typedef bool cd_ray_function(const cd_shape_geometry* g, const cd_local_ray* ray, cd_local_hit* hit);

cd_ray_function cd_ray_sphere, cd_ray_capsule, cd_ray_cylinder, cd_ray_ellipsoid; // ray_quadric.c
cd_ray_function cd_ray_plane, cd_ray_box, cd_ray_hull;                            // ray_slab.c
cd_ray_function cd_ray_rounded;                                                   // ray_rounded.c
cd_ray_function cd_ray_torus;                                                     // ray_torus.c
cd_ray_function cd_ray_mesh;                                                      // ray_mesh.c
cd_ray_function cd_ray_field;                                                     // ray_field.c

static inline d3 cd_ray_at(const cd_local_ray* ray, double t) { return d3_add_scaled(ray->origin, t, ray->direction); }
