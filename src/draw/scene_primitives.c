// SPDX-License-Identifier: BSD-3-Clause
// Growing lists of a scene.
#include "draw/scene.h"

#include "core/memory.h"

cd_primitive* cd_scene_add_primitive(cd_scene* scene, cd_primitive primitive)
{
    if (!cd_array_grow((void**)&scene->primitive, &scene->primitive_capacity, scene->nprimitive, sizeof primitive)) {
        scene->failed = true;
        return NULL;
    }
    scene->primitive[scene->nprimitive] = primitive;
    return &scene->primitive[scene->nprimitive++];
}

void cd_scene_add_point(cd_scene* scene, cd_xyz point)
{
    if (!cd_array_grow((void**)&scene->point, &scene->point_capacity, scene->npoint, sizeof point))
        scene->failed = true;
    else
        scene->point[scene->npoint++] = point;
}
