// SPDX-License-Identifier: BSD-3-Clause
// Constraints at the state: values, rates, rows of J and the right-hand side gamma of J a = gamma, and the violation.

#include "dynamics/rows/constraint_update.h"

#include "core/check_arguments.h"
#include "dynamics/forces.h"
#include "dynamics/rank/negligible_constraint.h"
#include "dynamics/rows/constraint_enable.h"
#include "dynamics/state.h"
#include "dynamics/unit_scales.h"
#include "math/norm_inf.h"

#include <cardan/assemble.h>

// Evaluate values and rates; with `rows` also the Jacobian; with `gamma` also the start of gamma, which needs the
// world accelerations at a = 0. Returns whether gamma was started.
static bool update_constraint_values(cardan_data* d, bool rows, bool gamma)
{
    if (!d->blocked.active) cd_blocked_store_rows(d);
    if (d->valid.constraint_values || d->solver_rows.nrow == 0) return false;
    cd_update_world(d);
    if (rows && !d->valid.rows) {
        cd_constraint_set_evaluate_with_jacobian(d->m, &d->k, &d->world, &d->constraints,
                                                 gamma ? d->solve.gamma : NULL);
        cd_constraint_set_evaluate_with_jacobian(d->m, &d->k, &d->world, &d->rotors,
                                                 gamma ? d->solve.gamma + d->rows.nrow : NULL);
    } else {
        cd_constraint_set_evaluate(&d->world, &d->constraints);
        cd_constraint_set_evaluate(&d->world, &d->rotors);
        rows = false;
    }
    if (d->settings.has_disabled_constraint) cd_zero_disabled_values(d);
    d->violations.position_si  = cd_norm_inf(d->rows.nrow, d->constraints.value);
    d->violations.velocity_si  = cd_norm_inf(d->rows.nrow, d->constraints.rate);
    d->valid.constraint_values = true;
    if (d->units.row_unit_inverse && !d->history.row_units_known) cd_update_row_unit_inverse(d);
    d->violations.position = d->units.row_unit_inverse ? cd_row_norm_inf(d, 0, d->rows.nrow, d->constraints.value)
                                                       : d->violations.position_si;
    d->violations.velocity = d->units.row_unit_inverse ? cd_row_norm_inf(d, 0, d->rows.nrow, d->constraints.rate)
                                                       : d->violations.velocity_si;
    if (!rows) return false;
    d->valid.rows = true;
    return gamma;
}

void cd_update_constraint_values(cardan_data* d) { update_constraint_values(d, false, false); }
void cd_update_constraint_values_and_rows(cardan_data* d) { update_constraint_values(d, true, false); }

static void add_baumgarte_terms(const cardan_data* d, int n, const double* value, const double* rate, double* gamma)
{
    const double damping   = 2 * d->settings.baumgarte_rate + d->settings.velocity_damping_rate,
                 stiffness = d->settings.baumgarte_rate * d->settings.baumgarte_rate;
    for (int i = 0; damping > 0 && i < n; ++i) gamma[i] -= damping * rate[i] + stiffness * value[i];
}

// In maximal coordinates the world accelerations at a = 0 vanish.
void cd_update_gamma_range(cardan_data* d, int first, int n, const cd_constraint_equations* equations)
{
    for (int i = 0; i < n; ++i) d->solve.gamma[first + i] = -equations->h[i];
    add_baumgarte_terms(d, n, equations->value, equations->rate, d->solve.gamma + first);
}

// accelerations_are_zero: the world accelerations are already those at a = 0. gamma_started: gamma is complete except
// for the Baumgarte terms.
static void update_gamma(cardan_data* d, bool accelerations_are_zero, bool gamma_started)
{
    const cd_world_motion* world = d->m->policy == CARDAN_TREE_MAXIMAL ? NULL : &d->world;
    if (world && !accelerations_are_zero) cd_world_accelerations(d->m, &d->k, d->v, d->scratch.zero_nv, &d->world);
    if (!gamma_started) {
        cd_constraint_set_gamma(world, &d->constraints, d->solve.gamma);
        cd_constraint_set_gamma(world, &d->rotors, d->solve.gamma + d->rows.nrow);
    }
    add_baumgarte_terms(d, d->rows.nrow, d->constraints.value, d->constraints.rate, d->solve.gamma);
    d->rows.gamma_scale = d->solver_rows.gamma_scale = 0;
    d->valid.gamma                                   = true;
}

void cd_update_gamma_scale(cardan_data* d)
{
    if (d->rows.gamma_scale > 0 || d->rows.nrow == 0) return;
    cd_world_accelerations(d->m, &d->k, d->v, d->scratch.zero_nv, &d->world);
    d->rows.gamma_scale = d->solver_rows.gamma_scale = cd_constraint_set_gamma_scale(&d->world, &d->constraints, NULL);
}

static void update_rows_and_gamma(cardan_data* d, bool accelerations_are_zero)
{
    if (d->solver_rows.nrow == 0) return;
    const bool was_valid     = d->valid.rows && d->valid.gamma;
    const bool gamma_started = update_constraint_values(d, true, accelerations_are_zero);
    if (!d->valid.rows) {
        cd_constraint_set_jacobian(d->m, &d->k, &d->world, &d->constraints);
        cd_constraint_set_jacobian(d->m, &d->k, &d->world, &d->rotors);
        d->valid.rows = true;
    }
    if (!d->valid.gamma) update_gamma(d, accelerations_are_zero, gamma_started);
    if (d->settings.has_disabled_constraint) cd_zero_disabled_rows(d);
    if (!was_valid) cd_zero_negligible_constraints(d);
}

void cd_update_rows(cardan_data* d) { update_rows_and_gamma(d, false); }

enum { LINKS_PER_BLOCK = 16 }; // so that they stay in the first-level cache during the three passes

void cd_update_link_wrenches_and_rows(cardan_data* d)
{
    const cardan_model* m           = d->m;
    const bool          needs_world = !d->valid.world, needs_accelerations = !d->valid.gamma;
    for (int from = 0, to; from < m->nlink; from = to) {
        to = from + LINKS_PER_BLOCK < m->nlink ? from + LINKS_PER_BLOCK : m->nlink;
        if (needs_world) cd_world_poses_range(m, &d->k, d->v, &d->world, from, to);
        cd_link_wrenches(m, &d->k, d->v, from, to);
        if (needs_accelerations) cd_world_accelerations_range(m, &d->k, d->v, d->scratch.zero_nv, &d->world, from, to);
    }
    d->k.world_pose = d->world.pose;
    d->valid.world = d->valid.link_wrenches_not_summed = true;
    update_rows_and_gamma(d, needs_accelerations);
    cd_update_forces(d);
}

cardan_status cardan_data_constraint_violation(cardan_data* d, double* position, double* velocity)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    if (!d->blocked.rows_not_stored || d->blocked.active) cd_update_constraint_values(d);
    if (position) *position = d->violations.position_si;
    if (velocity) *velocity = d->violations.velocity_si;
    return CARDAN_OK;
}

void cd_scaled_violations(cardan_data* d, double* position, double* velocity)
{
    cardan_data_constraint_violation(d, NULL, NULL);
    if (position) *position = d->violations.position;
    if (velocity) *velocity = d->violations.velocity;
}
