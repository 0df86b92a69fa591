// SPDX-License-Identifier: BSD-3-Clause
// Constant orientation: a lock of all rotations, translations free.
#include "constraint/constraint.h"

static bool prepare(const cd_constraint_builder* p, cd_constraint* c)
{
    if (!cd_constraint_init_markers(p, c)) return false;
    cd_constraint_init_reference(p, c);
    cd_constraint_init_locks(CD_LOCK_RX | CD_LOCK_RY | CD_LOCK_RZ, c);
    return true;
}

const cd_constraint_type cd_constraint_orientation = {
    .name     = "orientation",
    .summary  = "the first marker keeps its orientation relative to the second",
    .fields   = "markers, reference pose",
    .prepare  = prepare,
    .evaluate = cd_evaluate_lock,
};
