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
#include "dynamics/projection/project.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/solve.h"
#include "dynamics/state.h"
#include "dynamics/unit_scales.h"

#include <cardan/assemble.h>

#include <float.h>
#include <math.h>

enum { MAX_ITERATIONS = 10 };

static double current_violation(cardan_data* d, bool velocity_level)
{
    double position, velocity;
    cd_scaled_violations(d, &position, &velocity);
    return velocity_level ? velocity : position;
}

static void apply_correction(cardan_data* d, bool velocity_level, double sign)
{
    for (int i = 0; i < d->m->nv; ++i) d->solve.correction[i] *= sign;
    if (velocity_level) {
        for (int i = 0; i < d->m->nv; ++i) d->v[i] += d->solve.correction[i];
        cd_data_set_velocity(d, d->v);
    } else {
        cardan_model_integrate_position(d->m, d->q, d->solve.correction, d->q);
        cd_data_set_state(d, d->t, d->q, d->v, d->state);
    }
}

static cardan_status compute_correction(cardan_data* d, bool velocity_level)
{
    cd_solve_info info = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    cd_update_rows(d);
    const double* c = velocity_level ? d->constraints.rate : d->constraints.value;
    for (int i = 0; i < d->rows.nrow; ++i) d->solve.row_rhs[i] = -c[i];
    for (int i = d->rows.nrow; i < d->solver_rows.nrow; ++i) d->solve.row_rhs[i] = 0;
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

static cardan_status newton_iterate(cardan_data* d, bool velocity_level)
{
    double       violation = current_violation(d, velocity_level);
    const double max_speed = velocity_level ? fmax(1, cd_velocity_norm_inf(d, d->v)) : 1;
    for (int i = 0; i < MAX_ITERATIONS && violation > cd_near_singular_roundoff_factor * DBL_EPSILON * max_speed; ++i) {
        const cardan_status status = compute_correction(d, velocity_level);
        if (status != CARDAN_OK) return status;
        if (velocity_level && !cd_velocity_correction_is_plausible(d, violation)) break;
        apply_correction(d, velocity_level, 1);
        const double next = current_violation(d, velocity_level);
        if (!(next < violation)) {
            apply_correction(d, velocity_level, -1);
            break;
        }
        if (next > cd_stalled_convergence_ratio * violation) break;
        violation = next;
    }
    return CARDAN_OK;
}

cardan_status cd_project_near_singular(cardan_data* d)
{
    if (d->rows.nrow == 0) return CARDAN_OK;
    cd_blocked_store_rows(d);
    cardan_status status = newton_iterate(d, false);
    if (status == CARDAN_OK) status = newton_iterate(d, true);
    return status;
}
