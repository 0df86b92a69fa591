// SPDX-License-Identifier: BSD-3-Clause
// Accelerations with a check of the result: the only place that solves twice. After a solve, the residual J a - gamma
// is checked; if rows fail, the rank test is repeated with other settings, and a residual that remains is an error
// unless the violation of the state or round-off explains it.
#include "dynamics/rank/robust_solve.h"

#include "dynamics/accelerate.h"
#include "dynamics/dynamics_tolerances.h"
#include "dynamics/rank/acceleration_residual.h"
#include "dynamics/rank/residual_tolerance.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/solve.h"
#include "dynamics/unit_scales.h"
#include "math/finite.h"

#include <math.h>
#include <string.h>

static bool satisfies_constraints(const cardan_data* d)
{
    return d->violations.position <= cd_projection_tolerance && !(d->settings.baumgarte_rate > 0);
}

// Solve again with the other rank test after rows that were treated as redundant are not satisfied.
// Reason: with masses of very different size, pivots of independent rows can be so small that they count as null.
// Acceptance: all rows hold, and the accelerations grow by no more than cd_max_acceleration_ratio; inconsistent rows
// would yield much larger ones by round-off. With a position violation, redundant rows pass a sharper pivot test as
// independent rows, but not the geometric test.
// *iteration_incomplete: the second solve ended by its iteration limit; the rows are not inconsistent either.
// Persistence: formulations with CD_GEOMETRIC_RANK_PERSISTENT keep the geometric test after it succeeded at a state on
// the constraints. Off the constraints the residual tolerance grows with the violation, so a row without a multiplier
// would pass the check and never be projected.
static cardan_status retry_with_other_rank_test(cardan_data* d, double* a, cardan_status status, cd_solve_info* info,
                                                bool* iteration_incomplete)
{
    const double  size_before = cd_max(1, cd_velocity_norm_inf(d, a));
    cd_solve_info retry_info  = *info;
    if (d->settings.near_singular || d->policy.pivot_floor > 0 || d->settings.velocity_damping_rate > 0) return status;
    const bool      was_sharp      = d->history.use_sharp_rank_test;
    cd_solve_policy policy         = d->policy;
    policy.rank                    = was_sharp ? CD_RANK_BY_PIVOTS : CD_RANK_BY_GEOMETRY;
    d->valid.factor                = false;
    cardan_status retry_status     = cd_factor_and_solve(d, &policy, a, &retry_info);
    d->history.use_sharp_rank_test = false;
    d->policy.rank = policy.rank            = CD_RANK_BY_PIVOTS;
    info->conditioning                      = retry_info.conditioning;
    const cd_acceleration_residual residual = cd_compute_acceleration_residual(d, a, cd_relative_row_tolerance);
    if (retry_status == CARDAN_OK && cd_relative_residual(&residual, 1) < cd_relative_row_tolerance &&
        cd_velocity_norm_inf(d, a) <= cd_max_acceleration_ratio * size_before) {
        d->history.use_sharp_rank_test =
            !was_sharp && satisfies_constraints(d) && d->formulation->properties & CD_GEOMETRIC_RANK_PERSISTENT;
        return CARDAN_OK;
    }
    if (was_sharp) return retry_status == CARDAN_OK ? status : retry_status;
    *iteration_incomplete = retry_status == CARDAN_NOT_CONVERGED;
    d->valid.factor       = false;
    retry_status          = cd_factor_and_solve(d, &policy, a, info);
    return retry_status == CARDAN_OK ? status : retry_status;
}

// Check whether the rows hold with the accelerations of a solve, or of an abandoned iteration. Returns the status,
// the residual and its row. *iteration_incomplete: an iteration was still reducing the residual. Near a singular
// configuration a row that is dependent only there fails the general test, and iterations do not converge; the
// integrator accepts rows that hold to cd_near_singular_row_tolerance.
static cardan_status check_row_residuals(cardan_data* d, double* a, cardan_status status, cd_solve_info* info,
                                         cd_acceleration_residual* residual, bool* iteration_incomplete)
{
    const cd_formulation* f = d->formulation;
    if (!info->residual_checked) cd_update_gamma_scale(d);
    if (status == CARDAN_INCONSISTENT && d->rows.gamma_scale > 0) status = cd_solve_accelerations(d, a, info);
    *residual = (cd_acceleration_residual){.row = info->failed_row};
    if (status == CARDAN_OK && d->rows.nrow == 0) return CARDAN_OK;
    if (status == CARDAN_OK && !info->residual_checked)
        *residual = cd_compute_acceleration_residual(d, a, cd_relative_row_tolerance);
    if (f->properties & CD_APPROXIMATE)
        residual->term_scale = fmax(residual->term_scale, 1); // compliant rows: absolute scale of 1
    if (cd_residual_is_significant(residual)) status = CARDAN_INCONSISTENT;
    if (residual->row != CARDAN_NONE) info->failed_row = residual->row;
    if (satisfies_constraints(d) &&
        (status == CARDAN_INCONSISTENT ||
         (cd_relative_residual(residual, 1) > cd_redundant_row_tolerance(&d->policy, cd_relative_row_tolerance) &&
          d->policy.residual_tolerance == 0)))
        status = retry_with_other_rank_test(d, a, status, info, iteration_incomplete);
    if (status != CARDAN_INCONSISTENT) return status;
    *residual = cd_compute_acceleration_residual(d, a, cd_relative_row_tolerance);
    if (cd_residual_is_explained(d, residual) ||
        (d->settings.near_singular && cd_relative_residual(residual, 1) < cd_near_singular_row_tolerance))
        return CARDAN_OK;
    return !satisfies_constraints(d) && f->properties & CD_GEOMETRIC_RANK
               ? retry_with_other_rank_test(d, a, status, info, iteration_incomplete)
               : status;
}

static cardan_status fail(const cardan_data* d, cardan_status status, cardan_code code, const cd_solve_info* info,
                          cd_failure* failure)
{
    *failure = (cd_failure){.status   = status,
                            .code     = code,
                            .row      = info->failed_row,
                            .velocity = info->failed_velocity,
                            .residual = info->residual,
                            .t        = d->t};
    return status;
}

// A failed solve; a state that is not finite is its cause if there is one.
static cardan_status fail_solve(const cardan_data* d, cardan_status status, const cd_solve_info* info,
                                cd_failure* failure)
{
    if (!cd_all_finite(d->m->nq, d->q)) {
        const cd_solve_info none = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
        return fail(d, CARDAN_NOT_FINITE, CARDAN_CODE_NOT_FINITE, &none, failure);
    }
    const bool jammed = status == CARDAN_NOT_CONVERGED && d->constraints.nlossy > 0;
    return fail(d, status,
                status == CARDAN_SINGULAR       ? CARDAN_CODE_ZERO_INERTIA
                : status == CARDAN_INCONSISTENT ? CARDAN_CODE_INCONSISTENT_CONSTRAINTS
                : jammed                        ? CARDAN_CODE_GEAR_JAMMED
                                                : CARDAN_CODE_SOLVE_NOT_CONVERGED,
                info, failure);
}

static cardan_status check_finite(const cardan_data* d, const double* a, cd_failure* failure)
{
    cd_solve_info info = {.failed_velocity = 0, .failed_row = CARDAN_NONE};
    if (cd_all_finite(d->m->nv, a)) return CARDAN_OK;
    while (isfinite(a[info.failed_velocity])) ++info.failed_velocity;
    return fail(d, CARDAN_NOT_FINITE, CARDAN_CODE_NOT_FINITE, &info, failure);
}

static void store_state_rates(const cardan_data* d, double* state_rate)
{
    if (state_rate)
        memcpy(state_rate, d->forces.formula_value + 3 * d->m->view.nforce, (size_t)d->m->nstate * sizeof *state_rate);
}

// Solve again with the reactions that forces read.
static cardan_status include_reaction_loads(cardan_data* d, double* a, double* state_rate, cd_solve_info* info,
                                            cd_failure* failure)
{
    cardan_code         code;
    const cardan_status status = cd_solve_reaction_loads(d, a, info, &code);
    store_state_rates(d, state_rate);
    d->valid.solution = status == CARDAN_OK;
    return status == CARDAN_OK ? check_finite(d, a, failure) : fail(d, status, code, info, failure);
}

// Add the forces of the closed contacts.
static cardan_status include_contacts(cardan_data* d, double* a, const cd_solve_info* info, cd_failure* failure)
{
    const cardan_status status = cd_contacts_accelerate(d, a);
    d->valid.solution          = status == CARDAN_OK;
    return status == CARDAN_OK ? check_finite(d, a, failure)
                               : fail(d, status, CARDAN_CODE_CONTACT_NOT_SOLVED, info, failure);
}

cardan_status cd_accelerate_robust(cardan_data* d, double* a, double* state_rate, cd_failure* failure)
{
    const cd_solve_policy* policy = cd_update_policy(d);
    cd_solve_info          info   = {
                   .failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE, .conditioning = d->history.conditioning};
    cd_acceleration_residual residual;
    bool                     iteration_incomplete = false;
    if (d->settings.undecidable_rank_message)
        return fail(d, CARDAN_INCONSISTENT, CARDAN_CODE_UNDECIDABLE_RANK, &info, failure);
    if (d->reaction_loads.n > 0) cd_clear_reaction_loads(d);
    cardan_status status = cd_accelerate(d, policy, a, &info);
    store_state_rates(d, state_rate);
    if (status == CARDAN_NOT_CONVERGED && d->settings.near_singular && info.residual_checked) status = CARDAN_OK;
    // the caller repeats without a frozen rank
    if (policy->rank == CD_RANK_FROZEN && (status || !info.residual_checked))
        return fail(d, CARDAN_INCONSISTENT, CARDAN_CODE_STATUS_ONLY, &info, failure);
    if (!info.residual_checked || status) cd_blocked_store_rows(d);
    d->history.conditioning = info.conditioning;
    d->valid.solution       = false;
    if (status == CARDAN_SINGULAR) return fail_solve(d, status, &info, failure);
    status                  = check_row_residuals(d, a, status, &info, &residual, &iteration_incomplete);
    d->history.conditioning = info.conditioning;
    d->valid.solution       = status == CARDAN_OK;
    if (status == CARDAN_OK && d->constraints.nlossy > 0) status = cd_apply_gear_losses(d, a, &info);
    if (status == CARDAN_OK && d->contacts) return include_contacts(d, a, &info, failure);
    if (status == CARDAN_OK && d->reaction_loads.n > 0) return include_reaction_loads(d, a, state_rate, &info, failure);
    if (status == CARDAN_INCONSISTENT && cd_residual_is_drift(d, &residual))
        return fail(d, status, CARDAN_CODE_CONSTRAINT_DRIFT, &info, failure);
    if (status == CARDAN_INCONSISTENT && iteration_incomplete) status = CARDAN_NOT_CONVERGED;
    return status == CARDAN_OK ? check_finite(d, a, failure) : fail_solve(d, status, &info, failure);
}
