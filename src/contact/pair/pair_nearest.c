// SPDX-License-Identifier: BSD-3-Clause
// Any shape against a sphere: the nearest point of the core of A to the centre of B. If the cores overlap (the centre is inside
// A), the normal is that of the nearest part of the surface.
#include "contact/contact_pair.h"

void cd_pair_nearest(cd_pair* pair)
{
    const cd_shape_type* type = cd_shape_type_of(pair->A);
    const d3             b    = d3_of(pair->pose_B->p);
    d3                   point, normal;
    uint32_t             feature;
    const double         distance = type->nearest(pair->A, cd_to_shape(pair->pose_A, b), &point, &normal, &feature);
    const d3             a        = cd_to_world(pair->pose_A, point);
    const bool           deep     = distance <= 0;
    cd_pair_add(pair, a, b, d3_neg(d3_rotate(pair->pose_A->R, normal)), feature, cd_feature(CD_FEATURE_VERTEX, 0),
                deep);
}
