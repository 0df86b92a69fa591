// SPDX-License-Identifier: BSD-3-Clause
// Projection onto the constraints near a singular configuration. There the rows become dependent, with a singular
// value s of the order of the distance to the singular configuration, and two branches of the motion meet. A
// violation c changes the state by c/s, which is only reliable while it is small against that distance,
//
//   c/s << s:    rows with s^2 <= 10 |c| are ignored, s^2 relative to the largest in the run
//
// otherwise the state may jump to the other branch. As the violation decreases, the rows are included again one by
// one. Newton's method with a new factorization in every iteration, down to round-off: the remaining violation
// divided by s^2 is the error that makes the motion leave its branch. docs/theory/singular.md.
#include "dynamics/projection/near_singular_projection.h"

#include "dynamics/dynamics_tolerances.h"
#include "dynamics/projection/constraint_newton.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/solve.h"

#include <float.h>
#include <math.h>

enum { MAX_ITERATIONS = 10 };

static cardan_status compute_correction(cardan_data* d, bool velocity_level, bool new_factor)
{
    (void)new_factor; // true in every iteration, since is_chord is false
    cd_solve_info info = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    cd_update_rows(d);
    cd_set_correction_rhs(d, velocity_level);
    d->policy.pivot_floor =
        fmin(cd_max_ignored_row_sigma_sq, cd_ignored_row_violation_factor * d->violations.position) *
        (d->history.max_min_pivot_rel > 0 ? fmin(1, d->history.max_min_pivot_rel) : 1);
    cardan_status status = cd_update_factor(d, &info);
    if (status == CARDAN_OK)
        status = cd_solve_with_factor(d, d->scratch.zero_nv, d->solve.row_rhs, d->solve.correction,
                                      d->solve.correction_multiplier, &info);
    if (!velocity_level && (status == CARDAN_OK || status == CARDAN_INCONSISTENT))
        cd_correct_nonholonomic(d, d->solve.row_rhs, d->solve.correction);
    d->policy.pivot_floor = 0;
    return status == CARDAN_INCONSISTENT ? CARDAN_OK : status;
}

static cardan_status project_level(cardan_data* d, bool velocity_level)
{
    cd_constraint_newton newton = {.d              = d,
                                   .velocity_level = velocity_level,
                                   .tolerance      = cd_near_singular_roundoff_factor * DBL_EPSILON,
                                   .max_iterations = MAX_ITERATIONS,
                                   .correct        = compute_correction};
    return cd_newton_iterate(&newton);
}

cardan_status cd_project_near_singular(cardan_data* d)
{
    if (d->rows.nrow == 0) return CARDAN_OK;
    cd_blocked_store_rows(d);
    cardan_status status = project_level(d, false);
    if (status == CARDAN_OK) status = project_level(d, true);
    return status;
}
