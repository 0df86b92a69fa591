// SPDX-License-Identifier: BSD-3-Clause
// Rows that accelerations do not satisfy: whether that is a contradiction, or rounding, or gaps of the state.
#include "dynamics/row_excuse.h"

#include "math/largest.h"

#include <cardan/assemble.h>
#include <math.h>

static const double rounding_of_terms =
    1e-5;                                 // of contradiction: a row below this part of what cancelled is its rounding
static const double contradiction = 1e-5; // of rows, relative: least squares may have solved what has no solution

// Rows that depend on each other agree only where the constraints are satisfied: beside them, as at the stages of a
// step, they contradict each other as far as there are gaps, and that is no error of the model. A gap moves a state by
// gap/s, and accelerations by that over s: away from singular poses 1/s^2 is at most 1/cd_near_part. Beyond `no_gap`
// rows contradict each other by themselves.
static const double no_gap = 1e-2, drifted = 1e-7, about = 10, left_behind = 1e-10;

// [units/s^2] What gaps make of rows whose terms are of this size.
static double felt_of_gaps(cardan_data* d, double terms)
{
    double position, velocity;
    cd_gaps(d, &position, &velocity);
    const double fastest = cd_largest_motion(d, d->v), pull = d->pull;
    return (position * (terms + fastest * fastest + pull * pull) + velocity * (fastest + pull)) / cd_near_part;
}

// What rows ask for to close their gaps contradicts as much as the gaps do.
static double pulled(const cardan_data* d) { return d->pull * (d->pull * d->open + 2 * d->open_rate); }

// The part of rows that may be missed: where loops are closed, velocities that are hardly larger than their own gaps
// are rounding, and so is all that rows make of them, as long as they are no more than projections leave.
static double vague(cardan_data* d)
{
    const double fastest = cd_largest_motion(d, d->v);
    double       position, velocity;
    cd_gaps(d, &position, &velocity);
    return position <= drifted && velocity <= left_behind && velocity > no_gap * fastest ? about : no_gap;
}

static bool gaps_explain(cardan_data* d, const cd_row_miss* miss)
{
    if (d->drag > 0) return false; // the caller can do without
    const double terms = fmax(miss->terms, rounding_of_terms * miss->rounding);
    return miss->error <= fmin(vague(d) * terms + pulled(d), felt_of_gaps(d, terms));
}

// Formulations suspect; rows that ask for nothing contradict nothing, and what is left of them is judged by the sizes
// of all that cancelled, the same for all formulations.
static bool rounding_explains(const cd_row_miss* miss)
{
    return cd_unasked(miss) && miss->error <= contradiction * rounding_of_terms * miss->rounding;
}

bool cd_contradicts(const cd_row_miss* miss) { return cd_missed(miss, rounding_of_terms) > contradiction; }

bool cd_is_explained(cardan_data* d, const cd_row_miss* miss)
{
    return rounding_explains(miss) || gaps_explain(d, miss);
}

bool cd_is_drift(cardan_data* d, const cd_row_miss* miss)
{
    return d->closure.nconstraint > 0 && d->open > drifted &&
           miss->error <= about * felt_of_gaps(d, fmax(miss->terms, rounding_of_terms * miss->rounding));
}

cardan_status cd_fail_drifted(cardan_data* d, int row, cardan_report* report)
{
    int i = 0;
    while (i < d->closure.nconstraint - 1 && row >= d->closure.constraint[i + 1].first_row) ++i;
    const cd_constraint* c = &d->closure.constraint[i];
    return cardan_fail(report, CARDAN_INCONSISTENT, CARDAN_CODE_CONSTRAINT_DRIFT, c->place,
                       "at t = %.9g s the loops of '%s' have drifted apart, by %.2g m or rad and %.2g m/s or rad/s: "
                       "constraints that repeat each other where loops are closed "
                       "contradict each other there, as at %s '%s'; stabilization by projection keeps loops closed",
                       d->t, d->m->view.name, d->gap, d->gap_rate, c->what, c->name);
}
