// SPDX-License-Identifier: BSD-3-Clause
// Efforts of drivers. The force of rows is -G'lambda, and a driver function x changes the rows of its constraint by
// -dc / dx, so that its effort is -lambda'(-dc / dx), and its power the effort times the rate of the function. Most
// driver functions change one row by 1; a rotation function changes all rotations of its lock
// (cd_driver_sensitivity).
//
// If drivers are redundant with each other or with other constraints, lambda is not unique, and efforts are taken
// from the minimum-norm solution that reactions are taken from, too (joint_reactions.c): the two balance. Whether
// this is necessary is determined without singular values. The efforts are unique if no self-stress, J'z = 0,
// involves drivers, z'dc/dx = 0 for all z; that is if every rate of the drivers is possible, J x = s for all s of
// driver rates. A solution for one s in general position implies one for all, since the s with a solution form a
// linear space.
#include "dynamics/reactions/driver_efforts.h"

#include "core/check_arguments.h"
#include "dynamics/dynamics_tolerances.h"
#include "dynamics/rows/constraint_update.h"
#include "dynamics/rows/jacobian_operator.h"
#include "dynamics/solve.h"
#include "math/finite.h"

#include <cardan/kinematics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Row of the i-th driver within its constraint; *constraint is its number. Returns -1 if there are fewer.
static int find_driven_row(const cardan_data* d, int i, int* constraint)
{
    for (int c = 0; c < d->constraints.nconstraint; ++c)
        for (int row = 0; row < d->constraints.constraint[c].nrow; ++row)
            if (d->constraints.constraint[c].driven_rows >> row & 1 && i-- == 0) {
                *constraint = c;
                return row;
            }
    return -1;
}

int cardan_data_driver_count(const cardan_data* d)
{
    int count = 0;
    for (int c = 0; d && c < d->constraints.nconstraint; ++c)
        for (unsigned bits = d->constraints.constraint[c].driven_rows; bits; bits &= bits - 1) ++count;
    return count;
}

// The multiplier of a row on rotations only is a torque.
bool cd_row_is_torque(const cd_constraint* c, int row)
{
    if (c->coupled) return c->coupled->coordinate[0].kind >= CD_ANGLE_Z;
    int translations = 0;
    for (int i = 0; i < 3; ++i) translations += (c->locked >> i & 1) != 0;
    return c->type == &cd_constraint_lock && row >= translations;
}

cardan_driver cardan_data_driver_at(const cardan_data* d, int i)
{
    int       number = 0;
    const int row    = d && i >= 0 ? find_driven_row(d, i, &number) : -1;
    if (row < 0) return (cardan_driver){.name = "", .joint = CARDAN_NONE, .axis = CARDAN_NONE, .unit = ""};
    const cd_constraint*          c = &d->constraints.constraint[number];
    const cd_coupled_coordinates* k = c->coupled;
    return (cardan_driver){.name      = c->name,
                           .joint     = k ? k->coordinate[0].joint : CARDAN_NONE,
                           .axis      = k ? k->coordinate[0].axis_index : CARDAN_NONE,
                           .component = row,
                           .unit      = cd_row_is_torque(c, row) ? "N m" : "N"};
}

// Change of each row of the constraint per unit of the driver function of a driven row.
static void driver_row_factors(const cardan_data* d, int constraint, int row, double part[CD_CONSTRAINT_ROWS_MAX])
{
    const cd_constraint* c          = &d->constraints.constraint[constraint];
    const cd_end_state   end[2]     = {cd_end_state_of(&c->end[0], &d->world), cd_end_state_of(&c->end[1], &d->world)};
    const cd_constraint_context now = {.driver_values = d->constraints.driver_values};
    cd_driver_sensitivity(c, end, &now, &d->constraints.equations[constraint], row, part);
}

double cd_driver_effort(const cardan_data* d, int constraint, int row, const double* lambda)
{
    const cd_constraint* c = &d->constraints.constraint[constraint];
    double               part[CD_CONSTRAINT_ROWS_MAX], effort = 0;
    driver_row_factors(d, constraint, row, part);
    for (int i = 0; i < c->nrow; ++i)
        if (part[i] != 0) effort -= part[i] * lambda[c->first_row + i];
    return effort;
}

static bool driver_effort_is_unique(const cardan_data* d, int constraint, int row)
{
    double part[CD_CONSTRAINT_ROWS_MAX];
    driver_row_factors(d, constraint, row, part);
    return cd_multiplier_sum_is_unique(d, &d->constraints.constraint[constraint], row, part);
}

// Right-hand side s (solver_rows.nrow) of the accelerations of the driver functions alone, or of rates of the drivers in
// general position.
static void driver_rhs(const cardan_data* d, bool general_rates, double* s)
{
    for (int i = 0; i < d->solver_rows.nrow; ++i) s[i] = 0;
    for (int k = 0, n = 0; k < d->constraints.ndriven; ++k) {
        const cd_constraint* c = &d->constraints.constraint[d->constraints.driven[k]];
        for (int row = 0; row < c->nrow; ++row) {
            double part[CD_CONSTRAINT_ROWS_MAX];
            if (!(c->driven_rows >> row & 1) || d->settings.is_constraint_disabled[d->constraints.driven[k]]) continue;
            const double x = general_rates ? 1 + 0.37 * sin(1.0 + n++)
                                           : d->constraints.driver_values[3 * cd_driver_of_row(c, row) + 2];
            driver_row_factors(d, d->constraints.driven[k], row, part);
            for (int i = 0; i < c->nrow; ++i) s[c->first_row + i] += part[i] * x;
        }
    }
}

bool cd_driver_accelerations(cardan_data* d, double* a)
{
    cd_solve_info info = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    if (d->constraints.ndriven == 0 || cd_update_factor(d, &info) != CARDAN_OK) return false;
    driver_rhs(d, false, d->reactions.driver_rate);
    return cd_min_norm_correction(d, d->reactions.driver_rate, a) == CARDAN_OK;
}

bool cd_drivers_are_at_standstill(cardan_data* d, bool with_accelerations)
{
    cd_update_rows(d);
    for (int k = 0; k < d->constraints.ndriven; ++k) {
        const cd_constraint* c = &d->constraints.constraint[d->constraints.driven[k]];
        for (int row = 0; row < c->nrow; ++row) {
            if (!(c->driven_rows >> row & 1) || d->settings.is_constraint_disabled[d->constraints.driven[k]]) continue;
            const double* driver = d->constraints.driver_values + (ptrdiff_t)3 * cd_driver_of_row(c, row);
            const double  limit  = cd_driver_standstill_rate * fmin(1, d->units.length_scale) / d->units.length_unit /
                                 (d->units.row_unit_inverse ? d->units.row_unit_inverse[c->first_row + row] : 1);
            if (!(fabs(driver[1]) <= limit) || (with_accelerations && !(fabs(driver[2]) <= limit))) return false;
        }
    }
    return true;
}

// Whether all drivers can move independently at the state.
static bool drivers_are_independent(cardan_data* d)
{
    double *      s = d->reactions.driver_rate, *x = d->reactions.driver_response;
    cd_solve_info info = {.failed_velocity = CARDAN_NONE, .failed_row = CARDAN_NONE};
    if (cd_update_factor(d, &info) != CARDAN_OK) return false;
    driver_rhs(d, true, s);
    if (cd_min_norm_correction(d, s, x) != CARDAN_OK) return false;
    cd_jacobian_times(d, &d->rows, x, d->reactions.lambda);
    for (int i = 0; i < d->rows.nrow; ++i)
        if (!(fabs(d->reactions.lambda[i] - s[i]) <= cd_driver_rate_tolerance)) return false;
    return true;
}

cardan_status cardan_data_driver_efforts(cardan_data* d, const double* a, double* effort, bool* unique)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    if (d->constraints.ndriven == 0) return CARDAN_OK;
    CD_REQUIRE_POINTER(effort, "effort", NULL);
    CD_REQUIRE_ARRAY(a, d->m->nv, "a", NULL);
    if (!cd_all_finite(d->m->nv, a)) return CARDAN_BAD_USAGE;
    const bool    is_independent = !d->reactions.limit.valid && drivers_are_independent(d);
    const double* lambda         = is_independent ? d->solve.lambda : d->reactions.lambda;
    int           i              = 0;
    if (!is_independent) cd_compute_reactions(d, a);
    for (int c = 0; c < d->constraints.nconstraint; ++c)
        for (int row = 0; row < d->constraints.constraint[c].nrow; ++row) {
            if (!(d->constraints.constraint[c].driven_rows >> row & 1)) continue;
            effort[i] = cd_driver_effort(d, c, row, lambda);
            if (unique) unique[i] = is_independent || driver_effort_is_unique(d, c, row);
            ++i;
        }
    return CARDAN_OK;
}

// -lambda'(J v) of the rows that driver functions change: J v is the required rate if the rows hold. The sum does not
// depend on the choice of lambda: other rows have zero rate, so that a self-stress, J'z = 0, has no power in the
// driven rows.
double cd_driver_power(const cardan_data* d)
{
    double power = 0;
    if (!d->valid.solution) return 0;
    for (int k = 0; k < d->constraints.ndriven; ++k) {
        const int            i = d->constraints.driven[k];
        const cd_constraint* c = &d->constraints.constraint[i];
        for (int row = 0; row < c->nrow; ++row) {
            if (!(cd_driven_row_mask(c) >> row & 1)) continue;
            for (int n = 0; n < c->nend; ++n)
                power -= d->solve.lambda[c->first_row + row] * sv_dot(d->constraints.equations[i].G[row * c->nend + n],
                                                                      d->world.velocity[cd_constraint_end(c, n)->link]);
        }
    }
    return power;
}

// Driver function of a row of a constraint, or -1. Locks have one per motion, the other types a single one.
int cd_driver_of_row(const cd_constraint* c, int row)
{
    int n = 0;
    if (c->type == &cd_constraint_lock)
        for (unsigned bits = c->locked; n < 5 && (!(bits >> n & 1) || row-- > 0);) ++n;
    return c->driver_number[n] - 1;
}

cardan_status cardan_data_set_driver(cardan_data* d, int i, const double value[3])
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    int       number = 0;
    const int row    = i >= 0 ? find_driven_row(d, i, &number) : -1;
    if (row < 0 || (value && !cd_all_finite(3, value))) return CARDAN_BAD_USAGE;
    const int n = cd_driver_of_row(&d->constraints.constraint[number], row);
    if (d->external.driven[n].is_drivable) return CARDAN_BAD_USAGE;
    d->external.is_driver_external[n] = value != NULL;
    if (value) memcpy(d->external.driver_values + 3 * n, value, 3 * sizeof *value);
    d->valid.state_stale = true;
    ++d->external.input_revision;
    return CARDAN_OK;
}
