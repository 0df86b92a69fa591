// SPDX-License-Identifier: BSD-3-Clause
// Force on a marker by formulas, in the axes of a marker or of the world. With a second marker the opposite force acts
// on its body at the same point.
#include "force/force.h"

static void apply(const cardan_force* force, const cd_force_input* input, cd_force_effect* effect)
{
    const cd_marker_point on = cd_marker_point_of(input->m, input->world, force->marker[0]);
    const mat3            R  = cd_marker_axes(input->m, input->world, force->frame);
    const vec3            f  = m3_mul(R, v3(input->component[0], input->component[1], input->component[2]));
    cd_add_force_at_point(input, effect, on.link, on.p, f, v3_zero());
    if (force->marker[1] == CARDAN_NONE) return;
    cd_add_force_at_point(input, effect, cd_marker_frame(input->m, force->marker[1])->link, on.p, v3_neg(f), v3_zero());
}

const cd_force_type cd_force_force = {
    .name    = "force",
    .summary = "force on a marker, components given by formulas",
    .fields  = "marker, three formulas [N], axes (world or a marker), second marker for the reaction",
    .apply   = apply,
};
