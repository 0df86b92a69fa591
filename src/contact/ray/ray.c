// SPDX-License-Identifier: BSD-3-Clause
// Table of casts by shape, and the change to the frame of the shape.
#include "contact/ray/ray_shape.h"

#include <stddef.h>

static cd_ray_function* const casts[CD_SHAPE_KINDS] = {
    [CD_SHAPE_SPHERE] = cd_ray_sphere,      [CD_SHAPE_CAPSULE] = cd_ray_capsule,     [CD_SHAPE_BOX] = cd_ray_box,
    [CD_SHAPE_CYLINDER] = cd_ray_cylinder,  [CD_SHAPE_ELLIPSOID] = cd_ray_ellipsoid, [CD_SHAPE_TORUS] = cd_ray_torus,
    [CD_SHAPE_HULL] = cd_ray_hull,          [CD_SHAPE_PLANE] = cd_ray_plane,         [CD_SHAPE_MESH] = cd_ray_mesh,
    [CD_SHAPE_HEIGHT_FIELD] = cd_ray_field,
};

bool cd_ray_cast(const cd_shape_geometry* g, const cd_shape_pose* pose, const cd_ray* ray, cd_ray_hit* hit)
{
    cd_ray_function*   cast  = g->rounding > 0 ? cd_ray_rounded : casts[g->kind];
    const cd_local_ray local = {d3_rotate_back(pose->R, d3_sub(d3_of(ray->origin), d3_of(pose->p))),
                                d3_rotate_back(pose->R, d3_of(ray->direction)), ray->length};
    cd_local_hit       found;
    if (!cast || !cast(g, &local, &found)) return false;
    hit->distance = found.distance;
    hit->part     = found.part;
    d3_put(d3_add_scaled(d3_of(ray->origin), found.distance, d3_of(ray->direction)), hit->point);
    d3_put(d3_rotate(pose->R, found.normal), hit->normal);
    return true;
}
