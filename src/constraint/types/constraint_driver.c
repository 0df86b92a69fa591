// SPDX-License-Identifier: BSD-3-Clause
// Driver: a joint coordinate follows a function of time, q = x(t). The driver effort is minus the multiplier.
#include "constraint/constraint.h"

static bool prepare(const cd_constraint_builder* p, cd_constraint* c)
{
    if (!cd_constraint_init_coordinates(p, 1, 1, c)) return false;
    c->driven_rows = 1;
    return cd_constraint_init_driver(p, 0, c) || cd_constraint_fail(p, "it has no driver function");
}

const cd_constraint_type cd_constraint_driver = {
    .name     = "driver",
    .summary  = "a joint coordinate follows a driver function of time",
    .fields   = "joint, coordinate, law (driver function)",
    .prepare  = prepare,
    .evaluate = cd_evaluate_coupled_coordinates,
};
