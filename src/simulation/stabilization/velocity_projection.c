// SPDX-License-Identifier: BSD-3-Clause
// Constraints at velocity level: the integrated state has q and as many independent velocities as the mechanism has
// degrees of freedom. In every evaluation the velocities on the constraints follow from those of the integrator,
//
//     [ M  J' ] [ dv ]   [  0    ]
//     [ J  0  ] [ y  ] = [ -cdot ],      v <- v + dv,      J v = -c_t to round-off,
//
// with the factor that the accelerations need there; then M a + J'y = r, J a = gamma with the same one. Positions are
// integrated and not projected: they drift only by the error of the method, which does not grow as (1) of
// docs/theory/stabilization.md.
//
// Only the part of v along the constraints is used. Anderson and Critchley represent it by the velocities of selected
// joints; its projection in the mass metric needs no selection: none has to be repeated near configurations where
// joints lock, and the cost is one solve, linear if the formulation is. Source: Anderson, Critchley 2003, section 3;
// docs/theory/stabilization.md (5).
#include "simulation/stabilization/stabilization.h"

#include "dynamics/data.h"
#include "dynamics/dynamics_tolerances.h"
#include "dynamics/projection/constraint_newton.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/solve.h"
#include "dynamics/unit_scales.h"
#include "explain/explain.h"
#include "simulation/simulation_tolerances.h"

#include <cardan/assemble.h>
#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 4 };

// Compute the minimum-norm velocity correction; with refinement if the correction alone is not accurate enough.
static cardan_status min_norm_correction(cardan_data* d, bool use_refinement)
{
    cd_solve_info info = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    cd_update_constraint_values(d); // after an undone correction the rates are stale
    cd_set_correction_rhs(d, true);
    const cardan_status status = use_refinement
                                     ? cd_solve_with_factor(d, d->scratch.zero_nv, d->solve.row_rhs,
                                                            d->solve.correction, d->solve.correction_multiplier, &info)
                                     : cd_solve_correction(d, d->solve.row_rhs, d->solve.correction);
    return status == CARDAN_INCONSISTENT ? CARDAN_OK : status;
}

// Redundant rows are inconsistent off the constraints: what a correction does not halve remains.
cardan_status cd_project_velocities_exactly(cardan_data* d)
{
    cd_solve_info info      = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    cardan_status status    = CARDAN_OK;
    double        violation = cd_level_violation(d, true), velocity_scale = fmax(1, cd_velocity_norm_inf(d, d->v));
    bool          use_refinement = false;
    for (int i = 0; i < MAX_ITERATIONS && violation > cd_velocity_roundoff * velocity_scale; ++i) {
        status = cd_update_factor(d, &info);
        if (!status) status = min_norm_correction(d, use_refinement);
        if (status) return status;
        cd_apply_correction(d, true, d->solve.correction);
        const double violation_before = violation;
        violation                     = cd_level_violation(d, true);
        if (!isfinite(violation)) return CARDAN_NOT_FINITE;
        if (!(violation < violation_before)) cd_undo_correction(d, true, d->solve.correction);
        if (violation < cd_stalled_convergence_ratio * violation_before) continue;
        if (use_refinement) break;
        use_refinement = true;
        violation      = fmin(violation, violation_before);
    }
    return CARDAN_OK;
}

static cardan_status correct(cd_ode_system* system, void* work, cd_ode_state* x, cardan_report* report)
{
    (void)work;
    cardan_data*  d      = system->data;
    cardan_status status = cd_data_set_ode_state(system, x);
    if (status) return status;
    status = cd_project_velocities_exactly(d);
    if (status) return cd_fail_constraint_violation(d, true, status, report);
    memcpy(x->z, d->v, (size_t)system->nv * sizeof *x->z);
    return CARDAN_OK;
}

const cd_stabilization cd_stabilization_velocity = {
    .name     = "velocity",
    .summary  = "velocities satisfy the constraints to rounding in every evaluation; positions are integrated without "
                "correction",
    .citation = "Anderson, Critchley 2003, Multibody System Dynamics 9, section 3",
    .can_project_at_step_start         = true,
    .projects_velocity_each_evaluation = true,
    .correct                           = correct,
};
