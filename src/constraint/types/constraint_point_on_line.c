// SPDX-License-Identifier: BSD-3-Clause
// Point on a line: a lock of the two translations normal to the line.
#include "constraint/constraint.h"

static bool prepare(const cd_constraint_builder* p, cd_constraint* c)
{
    if (!cd_constraint_init_markers(p, c)) return false;
    cd_constraint_init_locks(CD_LOCK_X | CD_LOCK_Y, c);
    return true;
}

const cd_constraint_type cd_constraint_point_on_line = {
    .name     = "point_on_line",
    .summary  = "the first marker's origin stays on the z axis of the second",
    .fields   = "markers",
    .prepare  = prepare,
    .evaluate = cd_evaluate_lock,
};
