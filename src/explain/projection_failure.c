// SPDX-License-Identifier: BSD-3-Clause
// Projection onto the constraints for users, and the message about constraints that could not be satisfied.
#include "explain/explain.h"

#include "constraint/curve/curve.h"
#include "core/check_arguments.h"
#include "dynamics/projection/project.h"
#include "dynamics/rows/constraint_update.h"
#include "explain/explain_tolerances.h"
#include "math/norm_inf.h"

#include <math.h>

// Constraint with the largest entry of x (nrow).
static const cd_constraint* most_violated_constraint(const cardan_data* d, const double* x)
{
    const cd_constraint* worst   = &d->constraints.constraint[0];
    double               largest = -1;
    for (int i = 0; i < d->constraints.nconstraint; ++i) {
        const cd_constraint* c         = &d->constraints.constraint[i];
        const double         violation = cd_norm_inf(c->nrow, x + c->first_row);
        if (violation <= (1 + cd_equal_share_tolerance) * largest) continue;
        largest = violation;
        worst   = c;
    }
    return worst;
}

cardan_status cd_fail_constraint_violation(cardan_data* d, bool velocity_level, cardan_status status,
                                           cardan_report* report)
{
    cd_update_constraint_values(d);
    const double*         x         = velocity_level ? d->constraints.rate : d->constraints.value;
    const cd_constraint*  c         = most_violated_constraint(d, x);
    const double          remaining = cd_norm_inf(c->nrow, x + c->first_row);
    char                  drivers[300];
    bool                  out_of_memory = false;
    const int             constraint    = (int)(c - d->constraints.constraint);
    const int             driver        = cd_drivers_by_power(d, constraint, drivers, sizeof drivers);
    const cardan_location location =
        driver == CARDAN_NONE ? cardan_location_none()
        : report              ? cd_driver_limit_location(d, constraint, drivers, sizeof drivers, &out_of_memory)
                              : d->constraints.constraint[driver].location;
    if (out_of_memory) return cd_fail_explanation_memory(d, report);
    if (driver != CARDAN_NONE)
        return cardan_fail(report, CARDAN_NOT_CONVERGED, CARDAN_CODE_DRIVER_LIMIT, location,
                           "%s cannot be followed at t = %.9g s: a violation of %.3g %s remains at %s '%s'; the "
                           "workspace ends there, or drivers conflict with each other",
                           drivers, d->t, remaining, velocity_level ? "m/s or rad/s" : "m or rad", c->category,
                           c->name);
    if (status != CARDAN_NOT_CONVERGED)
        return cardan_fail(
            report, status, CARDAN_CODE_PROJECTION_FAILED, c->location,
            "at t = %.9g s projection onto the constraints of '%s' fails, the violation is largest at %s '%s': %s",
            d->t, d->m->view.name, c->category, c->name, cardan_status_text(status));
    if (velocity_level && !c->curve && d->violations.position <= cd_visible_violation &&
        cd_fail_mass_ratio(d, status, report))
        return status;
    if (velocity_level)
        return cardan_fail(
            report, status, CARDAN_CODE_PROJECTION_FAILED, c->location,
            "%s '%s': at t = %.9g s the velocities do not satisfy it, a violation of %.3g m/s or rad/s remains%s",
            c->category, c->name, d->t, remaining,
            c->curve && cd_curve_has_corner(c->curve, c->driven_rows != 0)
                ? "; its curve has corners, which cause impulses: use a degree of 2 or more"
                : "");
    return cardan_fail(report, status, CARDAN_CODE_PROJECTION_FAILED, c->location,
                       "%s '%s': at t = %.9g s the positions do not satisfy it, a violation of %.3g m or rad remains",
                       c->category, c->name, d->t, remaining);
}

cardan_status cardan_data_project(cardan_data* d, const cardan_projection_options* options, double* q, double* v,
                                  cardan_projection_result* result, cardan_report* report)
{
    cd_failure failure;
    CD_REQUIRE_POINTER(d, "data", report);
    if (options && (isnan(options->position_tolerance) || isnan(options->velocity_tolerance)))
        return cd_fail_not_finite(report, __func__, "options");
    const cardan_status status = cd_project(d, options, q, v, result, &failure);
    if (status && report) cd_fail_constraint_violation(d, failure.velocity_level, status, report);
    return status;
}
