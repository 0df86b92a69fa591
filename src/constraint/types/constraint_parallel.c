// SPDX-License-Identifier: BSD-3-Clause
// Parallel axes: a lock of two rotations. Quaternions exclude antiparallel axes.
#include "constraint/constraint.h"

static bool prepare(const cd_constraint_builder* p, cd_constraint* c)
{
    if (!cd_constraint_init_markers(p, c)) return false;
    cd_constraint_init_locks(CD_LOCK_RX | CD_LOCK_RY, c);
    return true;
}

const cd_constraint_type cd_constraint_parallel = {
    .name     = "parallel",
    .summary  = "the z axes of the two markers have the same direction",
    .fields   = "markers",
    .prepare  = prepare,
    .evaluate = cd_evaluate_lock,
};
