// SPDX-License-Identifier: BSD-3-Clause
// Rays over all shapes of a broad phase: unbounded shapes first, then both trees with the near child first.
#include "contact/broad/broad_phase.h"

typedef struct caster {
    const cd_shape_geometry* const* geometry;
    const cd_shape_pose*            pose;
    const uint32_t*                 mask;
    uint32_t                        select;
    cd_ray                          ray;
    cd_ray_hit*                     hit;
    int                             shape;
} caster;

static double cast(void* context, int leaf, double limit)
{
    caster*    c = context;
    cd_ray_hit hit;
    if (c->mask && !(c->mask[leaf] & c->select)) return limit;
    c->ray.length = limit;
    if (!cd_ray_cast(c->geometry[leaf], &c->pose[leaf], &c->ray, &hit)) return limit;
    if (c->shape >= 0 && hit.distance == c->hit->distance && leaf > c->shape) return limit;
    *c->hit  = hit;
    c->shape = leaf;
    return hit.distance;
}

int cd_broad_cast(const cd_broad_phase* b, const cd_shape_geometry* const* geometry, const cd_shape_pose* pose,
                  const uint32_t* mask, uint32_t select, const cd_ray* ray, cd_ray_hit* hit)
{
    caster c     = {geometry, pose, mask, select, *ray, hit, -1};
    double limit = ray->length;
    for (int k = 0; k < b->nunbounded; ++k) limit = cast(&c, b->unbounded[k], limit);
    for (int t = 0; t < 2; ++t)
        cd_dynamic_tree_cast(&b->tree[t], d3_of(ray->origin), d3_of(ray->direction), limit, cast, &c),
            limit = c.shape >= 0 ? hit->distance : limit;
    return c.shape;
}
