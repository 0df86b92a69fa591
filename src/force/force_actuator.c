// SPDX-License-Identifier: BSD-3-Clause
// Actuator: effort along one coordinate of a joint by a formula, kept within its bounds.
#include "force/force.h"

#include <math.h>

static void apply(const cardan_force* force, const cd_force_input* input, cd_force_effect* effect)
{
    const cardan_slot* slot = &input->m->place[force->joint];
    effect->effort[slot->v + force->axis] += fmin(fmax(input->component[0], force->lower), force->upper);
}

const cd_force_type cd_force_actuator = {
    .name    = "actuator",
    .summary = "effort along a coordinate of a joint, by a formula, within bounds",
    .fields  = "joint, coordinate, formula [N m or N], lower and upper bound",
    .joint   = true,
    .apply   = apply,
};
