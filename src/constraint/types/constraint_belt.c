// SPDX-License-Identifier: BSD-3-Clause
// Belt over two pulleys without slip: r1 q1 = r2 q2, with r2 negative for a crossed belt. The distance of the pulleys
// must be constant: neither the effect of a belt between moving pulleys nor its tension is modelled.
#include "constraint/constraint.h"
#include "model/description.h"

static bool prepare(const cd_constraint_builder* p, cd_constraint* c)
{
    if (!cd_constraint_init_coordinates(p, 2, 2, c)) return false;
    const double* radius = p->definition->radius;
    if (!(radius[0] > 0) || radius[1] == 0)
        return cd_constraint_fail(p, "its radii are %g m and %g m, but must be positive", radius[0],
                                  radius[1] < 0 ? -radius[1] : radius[1]);
    p->coupled->factor[1] = par_div(p->m->description->parametric, -radius[1], radius[0]);
    return true;
}

const cd_constraint_type cd_constraint_belt = {
    .name     = "belt",
    .summary  = "two pulleys and a belt that does not slip",
    .fields   = "joints, coordinates, radii, offset",
    .prepare  = prepare,
    .evaluate = cd_evaluate_coupled_coordinates,
};
