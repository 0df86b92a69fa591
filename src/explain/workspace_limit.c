// SPDX-License-Identifier: BSD-3-Clause
// Drivers at the workspace limit. A little later than the state, no configuration satisfies the constraints, and at
// the minimum of the violation |c|
//
//   A'c = 0
//
// so that c itself shows which rows oppose each other: a row with a zero in c belongs to loops that are not at their
// limit, however large the force of its driver is.
#include "assembly/assembly_problem.h"

#include "math/norm_inf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double significant_share    = 1e-3; // relative to the largest violation
static const double persistent_violation = 1e-6; // in units of assembly: violation that assembly cannot remove
static const double lookahead[4]         = {0, 1e-3, 1e-2, 1e-1}; // [rad, m] motion of the fastest driver
enum { NLOOKAHEAD = 4 };

bool cd_assembly_is_involved(const cd_assembly* a, int constraint, bool driven)
{
    const cd_constraint* c    = &a->d->constraints.constraint[constraint];
    const double         most = cd_norm_inf(a->nrow, a->c);
    for (int k = 0; k < c->nrow; ++k)
        if ((!driven || c->driven_rows >> k & 1) && fabs(a->c[c->first_row + k]) > significant_share * most)
            return true;
    return false;
}

bool cd_assembly_driver_is_involved(const cd_assembly* a, int constraint)
{
    return cd_assembly_is_involved(a, constraint, true);
}

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
        if (d->is_driver_external[i])
            d->external_driver_values[3 * i] += (offset - last_offset) * d->external_driver_values[3 * i + 1];
    cd_data_set_state(d, t + offset, q, d->v, d->state);
}

static int name_drivers(const cd_assembly* a, char* text, size_t size)
{
    int    first  = CARDAN_NONE;
    size_t length = 0;
    for (int i = 0; i < a->d->constraints.nconstraint; ++i) {
        const cd_constraint* c = &a->d->constraints.constraint[i];
        if (!cd_assembly_driver_is_involved(a, i)) continue;
        if (length + 100 < size)
            length += (size_t)snprintf(text + length, size - length, "%s%s '%.50s'", first >= 0 ? " and " : "",
                                       c->category, c->name);
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
        if (cd_assembly_solve_positions(a) > persistent_violation) first = name_drivers(a, text, size);
    }
    set_time_ahead(d, a->q_start, t, 0, last_offset);
    return first;
}

int cd_drivers_at_limit(cardan_data* d, char* text, size_t size)
{
    cd_assembly         a        = {0};
    const double        rate     = max_driver_rate(d);
    cardan_joint_start* start    = cd_allocate((size_t)d->m->njoint + 1, sizeof *start);
    int                 first    = CARDAN_NONE;
    d->explanation_out_of_memory = d->explanation_out_of_memory || !start;
    if (!start || !(rate > 0) || !isfinite(rate) || !isfinite(cd_norm_inf(d->m->nq, d->q))) {
        free(start);
        return first;
    }
    for (int j = 0; j < d->m->njoint; ++j) cardan_joint_state(d, j, start[j].q, start[j].v); // no joint is fixed
    const bool initialized       = cd_assembly_init(&a, d, start);
    d->explanation_out_of_memory = d->explanation_out_of_memory || !initialized;
    if (initialized && a.dense) first = find_limiting_drivers(&a, rate, text, size);
    cd_assembly_destroy(&a);
    free(start);
    return first;
}
