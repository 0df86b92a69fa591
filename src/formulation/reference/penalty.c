// SPDX-License-Identifier: BSD-3-Clause
// Penalty method: rows are compliant, without iteration,
//
//   (M + J'J/epsilon) a = r + J'gamma/epsilon,     lambda = (J a - gamma)/epsilon
//
// which is the first iteration of `regularized` (compliant_rows.c). Accelerations and rows have errors of about
// epsilon; a smaller epsilon would lose as many digits to round-off. Reference implementation for sequential
// regularization. Bayo, Garcia de Jalon, Serna 1988, Comp. Meth. Appl. Mech. Eng. 71; paper 001 (Ascher, Lin), equation
// 3.4.
#include "formulation/formulation_tolerances.h"
#include "formulation/regularized/compliant_rows.h"

static cardan_status factor(const cd_problem* p, void* work, cd_solve_info* info)
{
    const cardan_status status = cd_compliant_factor(p, work, cd_penalty_regularization, info);
    if (status != CARDAN_OK || p->rows->nrow == 0) return status;
    info->failed_velocity = cd_compliant_find_undetermined(p, work);
    return info->failed_velocity == CARDAN_NONE ? CARDAN_OK : CARDAN_SINGULAR;
}

static cardan_status solve(const cd_problem* p, void* work, const cd_right_sides* rhs, const cd_solution* x,
                           cd_solve_info* info)
{
    (void)info;
    cd_compliant_solve(p, work, 1, rhs->r, rhs->gamma, x->a, x->lambda);
    return CARDAN_OK;
}

const cd_formulation cd_penalty = {
    .name       = "penalty",
    .summary    = "loops closed by compliant rows without iteration: not exact",
    .citation   = "Bayo, Garcia de Jalon, Serna 1988; Ascher, Lin 1997, equation 3.4",
    .properties = CD_SUPPORTS_TREES | CD_SUPPORTS_LOOPS | CD_SUPPORTS_REDUNDANT_ROWS | CD_REFERENCE_IMPLEMENTATION |
                  CD_APPROXIMATE,
    .tree_policy = CARDAN_TREE_BREADTH_FIRST,
    .work_size   = sizeof(cd_compliant_rows),
    .analyse     = cd_compliant_analyse,
    .release     = cd_compliant_release,
    .layout      = cd_compliant_layout,
    .factor      = factor,
    .solve       = solve,
};
