// SPDX-License-Identifier: BSD-3-Clause
// Point in a plane: a lock of the translation normal to the plane.
#include "constraint/constraint.h"

static bool prepare(const cd_constraint_builder* p, cd_constraint* c)
{
    if (!cd_constraint_init_markers(p, c)) return false;
    cd_constraint_init_locks(CD_LOCK_Z, c);
    return true;
}

const cd_constraint_type cd_constraint_point_in_plane = {
    .name     = "point_in_plane",
    .summary  = "the first marker's origin stays in the plane normal to z of the second",
    .fields   = "markers",
    .prepare  = prepare,
    .evaluate = cd_evaluate_lock,
};
