// SPDX-License-Identifier: BSD-3-Clause
// Calls of the formulation: factorization and solves at the state of the data, without a check of the result.
#include "dynamics/solve.h"

#include "dynamics/rows/constraint_update.h"
#include "math/norm_inf.h"

#include <math.h>

const cd_solve_policy* cd_update_policy(cardan_data* d)
{
    const bool by_geometry =
        d->history.use_sharp_rank_test && !d->settings.near_singular && !(d->policy.pivot_floor > 0);
    if (d->policy.rank != CD_RANK_FROZEN) d->policy.rank = by_geometry ? CD_RANK_BY_GEOMETRY : CD_RANK_BY_PIVOTS;
    return &d->policy;
}

// Complete the policy by the violation of the state.
static void set_policy(cardan_data* d, const cd_solve_policy* policy)
{
    if (policy != &d->policy) d->policy = *policy;
    d->policy.violation          = d->settings.assume_full_rank ? 0 : d->violations.position;
    d->policy.unscaled_violation = d->settings.assume_full_rank ? 0 : d->violations.position_si;
}

static cardan_status factor(cardan_data* d, const cd_solve_policy* policy, cd_solve_info* info)
{
    const cd_formulation* f = d->formulation;
    if (d->valid.factor) return CARDAN_OK;
    cd_update_rows(d);
    if (d->constraints.singular_constraint != CARDAN_NONE) return CARDAN_SINGULAR;
    set_policy(d, policy);
    const cd_problem problem = cd_problem_of(d);
    if (f->assemble) f->assemble(&problem, d->formulation_work);
    const cardan_status status = f->factor(&problem, d->formulation_work, info);
    d->valid.factor = d->history.has_factor = status == CARDAN_OK;
    ++d->solve.nfactorization;
    return status;
}

cardan_status cd_update_factor(cardan_data* d, cd_solve_info* info) { return factor(d, cd_update_policy(d), info); }

cardan_status cd_solve_with_factor(cardan_data* d, const double* r, const double* gamma, double* a, double* lambda,
                                   cd_solve_info* info)
{
    const cd_problem problem = cd_problem_of(d);
    return d->formulation->solve(&problem, d->formulation_work, &(cd_right_sides){.r = r, .gamma = gamma},
                                 &(cd_solution){.a = a, .lambda = lambda}, info);
}

cardan_status cd_solve_correction(cardan_data* d, const double* s, double* dx)
{
    cd_solve_info    info    = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    const cd_problem problem = cd_problem_of(d);
    return d->formulation->properties & CD_SOLVES_CORRECTION
               ? d->formulation->solve(&problem, d->formulation_work, &(cd_right_sides){.s = s},
                                       &(cd_solution){.dx = dx}, &info)
               : cd_solve_with_factor(d, d->scratch.zero_nv, s, dx, d->solve.correction_multiplier, &info);
}

cardan_status cd_min_norm_correction(cardan_data* d, const double* s, double* dx)
{
    const cardan_status status = cd_solve_correction(d, s, dx);
    if (status != CARDAN_OK && status != CARDAN_INCONSISTENT) return status;
    return isfinite(cd_norm_inf(d->m->nv, dx)) ? CARDAN_OK : CARDAN_NOT_FINITE;
}

void cd_set_correction_rhs(cardan_data* d, bool velocity_level)
{
    const double* c = velocity_level ? d->constraints.rate : d->constraints.value;
    for (int i = 0; i < d->solver_rows.nrow; ++i) d->solve.row_rhs[i] = i < d->rows.nrow ? -c[i] : 0;
}

cardan_status cd_solve_accelerations(cardan_data* d, double* a, cd_solve_info* info)
{
    const cd_formulation* f       = d->formulation;
    const cd_problem      problem = cd_problem_of(d);
    d->valid.correction = d->settings.want_position_correction && f->properties & CD_CORRECTION_WITH_ACCELERATIONS;
    if (d->valid.correction) cd_set_correction_rhs(d, false);
    if (cd_uses_link_wrenches(f, d->m, &d->solver_rows) && !d->valid.link_wrenches_not_summed) {
        cd_link_wrenches(d->m, &d->k, d->v, 0, d->m->nlink);
        d->valid.link_wrenches_not_summed = true;
    }
    const cd_right_sides right_sides = {d->solve.r, d->solve.gamma, d->forces.effort,
                                        d->forces.has_wrenches ? d->forces.wrench : NULL,
                                        d->valid.correction ? d->solve.row_rhs : NULL};
    return f->solve(&problem, d->formulation_work, &right_sides,
                    &(cd_solution){a, d->solve.lambda, d->solve.correction}, info);
}

// Factorization and solve in one sweep over the mechanism.
static cardan_status solve_fused(cardan_data* d, double* a, cd_solve_info* info)
{
    d->valid.correction = d->settings.want_position_correction;
    if (d->blocked.active)
        d->solver_rows.stream = &d->blocked.row_stream;
    else if (d->valid.correction)
        cd_set_correction_rhs(d, false);
    const cd_problem     problem     = cd_problem_of(d);
    const cd_right_sides right_sides = {
        .r = d->solve.r, .gamma = d->solve.gamma, .s = d->valid.correction ? d->solve.row_rhs : NULL};
    const cardan_status status = d->formulation->factor_and_solve(
        &problem, d->formulation_work, &right_sides,
        &(cd_solution){a, d->solve.lambda, d->valid.correction ? d->solve.correction : NULL}, info);
    d->solver_rows.stream = NULL;
    cd_blocked_finish(d);
    d->valid.factor = d->history.has_factor = status != CARDAN_SINGULAR;
    ++d->solve.nfactorization;
    return d->constraints.singular_constraint != CARDAN_NONE ? CARDAN_SINGULAR : status;
}

cardan_status cd_factor_and_solve(cardan_data* d, const cd_solve_policy* policy, double* a, cd_solve_info* info)
{
    if (d->valid.factor || !d->formulation->factor_and_solve) {
        const cardan_status status = factor(d, policy, info);
        return status == CARDAN_OK ? cd_solve_accelerations(d, a, info) : status;
    }
    if (d->constraints.singular_constraint != CARDAN_NONE) return CARDAN_SINGULAR;
    set_policy(d, policy);
    return solve_fused(d, a, info);
}

int cardan_data_redundant_rows(cardan_data* d, int most, int* row, double* ratio)
{
    cd_solve_info info  = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    double        found = 1;
    int           count = 0;
    if (!d || (most > 0 && !row)) return -1;
    if (!d->formulation || !d->formulation->pivots || cd_update_factor(d, &info) != CARDAN_OK) return -1;
    const cd_problem problem = cd_problem_of(d);
    d->formulation->pivots(&problem, d->formulation_work, d->solve.redundant_row, &found);
    for (int i = 0; i < d->constraints.nconstraint; ++i)
        for (int k = 0; k < d->constraints.constraint[i].nrow; ++k) {
            const int r = d->constraints.constraint[i].first_row + k;
            if (!d->solve.redundant_row[r] || d->settings.is_constraint_disabled[i]) continue;
            if (count < most) row[count] = r;
            ++count;
        }
    if (ratio) *ratio = found;
    return count;
}
