// SPDX-License-Identifier: BSD-3-Clause
// Contact points of pairs of shapes whose geometry is a closed form, over `real` (closed_form_contact.c).
#pragma once

#include "contact/contact_geometry.h"
#include "kinematics/world_motion.h"

#include <stdbool.h>

// A pair of shapes on links. The number of its points is constant; those with a positive gap do not touch.
typedef struct cd_closed_form_pair {
    const cd_shape_geometry* geometry[2]; // of A and B
    const cd_link_frame*     frame[2];    // on the links
} cd_closed_form_pair;

typedef struct cd_closed_form_point {
    real gap;
    vec3 normal, point; // from B to A; middle between both surfaces
} cd_closed_form_point;

// Number of contact points; 0: the pair has no closed form.
int                  cd_closed_form_count(const cd_closed_form_pair* pair);
cd_closed_form_point cd_closed_form_point_at(const cd_closed_form_pair* pair, const cd_world_motion* world, int i);
