// SPDX-License-Identifier: BSD-3-Clause
// Rack and pinion: translation of the rack = radius * angle of the pinion + offset.
#include "constraint/constraint.h"

static bool is_angle(const cd_coordinate* c) { return c->kind >= CD_ANGLE_Z; }

static bool prepare(const cd_constraint_builder* p, cd_constraint* c)
{
    if (!cd_constraint_init_coordinates(p, 2, 2, c)) return false;
    if (!is_angle(&p->coupled->coordinate[0]))
        return cd_constraint_fail(p, "joint '%s' is used as pinion, but its coordinate is not an angle",
                                  p->m->joint[p->coupled->coordinate[0].joint].name);
    if (is_angle(&p->coupled->coordinate[1]))
        return cd_constraint_fail(p, "joint '%s' is used as rack, but its coordinate is an angle",
                                  p->m->joint[p->coupled->coordinate[1].joint].name);
    if (p->definition->radius[0] == 0) return cd_constraint_fail(p, "its radius is zero");
    p->coupled->factor[0] = -p->definition->radius[0];
    return true;
}

const cd_constraint_type cd_constraint_rack_pinion = {
    .name     = "rack_pinion",
    .summary  = "the displacement of a rack is proportional to the angle of a pinion",
    .fields   = "joints of pinion and rack, coordinates, radius, offset",
    .prepare  = prepare,
    .evaluate = cd_evaluate_coupled_coordinates,
};
