// SPDX-License-Identifier: BSD-3-Clause
// Drivers at the workspace limit. A little later than the state, no configuration satisfies the constraints, and at
// the minimum of the violation |c|
//
//   A'c = 0
//
// so that c itself shows which rows oppose each other: a row with a zero in c belongs to loops that are not at their
// limit, however large the force of its driver is.
#include "explain/explain.h"

#include "assembly/assembly_problem.h"
#include "dynamics/rank/robust_solve.h"
#include "dynamics/reactions/driver_efforts.h"
#include "dynamics/rows/jacobian_operator.h"
#include "dynamics/state.h"
#include "explain/explain_tolerances.h"
#include "math/norm_inf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double lookahead[4] = {0, 1e-3, 1e-2, 1e-1}; // [rad, m] motion of the fastest driver
enum { NLOOKAHEAD = 4 };

void cd_append_constraint_name(const cd_constraint* c, char* text, size_t size, size_t* length)
{
    if (*length + 100 < size)
        *length += (size_t)snprintf(text + *length, size - *length, "%s%s '%.50s'", *length > 0 ? " and " : "",
                                    c->category, c->name);
}

// ---- drivers by power

// Power of a driver whose function moves or accelerates; -1 at standstill.
static double driver_power_demand(const cardan_data* d, int constraint)
{
    const cd_constraint* c    = &d->constraints.constraint[constraint];
    double               most = -1;
    for (int row = 0; row < c->nrow; ++row) {
        if (!(c->driven_rows >> row & 1)) continue;
        const double *driver = d->constraints.driver_values + 3 * cd_driver_of_row(c, row),
                     power   = fabs(driver[1] * cd_driver_effort(d, constraint, row, d->solve.lambda));
        if (driver[1] != 0)
            most = fmax(most, isfinite(power) ? power : INFINITY);
        else if (driver[2] != 0)
            most = fmax(most, 0);
    }
    return most;
}

static bool shares_velocity(const cardan_data* d, int constraint, const double* mark)
{
    const cd_row_block b = cd_joint_space_block(d, &d->constraints, constraint);
    for (int j = 0; j < b.nv; ++j)
        if (mark[b.v[j]] > 0) return true;
    return false;
}

static bool any_driver_moves(const cardan_data* d)
{
    for (int i = 0; i < d->constraints.nconstraint; ++i)
        if (driver_power_demand(d, i) >= 0) return true;
    return false;
}

// Mark the velocities connected with constraint `from`, directly or through others; all if it is CARDAN_NONE.
static void mark_connected_velocities(const cardan_data* d, int from, double* mark)
{
    for (int i = 0; i < d->m->nv; ++i) mark[i] = from == CARDAN_NONE;
    if (from == CARDAN_NONE) return;
    const cd_row_block first = cd_joint_space_block(d, &d->constraints, from);
    for (int j = 0; j < first.nv; ++j) mark[first.v[j]] = 1;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < d->rows.nblock; ++i) {
            if (!shares_velocity(d, i, mark)) continue;
            const cd_row_block b = cd_joint_space_block(d, &d->constraints, i);
            for (int j = 0; j < b.nv; ++j) {
                more         = more || mark[b.v[j]] == 0;
                mark[b.v[j]] = 1;
            }
        }
    }
}

int cd_drivers_by_power(const cardan_data* d, int constraint, char* text, size_t size)
{
    double most   = -1;
    int    first  = CARDAN_NONE;
    size_t length = 0;
    if (!any_driver_moves(d)) return first;
    mark_connected_velocities(d, constraint, d->scratch.nv);
    for (int i = 0; i < d->constraints.nconstraint; ++i)
        if (shares_velocity(d, i, d->scratch.nv)) most = fmax(most, driver_power_demand(d, i));
    for (int i = 0; i < d->constraints.nconstraint && most >= 0; ++i) {
        const cd_constraint* c = &d->constraints.constraint[i];
        if (!shares_velocity(d, i, d->scratch.nv) ||
            driver_power_demand(d, i) < fmax(0, cd_significant_power_share * most))
            continue;
        cd_append_constraint_name(c, text, size, &length);
        if (first < 0) first = i;
    }
    return first;
}

// ---- drivers at the workspace limit

static double max_driver_rate(const cardan_data* d)
{
    double most = 0;
    for (int i = 0; i < d->m->ndriver_function; ++i) most = fmax(most, fabs(d->constraints.driver_values[3 * i + 1]));
    return most;
}

// Set the driver functions to a later time; external driver values are extrapolated by their rates.
static void set_time_ahead(cardan_data* d, const double* q, double t, double offset, double last_offset)
{
    for (int i = 0; i < d->m->ndriver_function; ++i)
        if (d->external.is_driver_external[i])
            d->external.driver_values[3 * i] += (offset - last_offset) * d->external.driver_values[3 * i + 1];
    cd_data_set_state(d, t + offset, q, d->v, d->state);
}

static int name_drivers(const cd_assembly* a, char* text, size_t size)
{
    int    first  = CARDAN_NONE;
    size_t length = 0;
    for (int i = 0; i < a->d->constraints.nconstraint; ++i) {
        const cd_constraint* c = &a->d->constraints.constraint[i];
        if (!cd_assembly_driver_is_involved(a, i)) continue;
        cd_append_constraint_name(c, text, size, &length);
        if (first < 0) first = i;
    }
    return first;
}

// Find the first time ahead with a persistent violation, and its drivers.
static int find_limiting_drivers(cd_assembly* a, double rate, char* text, size_t size)
{
    cardan_data* d           = a->d;
    const double t           = d->t;
    double       last_offset = 0;
    int          first       = CARDAN_NONE;
    for (int i = 0; i < NLOOKAHEAD && first == CARDAN_NONE; ++i) {
        const double offset = lookahead[i] / rate;
        set_time_ahead(d, a->q_start, t, offset, last_offset);
        last_offset = offset;
        cd_assembly_set_unknowns(a, false, true);
        if (cd_assembly_solve_positions(a) > cd_visible_violation) first = name_drivers(a, text, size);
    }
    set_time_ahead(d, a->q_start, t, 0, last_offset);
    return first;
}

// List the drivers at the workspace limit. The state is advanced by a small time and assembled in the breadth-first
// tree; drivers whose rows keep a violation are listed. Text and result as for cd_drivers_by_power; CARDAN_NONE if
// there is no such violation.
static int drivers_at_limit(cardan_data* d, char* text, size_t size, bool* out_of_memory)
{
    cd_assembly         a     = {0};
    const double        rate  = max_driver_rate(d);
    cardan_joint_start* start = cd_allocate((size_t)d->m->njoint + 1, sizeof *start);
    int                 first = CARDAN_NONE;
    *out_of_memory            = *out_of_memory || !start;
    if (!start || !(rate > 0) || !isfinite(rate) || !isfinite(cd_norm_inf(d->m->nq, d->q))) {
        free(start);
        return first;
    }
    for (int j = 0; j < d->m->njoint; ++j) cardan_data_joint_state(d, j, start[j].q, start[j].v); // no joint is fixed
    const bool initialized = cd_assembly_init(&a, d, start);
    *out_of_memory         = *out_of_memory || !initialized;
    if (initialized && a.dense) first = find_limiting_drivers(&a, rate, text, size);
    cd_assembly_destroy(&a);
    free(start);
    return first;
}

// Copy the state of the data to the breadth-first tree, with the reference formulation; NULL if the system is too
// large.
static cardan_data* create_reference_data(cardan_data* d, cardan_model** other, bool* out_of_memory)
{
    enum { MAX_DENSE_SIZE = 600 };
    cardan_data* reference = NULL;
    const bool   small = d->m->nv + d->rows.nrow <= MAX_DENSE_SIZE, own = d->m->policy == CARDAN_TREE_BREADTH_FIRST;
    *other = NULL;
    if (!small) return NULL;
    cardan_status status =
        own ? CARDAN_OK : cardan_model_compile(d->m->description, CARDAN_TREE_BREADTH_FIRST, other, NULL);
    if (status == CARDAN_OK)
        status = cardan_data_create(own ? d->m : *other, cardan_formulation_find("dense"), &reference, NULL);
    *out_of_memory = *out_of_memory || status == CARDAN_NO_MEMORY;
    if (status != CARDAN_OK) return NULL;
    cd_copy_external_drivers(d, reference);
    if (cardan_data_copy_state(d, reference) == CARDAN_OK) return reference;
    cardan_data_destroy(reference);
    return NULL;
}

// If no violation persists, drivers are ordered by power: near a configuration that cannot be passed, multipliers are
// only as accurate as the pivots of a formulation; those of the reference formulation are the same for all
// formulations.
cardan_location cd_driver_limit_location(cardan_data* d, int constraint, char* text, size_t size, bool* out_of_memory)
{
    cardan_model* other     = NULL;
    cardan_data*  reference = create_reference_data(d, &other, out_of_memory);
    int           i         = reference ? drivers_at_limit(reference, text, size, out_of_memory) : CARDAN_NONE;
    if (reference && i == CARDAN_NONE && constraint == CARDAN_NONE) {
        cd_failure ignored;
        double*    a = cd_allocate((size_t)reference->m->nv + 1, sizeof *a);
        if (a) (void)cd_accelerate_robust(reference, a, NULL, &ignored);
        if (a) i = cd_drivers_by_power(reference, constraint, text, size);
        *out_of_memory = *out_of_memory || !a;
        free(a);
    }
    cardan_location location =
        i != CARDAN_NONE ? reference->constraints.constraint[i].location : cardan_location_none();
    if (i == CARDAN_NONE && (i = cd_drivers_by_power(d, constraint, text, size)) != CARDAN_NONE)
        location = d->constraints.constraint[i].location;
    cardan_data_destroy(reference);
    cardan_model_destroy(other);
    return location;
}

cardan_status cd_fail_explanation_memory(const cardan_data* d, cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                       "out of memory while finding out why the motion of '%s' failed", d->m->view.name);
}

cardan_status cd_fail_driver_limit(cardan_data* d, cardan_status status, cardan_report* report)
{
    char                  drivers[300]  = "the motion";
    bool                  out_of_memory = false;
    const cardan_location location = cd_driver_limit_location(d, CARDAN_NONE, drivers, sizeof drivers, &out_of_memory);
    if (out_of_memory) return cd_fail_explanation_memory(d, report);
    return cardan_fail(
        report, status, CARDAN_CODE_DRIVER_LIMIT, location,
        "%s cannot be followed beyond t = %.7g s: no configuration nearby satisfies the driver functions and the "
        "joints of '%s'; the workspace ends there, or drivers conflict with each other",
        drivers, d->t, d->m->view.name);
}
