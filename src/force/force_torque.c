// SPDX-License-Identifier: BSD-3-Clause
// Torque on the body of a marker by formulas, in the axes of a marker or of the world; the opposite torque on the body
// of a second marker.
#include "force/force.h"

static void apply(const cardan_force* force, const cd_force_input* input, cd_force_effect* effect)
{
    const mat3 R = cd_marker_axes(input->m, input->world, force->frame);
    const vec3 n = m3_mul(R, v3(input->component[0], input->component[1], input->component[2]));
    cd_add_moment(effect, cd_marker_frame(input->m, force->marker[0])->link, n);
    if (force->marker[1] != CARDAN_NONE)
        cd_add_moment(effect, cd_marker_frame(input->m, force->marker[1])->link, v3_neg(n));
}

const cd_force_type cd_force_torque = {
    .name    = "torque",
    .summary = "torque on the body of a marker, components given by formulas",
    .fields  = "marker, three formulas [N m], axes (world or a marker), second marker for the reaction",
    .apply   = apply,
};
