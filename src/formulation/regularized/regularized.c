// SPDX-License-Identifier: BSD-3-Clause
// Sequential regularization: loops are closed by soft rows over the tree, and the softness is iterated away. No matrix
// of the loops is ever factored by itself, so poses at which rows depend on each other are no exception. compliant_rows.c
// has the iteration; here are the choice of epsilon and the verdict.
//
// Epsilon of the mobility that a row meets: rounding of the factor grows with 1/epsilon, softness with epsilon, and
// both are iterated away at the same pace at the root of the machine's precision. Rows that nearly depend on each other
// get a second chance with less. Beside the constraints, rows that depend on each other contradict each other by the
// gap, with pivots of its square: epsilon is kept well above these. Paper 001 (Ascher, Lin 1997).
// docs/theory/regularized.md.
#include "formulation/robust/consistency_check.h"
#include "formulation/regularized/compliant_rows.h"

#include <math.h>

static const double regularization_balanced = 1e-8, regularization_small = 1e-11, regularization_min = 1e-13,
                    regularization_retry = 1e-6, regularization_retry_factor = 100, violation_sq_factor = 1e8,
                    regularization_max = 1e-2, violation_limit = 1e-3;

// Far away from the constraints nothing is known of rows that depend on each other.
static double choose_regularization(const cd_rows* rows)
{
    const double violation = fmax(rows->violation < violation_limit ? rows->violation : 0, rows->redundancy_error);
    return fmax(fmax(regularization_balanced, rows->pivot_floor),
                fmin(regularization_max, violation_sq_factor * violation * violation));
}

// Beside rows as stiff as these a motion that is light by itself, as that of a small heavy body on a long arm, looks as
// if it had no inertia: softer ones tell.
static cardan_status factor(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work,
                            cd_solve_info* info)
{
    cardan_status status = cd_compliant_factor(m, k, rows, work, choose_regularization(rows), info);
    for (double regularization = regularization_retry;
         status == CARDAN_SINGULAR && rows->nrow > 0 && regularization <= regularization_max;
         regularization *= regularization_retry_factor)
        if (regularization > choose_regularization(rows))
            status = cd_compliant_factor(m, k, rows, work, regularization, info);
    if (status != CARDAN_OK || rows->nrow == 0) return status;
    info->v = cd_compliant_find_undetermined(m, rows, work);
    return info->v == CARDAN_NONE ? CARDAN_OK : CARDAN_SINGULAR;
}

static cardan_status solve_and_check(const cardan_model* m, const cd_rows* rows, cd_compliant_rows* w, const real* r,
                                     const real* gamma, real* a, real* lambda, cd_solve_info* info)
{
    cd_compliant_solve(m, rows, w, CD_COMPLIANT_MAX_ITERATIONS, r, gamma, a, lambda);
    const cardan_status status =
        cd_check_consistency_on_twists(rows, w->A, gamma, cd_free_acceleration_scale(m, r), info);
    if (status != CARDAN_OK || !cd_compliant_has_unresisted_force(w)) return status;
    info->v = w->worst_velocity;
    return CARDAN_SINGULAR;
}

// With epsilon this small, light motions and singular poses that are all but reached drown in the rounding of stiff
// rows: what was less stiff is kept then.
static cardan_status solve_with_smaller_regularization(const cardan_model* m, cd_kinematics* k, const cd_rows* rows,
                                                       cd_compliant_rows* w, double regularization, const real* r,
                                                       const real* gamma, real* a, real* lambda, cd_solve_info* info)
{
    cardan_status status = cd_compliant_factor(m, k, rows, w, regularization, info);
    if (status == CARDAN_OK) status = solve_and_check(m, rows, w, r, gamma, a, lambda, info);
    if (status != CARDAN_SINGULAR) return status;
    status = cd_compliant_factor(m, k, rows, w, regularization_balanced, info);
    return status == CARDAN_OK ? solve_and_check(m, rows, w, r, gamma, a, lambda, info) : status;
}

// Rows may be too weak for the first choice of epsilon, and even for the second: ladders of some thousand cells are.
static cardan_status solve(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                           const real* gamma, real* a, real* lambda, cd_solve_info* info)
{
    cd_compliant_rows* w                 = work;
    const double       free_acceleration = cd_free_acceleration_scale(m, r);
    cardan_status      status            = solve_and_check(m, rows, w, r, gamma, a, lambda, info);
    if (status == CARDAN_INCONSISTENT && w->regularization == regularization_balanced)
        status = solve_with_smaller_regularization(
            m, k, rows, w, rows->rank_tolerance_factor > 0 ? regularization_min : regularization_small, r, gamma, a,
            lambda, info);
    if (status == CARDAN_OK && w->regularization == regularization_small && cd_compliant_is_slow(w, free_acceleration))
        status = solve_with_smaller_regularization(m, k, rows, w, regularization_min, r, gamma, a, lambda, info);
    if (status == CARDAN_OK && cd_compliant_is_slow(w, free_acceleration)) return CARDAN_NOT_CONVERGED;
    return status == CARDAN_INCONSISTENT && w->iterations == CD_COMPLIANT_MAX_ITERATIONS ? CARDAN_NOT_CONVERGED
                                                                                         : status;
}

const cd_formulation cd_regularized = {
    .name                     = "regularized",
    .summary                  = "loops closed by soft rows, iterated until they are hard; passes singular poses",
    .reference                = "Ascher, Lin 1997",
    .supports                 = CD_TREE | CD_LOOPS | CD_REDUNDANT | CD_HANDLES_SINGULAR | CD_COMPLIANT_ROWS,
    .tree_policy              = CARDAN_TREE_BREADTH_FIRST,
    .work_size                = sizeof(cd_compliant_rows),
    .analyse                  = cd_compliant_analyse,
    .release                  = cd_compliant_release,
    .layout                   = cd_compliant_layout,
    .factor                   = factor,
    .solve                    = solve,
    .solve_correction         = cd_compliant_solve_correction,
    .conditioning             = cd_compliant_conditioning,
    .smallest_singular_vector = cd_compliant_smallest_singular_vector,
};
