// SPDX-License-Identifier: BSD-3-Clause
// Parts of the compilation of a scene.
#pragma once

#include "contact/scene/contact_scene.h"

// Geometry of a shape of the description, with memory that cd_scene_geometry_release frees (scene_geometry.c). Failures name
// the body and the shape.
cardan_status cd_scene_geometry_create(const cardan_model* m, int shape, cd_shape_geometry* g, cardan_report* report);
void          cd_scene_geometry_release(cd_shape_geometry* g);

// Whether two bodies (CARDAN_GROUND: ground) may touch by the joints, the lists and the settings (contact_exclusions.c).
bool cd_bodies_may_touch(const cardan_model* m, int first, int second);

// Properties of the materials of two shapes, completed by the settings (contact_properties.c). False: no entry.
bool cd_contact_properties_find(const cardan_model* m, int first, int second, cd_contact_properties* p);
