// SPDX-License-Identifier: BSD-3-Clause
// Which drivers are at the end of their reach. A little later than the state no pose closes any more, and where the gap
// c is least,
//
//   A'c = 0
//
// so that c itself says who pulls against whom: a row without a part in it belongs to loops that are not at their end,
// however large the force of its driver is.
#include "dynamics/assembly.h"

#include "math/largest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double part     = 1e-3;                  // of the largest gap
static const double gaping   = 1e-6;                  // in units of assembly: a gap that stays
static const double ahead[4] = {0, 1e-3, 1e-2, 1e-1}; // rad or lengths of the fastest law
enum { AHEAD = 4 };

bool cd_assembly_takes_part(const cd_assembly* a, int constraint, bool driven)
{
    const cd_constraint* c    = &a->d->closure.constraint[constraint];
    const double         most = cd_largest(a->nrow, a->c);
    for (int k = 0; k < c->nrow; ++k)
        if ((!driven || c->driven >> k & 1) && fabs(a->c[c->first_row + k]) > part * most) return true;
    return false;
}

bool cd_assembly_pulls(const cd_assembly* a, int constraint) { return cd_assembly_takes_part(a, constraint, true); }

static double fastest_law(const cardan_data* d)
{
    double most = 0;
    for (int i = 0; i < d->m->nmotion; ++i) most = fmax(most, fabs(d->closure.law[3 * i + 1]));
    return most;
}

// Laws at a time `later`; those that are given from outside go on at their rates.
static void look_later(cardan_data* d, const double* q, double t, double later, double since)
{
    for (int i = 0; i < d->m->nmotion; ++i)
        if (d->outer[i]) d->outer_law[3 * i] += (later - since) * d->outer_law[3 * i + 1];
    cd_data_set(d, t + later, q, d->v, d->state);
}

static int name(const cd_assembly* a, char* text, size_t size)
{
    int    first  = CARDAN_NONE;
    size_t length = 0;
    for (int i = 0; i < a->d->closure.nconstraint; ++i) {
        const cd_constraint* c = &a->d->closure.constraint[i];
        if (!cd_assembly_pulls(a, i)) continue;
        if (length + 100 < size)
            length += (size_t)snprintf(text + length, size - length, "%s%s '%.50s'", first >= 0 ? " and " : "", c->what,
                                       c->name);
        if (first < 0) first = i;
    }
    return first;
}

// The first gap that stays, of those a little later.
static int find(cd_assembly* a, double rate, char* text, size_t size)
{
    cardan_data* d     = a->d;
    const double t     = d->t;
    double       since = 0;
    int          first = CARDAN_NONE;
    for (int i = 0; i < AHEAD && first == CARDAN_NONE; ++i) {
        const double later = ahead[i] / rate;
        look_later(d, a->q0, t, later, since);
        since = later;
        cd_assembly_choose(a, false, true);
        if (cd_assembly_close_positions(a) > gaping) first = name(a, text, size);
    }
    look_later(d, a->q0, t, 0, since);
    return first;
}

int cd_pulling(cardan_data* d, char* text, size_t size)
{
    cd_assembly   a     = {0};
    const double  rate  = fastest_law(d);
    cardan_start* start = cd_allocate((size_t)d->m->njoint + 1, sizeof *start);
    int           first = CARDAN_NONE;
    d->starved = d->starved || !start;
    if (!start || !(rate > 0) || !isfinite(rate) || !isfinite(cd_largest(d->m->nq, d->q))) {
        free(start);
        return first;
    }
    for (int j = 0; j < d->m->njoint; ++j) cardan_joint_state(d, j, start[j].q, start[j].v); // nothing is firm
    const bool opened = cd_assembly_open(&a, d, start);
    d->starved        = d->starved || !opened;
    if (opened && a.dense) first = find(&a, rate, text, size);
    cd_assembly_end(&a);
    free(start);
    return first;
}
