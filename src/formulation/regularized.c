// SPDX-License-Identifier: BSD-3-Clause
// Sequential regularization: loops are closed by soft rows over the tree, and the softness is iterated away. No matrix
// of the loops is ever factored by itself, so poses at which rows depend on each other are no exception. soft_rows.c
// has the iteration; here are the choice of epsilon and the verdict.
//
// Epsilon of the mobility that a row meets: rounding of the factor grows with 1/epsilon, softness with epsilon, and
// both are iterated away at the same pace at the root of the machine's precision. Rows that nearly depend on each other
// get a second chance with less. Beside the constraints, rows that depend on each other contradict each other by the
// gap, with pivots of its square: epsilon is kept well above these. Paper 001 (Ascher, Lin 1997).
// docs/theory/regularized.md.
#include "formulation/row_check.h"
#include "formulation/soft_rows.h"

#include <math.h>

static const double balanced = 1e-8, hard = 1e-11, hardest = 1e-13, softer = 1e-6, yielding = 100, above_gaps = 1e8,
                    softest = 1e-2, far_open = 1e-3;

// Far away from the constraints nothing is known of rows that depend on each other.
static double choose(const cd_rows* rows)
{
    const double apart = fmax(rows->gap < far_open ? rows->gap : 0, rows->misfit);
    return fmax(fmax(balanced, rows->doubt), fmin(softest, above_gaps * apart * apart));
}

// Beside rows as stiff as these a motion that is light by itself, as that of a small heavy body on a long arm, looks as
// if it had no inertia: softer ones tell.
static cardan_status factor(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, cd_where* where)
{
    cardan_status status = cd_soft_factor(m, k, rows, work, choose(rows), where);
    for (double part = softer; status == CARDAN_SINGULAR && rows->nrow > 0 && part <= softest; part *= yielding)
        if (part > choose(rows)) status = cd_soft_factor(m, k, rows, work, part, where);
    if (status != CARDAN_OK || rows->nrow == 0) return status;
    where->v = cd_soft_undetermined(m, rows, work);
    return where->v == CARDAN_NONE ? CARDAN_OK : CARDAN_SINGULAR;
}

static cardan_status solve_once(const cardan_model* m, const cd_rows* rows, cd_soft_rows* w, const real* r,
                                const real* gamma, real* a, real* lambda, cd_where* where)
{
    cd_soft_solve(m, rows, w, CD_SOFT_ITERATIONS, r, gamma, a, lambda);
    const cardan_status status = cd_check_twists(rows, w->A, gamma, cd_free_acceleration(m, r), where);
    if (status != CARDAN_OK || !cd_soft_unanswered(w)) return status;
    where->v = w->worst;
    return CARDAN_SINGULAR;
}

// With epsilon this small, light motions and singular poses that are all but reached drown in the rounding of stiff
// rows: what was less stiff is kept then.
static cardan_status solve_harder(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, cd_soft_rows* w,
                                  double part, const real* r, const real* gamma, real* a, real* lambda, cd_where* where)
{
    cardan_status status = cd_soft_factor(m, k, rows, w, part, where);
    if (status == CARDAN_OK) status = solve_once(m, rows, w, r, gamma, a, lambda, where);
    if (status != CARDAN_SINGULAR) return status;
    status = cd_soft_factor(m, k, rows, w, balanced, where);
    return status == CARDAN_OK ? solve_once(m, rows, w, r, gamma, a, lambda, where) : status;
}

// Rows may be too weak for the first choice of epsilon, and even for the second: ladders of some thousand cells are.
static cardan_status solve(const cardan_model* m, cd_kinematics* k, const cd_rows* rows, void* work, const real* r,
                           const real* gamma, real* a, real* lambda, cd_where* where)
{
    cd_soft_rows* w      = work;
    const double  free   = cd_free_acceleration(m, r);
    cardan_status status = solve_once(m, rows, w, r, gamma, a, lambda, where);
    if (status == CARDAN_INCONSISTENT && w->part == balanced)
        status = solve_harder(m, k, rows, w, rows->sharp > 0 ? hardest : hard, r, gamma, a, lambda, where);
    if (status == CARDAN_OK && w->part == hard && cd_soft_slow(w, free))
        status = solve_harder(m, k, rows, w, hardest, r, gamma, a, lambda, where);
    if (status == CARDAN_OK && cd_soft_slow(w, free)) return CARDAN_NOT_CONVERGED;
    return status == CARDAN_INCONSISTENT && w->iterations == CD_SOFT_ITERATIONS ? CARDAN_NOT_CONVERGED : status;
}

const cd_formulation cd_regularized = {
    .name      = "regularized",
    .summary   = "loops closed by soft rows, iterated until they are hard; passes singular poses",
    .reference = "Ascher, Lin 1997",
    .supports  = CD_TREE | CD_LOOPS | CD_REDUNDANT | CD_PASSES | CD_SOFTENS,
    .tree      = CARDAN_TREE_SHALLOW,
    .work_size = sizeof(cd_soft_rows),
    .analyse   = cd_soft_analyse,
    .release   = cd_soft_release,
    .layout    = cd_soft_layout,
    .factor    = factor,
    .solve     = solve,
    .change    = cd_soft_change,
    .strength  = cd_soft_strength,
    .weakest   = cd_soft_weakest,
};
