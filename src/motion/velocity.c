// SPDX-License-Identifier: BSD-3-Clause
// Constraints at velocity level: the state that is integrated is q and as many speeds as the mechanism has degrees of
// freedom. In every evaluation the velocities that the constraints leave follow from those that the method brings,
//
//     [ M  J' ] [ dv ]   [  0    ]
//     [ J  0  ] [ y  ] = [ -cdot ],      v <- v + dv,      J v = -c_t to the last digit,
//
// with the factor that the accelerations there need anyway; then M a + J'y = r, J a = gamma with the same one.
// Positions are integrated, never put back: they drift by the error of the method alone, which does not grow as (1) of
// docs/theory/stabilization.md.
//
// Only the part of v along the constraints is ever used. Anderson and Critchley take the speeds of some joints for it;
// the part itself, seen in the metric of the mass matrix, needs no choice of joints: nothing has to be chosen anew near
// poses where joints lock, and the cost is a solve, linear where the formulation is. Source: Anderson, Critchley 2003,
// section 3; docs/theory/stabilization.md (5).
#include "motion/stabilization.h"

#include "dynamics/data.h"

#include <cardan/assemble.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const double rounding = 32 * DBL_EPSILON; // of velocities: a row adds up some dozens of terms
enum { MOST = 4 };

static double gap(cardan_data* d)
{
    double velocity;
    cd_gaps(d, NULL, &velocity);
    return velocity;
}

static void add(cardan_data* d, double sign)
{
    for (int i = 0; i < d->m->nv; ++i) d->v[i] += sign * d->dx[i];
    cd_set_velocity(d, d->v);
}

// Thorough: refined, where `change` alone is not enough.
static cardan_status least_change(cardan_data* d, bool thorough)
{
    const cd_formulation* f      = d->formulation;
    cd_where              where  = {.v = CARDAN_NONE, .row = CARDAN_NONE};
    cardan_status         status = CARDAN_OK;
    cd_know_closure(d); // a correction that was undone leaves the rates of velocities that are none
    for (int i = 0; i < d->system.nrow; ++i) d->s[i] = i < d->rows.nrow ? -d->closure.rate[i] : 0;
    if (f->change && !thorough)
        f->change(d->m, &d->system, d->work, d->s, d->dx);
    else
        status = f->solve(d->m, &d->k, &d->system, d->work, d->rest, d->s, d->dx, d->y, &where);
    return status == CARDAN_INCONSISTENT ? CARDAN_OK : status;
}

// Rows that depend on each other never agree fully beside the constraints: what a correction does not halve stays.
cardan_status cd_fill_velocities(cardan_data* d)
{
    cd_where      where  = {.v = CARDAN_NONE, .row = CARDAN_NONE};
    cardan_status status = CARDAN_OK;
    double        left = gap(d), fastest = fmax(1, cd_largest_motion(d, d->v));
    bool          thorough = false;
    for (int i = 0; i < MOST && left > rounding * fastest; ++i) {
        status = cd_know_factor(d, &where);
        if (!status) status = least_change(d, thorough);
        if (status) return status;
        add(d, 1);
        const double before = left;
        left                = gap(d);
        if (!isfinite(left)) return CARDAN_DIVERGED;
        if (!(left < before)) add(d, -1);
        if (left < 0.5 * before) continue;
        if (thorough) break;
        thorough = true;
        left     = fmin(left, before);
    }
    return CARDAN_OK;
}

static cardan_status correct(cd_system* system, void* work, cd_point* x, cardan_report* report)
{
    (void)work;
    cardan_data*  d      = system->data;
    cardan_status status = cd_data_reach(d, x->t, x->q, x->z, system->ns ? x->z + system->nv : NULL);
    if (status) return status;
    status = cd_fill_velocities(d);
    if (status) return cd_fail_apart(d, true, status, report);
    memcpy(x->z, d->v, (size_t)system->nv * sizeof *x->z);
    return CARDAN_OK;
}

const cd_stabilization cd_stabilization_velocity = {
    .name      = "velocity",
    .summary   = "velocities satisfy the constraints in every evaluation, to the last digit; positions are integrated, "
                 "not put back",
    .reference = "Anderson, Critchley 2003, Multibody System Dynamics 9, section 3",
    .passing   = true,
    .fills     = true,
    .correct   = correct,
};
