// SPDX-License-Identifier: BSD-3-Clause
// Gear pair: z1 q1 + z2 q2 = 0 for teeth z1, z2, with z2 negative for an internal gear; q1 + (z2/z1) q2 = offset. Spur,
// helical or bevel: the signs are those of the two joint axes. Winding numbers are counted. The wheels exert torques
// about their axes; the tooth force itself, and the part of the bearing reactions that balances it, is not computed.
#include "constraint/constraint.h"
#include "model/description.h"

static bool prepare(const cd_constraint_builder* p, cd_constraint* c)
{
    if (!cd_constraint_init_coordinates(p, 2, 2, c)) return false;
    const double* teeth = p->definition->factor;
    if (teeth[0] == 0 || teeth[1] == 0) return cd_constraint_fail(p, "its numbers of teeth must not be zero");
    p->coupled->factor[1] = par_div(p->m->description->parametric, teeth[1], teeth[0]);
    return true;
}

const cd_constraint_type cd_constraint_gear = {
    .name     = "gear",
    .summary  = "two joint angles in the ratio of the numbers of teeth",
    .fields   = "joints, coordinates, teeth or ratio, offset",
    .prepare  = prepare,
    .evaluate = cd_evaluate_coupled_coordinates,
};
