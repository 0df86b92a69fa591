// SPDX-License-Identifier: BSD-3-Clause
// Contact points of the circle of a torus with a shape that is given by its signed distance.
#pragma once

#include "contact/contact_pair.h"

// Signed distance of x from a core, its nearest point, the outward normal there and the feature, in the axes of the pair.
typedef double (*cd_distance_function)(const void* data, d3 x, d3* point, d3* normal, uint32_t* feature);

// Add the contact points of the torus A of the pair. Points on faces of B, while the circle is parallel to them, are left to
// the caller, who clips the face: *flat is the normal of this face, and the function returns true.
bool cd_circle_contact(cd_pair* p, cd_distance_function distance, const void* data, d3* flat);
