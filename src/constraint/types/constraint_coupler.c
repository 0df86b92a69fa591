// SPDX-License-Identifier: BSD-3-Clause
// Coupler: a linear relation between two or three joint coordinates of any bodies, sum of factor * q = offset:
// differentials, control linkages, mimic of URDF. Its forces act along the coordinates only.
#include "constraint/constraint.h"

static bool prepare(const cd_constraint_builder* p, cd_constraint* c)
{
    if (!cd_constraint_init_coordinates(p, 2, CARDAN_COUPLED_JOINTS_MAX, c)) return false;
    bool any = false;
    for (int i = 0; i < p->coupled->n; ++i) {
        p->coupled->factor[i] = p->definition->factor[i];
        any                   = any || p->coupled->factor[i] != 0;
    }
    return any || cd_constraint_fail(p, "all its factors are zero");
}

const cd_constraint_type cd_constraint_coupler = {
    .name     = "coupler",
    .summary  = "a linear relation between two or three joint coordinates",
    .fields   = "joints, coordinates, factors, offset",
    .prepare  = prepare,
    .evaluate = cd_evaluate_coupled_coordinates,
};
