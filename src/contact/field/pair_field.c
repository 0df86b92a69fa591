// SPDX-License-Identifier: BSD-3-Clause
// Convex shapes and tori against height fields: as polyhedra, or as smooth surfaces.
#include "contact/field/smooth_contact.h"
#include "contact/field/surface_field.h"

void cd_pair_field(cd_pair* pair)
{
    if (pair->B->field->d.kind != CD_FIELD_TRIANGLES) {
        cd_smooth_collide(pair);
        return;
    }
    const cd_surface surface = cd_surface_of_field(pair->B->field);
    cd_surface_collide(pair, &surface);
}
