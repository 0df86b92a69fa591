// SPDX-License-Identifier: BSD-3-Clause
// Sequential regularization: compliant rows over the tree close the loops, and an iteration removes the compliance. No
// matrix of the loops is factored separately, so that configurations with dependent rows need no special treatment.
// compliant_rows.c contains the iteration; this file chooses epsilon and checks the result.
//
// Epsilon relative to the mobility of a row: round-off of the factor grows with 1/epsilon, compliance with epsilon, and
// the iteration removes both at the same rate at the square root of the machine precision. For nearly dependent rows
// the solve is repeated with a smaller epsilon. Off the constraints dependent rows contradict each other by the
// violation, with pivots of its square: epsilon remains well above these. Paper 001 (Ascher, Lin 1997).
// docs/theory/regularized.md.
#include "formulation/formulation_tolerances.h"
#include "formulation/safeguards/consistency_check.h"
#include "formulation/regularized/compliant_rows.h"

#include <math.h>

// Return epsilon. Far from the constraints nothing is known about dependent rows, and the violation is ignored.
static double choose_regularization(const cd_solve_policy* policy)
{
    const double violation =
        fmax(policy->violation < cd_dependent_row_violation_max ? policy->violation : 0, policy->redundancy_error);
    return fmax(fmax(cd_regularization_balanced, policy->pivot_floor),
                fmin(cd_regularization_max, cd_regularization_violation_factor_sq * violation * violation));
}

// Factor. Relative to rows this stiff a light motion, as that of a small heavy body on a long arm, seems to have no
// inertia: a larger epsilon decides.
static cardan_status factor(const cd_problem* p, void* work, cd_solve_info* info)
{
    const double  first  = choose_regularization(p->policy);
    cardan_status status = cd_compliant_factor(p, work, first, info);
    for (double regularization = cd_regularization_retry;
         status == CARDAN_SINGULAR && p->rows->nrow > 0 && regularization <= cd_regularization_max;
         regularization *= cd_regularization_retry_factor)
        if (regularization > first) status = cd_compliant_factor(p, work, regularization, info);
    if (status == CARDAN_OK && p->rows->nrow > 0) {
        info->failed_velocity = cd_compliant_find_undetermined(p, work);
        status                = info->failed_velocity == CARDAN_NONE ? CARDAN_OK : CARDAN_SINGULAR;
    }
    info->conditioning = cd_compliant_conditioning(p, work);
    return status;
}

static cardan_status solve_and_check(const cd_problem* p, cd_compliant_rows* w, const cd_right_sides* rhs,
                                     const cd_solution* x, cd_solve_info* info)
{
    cd_compliant_solve(p, w, CD_COMPLIANT_MAX_ITERATIONS, rhs->r, rhs->gamma, x->a, x->lambda);
    const cardan_status status =
        cd_check_consistency_on_twists(p, w->A, rhs->gamma, cd_free_acceleration_scale(p->m, rhs->r), info);
    if (status != CARDAN_OK || !cd_compliant_has_unresisted_force(w)) return status;
    info->failed_velocity = w->worst_velocity;
    return CARDAN_SINGULAR;
}

// Repeat with a smaller epsilon. Light motions, and singular configurations that are nearly reached, are then lost in
// the round-off of stiff rows: in this case the balanced epsilon is used again.
static cardan_status solve_with_smaller_regularization(const cd_problem* p, cd_compliant_rows* w, double regularization,
                                                       const cd_right_sides* rhs, const cd_solution* x,
                                                       cd_solve_info* info)
{
    cardan_status status = cd_compliant_factor(p, w, regularization, info);
    if (status == CARDAN_OK) status = solve_and_check(p, w, rhs, x, info);
    if (status != CARDAN_SINGULAR) return status;
    status = cd_compliant_factor(p, w, cd_regularization_balanced, info);
    return status == CARDAN_OK ? solve_and_check(p, w, rhs, x, info) : status;
}

// Solve. Rows may be too weak for the first epsilon, and even for the second, as in ladders of some thousand cells.
static cardan_status solve_accelerations(const cd_problem* p, cd_compliant_rows* w, const cd_right_sides* rhs,
                                         const cd_solution* x, cd_solve_info* info)
{
    const double  free_acceleration = cd_free_acceleration_scale(p->m, rhs->r);
    cardan_status status            = solve_and_check(p, w, rhs, x, info);
    if (status == CARDAN_INCONSISTENT && w->regularization == cd_regularization_balanced)
        status = solve_with_smaller_regularization(
            p, w, p->policy->rank == CD_RANK_BY_GEOMETRY ? cd_regularization_min : cd_regularization_small, rhs, x,
            info);
    if (status == CARDAN_OK && w->regularization == cd_regularization_small &&
        cd_compliant_is_slow(w, free_acceleration))
        status = solve_with_smaller_regularization(p, w, cd_regularization_min, rhs, x, info);
    if (status == CARDAN_OK && cd_compliant_is_slow(w, free_acceleration)) return CARDAN_NOT_CONVERGED;
    return status == CARDAN_INCONSISTENT && w->iterations == CD_COMPLIANT_MAX_ITERATIONS ? CARDAN_NOT_CONVERGED
                                                                                         : status;
}

static cardan_status solve(const cd_problem* p, void* work, const cd_right_sides* rhs, const cd_solution* x,
                           cd_solve_info* info)
{
    if (!rhs->r) {
        cd_compliant_solve_correction(p, work, rhs->s, x->dx);
        return CARDAN_OK;
    }
    const cardan_status status = solve_accelerations(p, work, rhs, x, info);
    info->conditioning         = cd_compliant_conditioning(p, work);
    return status;
}

const cd_formulation cd_regularized = {
    .name       = "regularized",
    .summary    = "loops closed by compliant rows, iterated until exact; passes singular configurations",
    .citation   = "Ascher, Lin 1997",
    .properties = CD_SUPPORTS_TREES | CD_SUPPORTS_LOOPS | CD_SUPPORTS_REDUNDANT_ROWS | CD_HANDLES_SINGULAR |
                  CD_COMPLIANT_ROWS | CD_REPORTS_PIVOTS | CD_SOLVES_CORRECTION,
    .tree_policy              = CARDAN_TREE_BREADTH_FIRST,
    .work_size                = sizeof(cd_compliant_rows),
    .analyse                  = cd_compliant_analyse,
    .release                  = cd_compliant_release,
    .layout                   = cd_compliant_layout,
    .factor                   = factor,
    .solve                    = solve,
    .smallest_singular_vector = cd_compliant_smallest_singular_vector,
};
