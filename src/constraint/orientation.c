// SPDX-License-Identifier: BSD-3-Clause
// Constant orientation: the lock of all rotations, translations free.
#include "constraint/constraint.h"

static bool prepare(const cd_prepare* p, cd_constraint* c)
{
    if (!cd_take_markers(p, c)) return false;
    cd_take_rest(p, c);
    cd_take_locks(CD_LOCK_RX | CD_LOCK_RY | CD_LOCK_RZ, c);
    return true;
}

const cd_constraint_type cd_constraint_orientation = {
    .name     = "orientation",
    .summary  = "the first marker keeps its orientation relative to the second",
    .fields   = "markers, rest pose",
    .prepare  = prepare,
    .evaluate = cd_evaluate_lock,
};
