// SPDX-License-Identifier: BSD-3-Clause
// Accelerations by the formulation of the data, without a check of the result (rank/robust_solve.c):
//
//   Q = forces,   c = ID(q, v, 0),   r = Q - c,   M a + J'lambda = r,   J a = gamma
#include "dynamics/accelerate.h"

#include "dynamics/forces.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/solve.h"

// Rows and right-hand sides; formulations that take the wrenches of the links one by one do not need the sum r. In a
// blocked evaluation the factorization requests them.
static void update_equations(cardan_data* d)
{
    if (d->constraints.nlossy > 0) cd_clear_gear_losses(d);
    d->reactions.limit.valid = false;
    if (cd_uses_link_wrenches(d->formulation, d->m, &d->solver_rows)) {
        cd_update_link_wrenches_and_rows(d);
    } else if (!d->blocked.active) {
        cd_update_rhs(d);
        cd_update_rows(d);
    }
}

cardan_status cd_accelerate(cardan_data* d, const cd_solve_policy* policy, double* a, cd_solve_info* info)
{
    update_equations(d);
    if (!d->blocked.active) info->failed_velocity = cd_find_undetermined_velocity(d);
    return info->failed_velocity == CARDAN_NONE ? cd_factor_and_solve(d, policy, a, info) : CARDAN_SINGULAR;
}
