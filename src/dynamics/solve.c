// SPDX-License-Identifier: BSD-3-Clause
// Calls of the formulation: factorization and solves at the state of the data, without a check of the result.
#include "dynamics/solve.h"

#include "dynamics/rows/constraint_update.h"
#include "math/norm_inf.h"

#include <math.h>

// Factor on the tolerance of null pivots, for masses of very different size, which make the pivots of independent
// rows small.
static const double sharp_rank_factor = 1e-3;

static void set_rank_tolerance_factor(cardan_data* d)
{
    d->solver_rows.rank_tolerance_factor =
        d->use_sharp_rank_test && !d->near_singular && !(d->solver_rows.pivot_floor > 0) ? sharp_rank_factor : 0;
}

cardan_status cd_update_factor(cardan_data* d, cd_solve_info* info)
{
    const cd_formulation* f = d->formulation;
    if (d->factor_valid) return CARDAN_OK;
    cd_update_rows(d);
    set_rank_tolerance_factor(d);
    if (d->constraints.singular_constraint != CARDAN_NONE) return CARDAN_SINGULAR;
    d->solver_rows.violation          = d->assume_full_rank ? 0 : d->rows.violation;
    d->solver_rows.unscaled_violation = d->assume_full_rank ? 0 : d->rows.unscaled_violation;
    cardan_status status = f->assemble ? f->assemble(d->m, &d->k, &d->solver_rows, d->formulation_work) : CARDAN_OK;
    if (status == CARDAN_OK) status = f->factor(d->m, &d->k, &d->solver_rows, d->formulation_work, info);
    d->factor_valid = d->has_factor = status == CARDAN_OK;
    ++d->nfactorization;
    return status;
}

cardan_status cd_solve_with_factor(cardan_data* d, const double* r, const double* s, double* x, double* y,
                                   cd_solve_info* info)
{
    return d->formulation->solve(d->m, &d->k, &d->solver_rows, d->formulation_work, r, s, x, y, info);
}

cardan_status cd_min_norm_correction(cardan_data* d, const double* s, double* dx)
{
    const cd_formulation* f      = d->formulation;
    cardan_status         status = CARDAN_OK;
    cd_solve_info         info   = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    if (f->solve_correction)
        f->solve_correction(d->m, &d->solver_rows, d->formulation_work, s, dx);
    else
        status = cd_solve_with_factor(d, d->zero_nv, s, dx, d->correction_multiplier, &info);
    if (status != CARDAN_OK && status != CARDAN_INCONSISTENT) return status;
    return isfinite(cd_norm_inf(d->m->nv, dx)) ? CARDAN_OK : CARDAN_NOT_FINITE;
}

// Right-hand side of the position correction: s = -c, 0 for rotor rows.
static void set_correction_rhs(cardan_data* d)
{
    for (int i = 0; d->correction_valid && i < d->solver_rows.nrow; ++i)
        d->row_rhs[i] = i < d->rows.nrow ? -d->constraints.value[i] : 0;
}

cardan_status cd_solve_accelerations(cardan_data* d, double* a, cd_solve_info* info)
{
    const cd_formulation* f = d->formulation;
    d->correction_valid     = d->want_position_correction && f->solve_with_correction;
    set_correction_rhs(d);
    if (cd_uses_link_wrenches(f, d->m, &d->solver_rows) && !d->link_wrenches_not_summed) {
        cd_link_wrenches(d->m, &d->k, d->v, 0, d->m->nlink);
        d->link_wrenches_not_summed = true;
    }
    if (f->set_link_wrenches)
        f->set_link_wrenches(d->m, &d->k, d->formulation_work, d->effort, d->has_wrenches ? d->wrench : NULL);
    if (!d->correction_valid) return cd_solve_with_factor(d, d->r, d->gamma, a, d->lambda, info);
    return f->solve_with_correction(d->m, &d->solver_rows, d->formulation_work, d->r, d->gamma, a, d->lambda, info,
                                    d->row_rhs, d->correction);
}

cardan_status cd_factor_and_solve(cardan_data* d, double* a, cd_solve_info* info)
{
    const cd_formulation* f = d->formulation;
    if (d->factor_valid || !f->factor_and_solve) {
        const cardan_status status = cd_update_factor(d, info);
        return status == CARDAN_OK ? cd_solve_accelerations(d, a, info) : status;
    }
    if (d->constraints.singular_constraint != CARDAN_NONE) return CARDAN_SINGULAR;
    set_rank_tolerance_factor(d);
    d->solver_rows.violation          = d->assume_full_rank ? 0 : d->rows.violation;
    d->solver_rows.unscaled_violation = d->assume_full_rank ? 0 : d->rows.unscaled_violation;
    d->correction_valid               = d->want_position_correction;
    if (d->blocked.active)
        d->solver_rows.stream = &d->blocked.row_stream;
    else
        set_correction_rhs(d);
    const cardan_status status =
        f->factor_and_solve(d->m, &d->k, &d->solver_rows, d->formulation_work, d->r, d->gamma, a, d->lambda, info,
                            d->correction_valid ? d->row_rhs : NULL, d->correction_valid ? d->correction : NULL);
    d->solver_rows.stream = NULL;
    cd_blocked_finish(d);
    d->factor_valid = d->has_factor = status != CARDAN_SINGULAR;
    ++d->nfactorization;
    return d->constraints.singular_constraint != CARDAN_NONE ? CARDAN_SINGULAR : status;
}

int cardan_redundant_rows(cardan_data* d, int most, int* row, double* ratio)
{
    cd_solve_info info  = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    double        found = 1;
    int           count = 0;
    if (!d || (most > 0 && !row)) return -1;
    if (!d->formulation || !d->formulation->pivots || cd_update_factor(d, &info) != CARDAN_OK) return -1;
    d->formulation->pivots(d->m, &d->solver_rows, d->formulation_work, d->redundant_row, &found);
    for (int i = 0; i < d->constraints.nconstraint; ++i)
        for (int k = 0; k < d->constraints.constraint[i].nrow; ++k) {
            const int r = d->constraints.constraint[i].first_row + k;
            if (!d->redundant_row[r] || d->is_constraint_disabled[i]) continue;
            if (count < most) row[count] = r;
            ++count;
        }
    if (ratio) *ratio = found;
    return count;
}
