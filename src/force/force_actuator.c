// SPDX-License-Identifier: BSD-3-Clause
// Actuator: effort along one joint coordinate by a formula, limited to its bounds.
#include "force/force.h"

static void apply(const cardan_force* force, const cd_force_input* input, cd_force_effect* effect)
{
    const cardan_index_range* range = &input->m->joint_range[force->joint];
    const real                lower = r_const(force->lower), upper = r_const(force->upper), x = input->component[0];
    const real                above = r_select(x, lower, lower, x), within = r_select(upper, above, upper, above);
    real*                     effort = &effect->effort[range->v + force->axis];
    *effort                          = r_add(*effort, within);
}

const cd_force_type cd_force_actuator = {
    .name          = "actuator",
    .summary       = "effort along a joint coordinate, given by a formula, within bounds",
    .fields        = "joint, coordinate, formula [N m or N], lower and upper bound",
    .acts_on_joint = true,
    .apply         = apply,
};
