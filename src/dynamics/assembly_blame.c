// SPDX-License-Identifier: BSD-3-Clause
// Which loop is to blame where loops that share bodies cannot be closed together. The least gap is shared out among all
// of them, so that the widest of its parts may be at a loop that is as it should be. A loop is to blame that
//
//   1. is open in the drawing, by more than the others that take part in the gap,
//   2. lets all others close once it is left out;
//
// its gap is then the least that these leave to it.
#include "dynamics/assembly_words.h"
#include "math/largest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double closes   = 1e-9;  // the others, in units
static const double left_out = 1e100; // times the unit of its rows: nobody feels them
static const double yielding = 300;   // the same: they are felt where all others leave a choice
static const double at_rest  = 1e-7;  // of a motion at random: rounding

static const double most_operations = 2e7; // of one step: larger mechanisms are not searched
enum { TRIES = 4 };

static void set_positions(cd_assembly* a, const double* q)
{
    memcpy(a->q, q, (size_t)a->d->m->nq * sizeof *q);
    cd_data_set(a->d, a->d->t, a->q, a->d->v, a->d->state);
}

void cd_assembly_set_drawn(cd_assembly* a)
{
    const cardan_model* m = a->d->m;
    memcpy(a->kept, a->q0, (size_t)m->nq * sizeof *a->kept);
    for (int j = 0; j < m->njoint; ++j)
        if (m->slot[j].q >= 0) cd_joint_at_drawing(m, j, a->kept + m->slot[j].q);
    set_positions(a, a->kept);
}

// x at random less the shortest y with the same A y: zero where A has no null space.
bool cd_assembly_moves(cd_assembly* a)
{
    double left = 0, size = 0;
    cd_assembly_choose(a, true, true);
    cd_assembly_residual(a, a->c);
    cd_assembly_jacobian(a);
    for (int i = 0; i < a->nfree; ++i) a->y[i] = 1 + 0.37 * sin(1.0 + i);
    cd_assembly_apply(a, a->y, a->trial);
    if (!cd_assembly_least(a, 0, a->trial, a->dq)) return true;
    for (int i = 0; i < a->nfree; ++i) {
        left += pow(a->y[i] - a->dq[i], 2);
        size += pow(a->y[i], 2);
    }
    return left > at_rest * at_rest * size;
}

// All its rows in one unit, so that the least gap is least in metres.
static void weigh(cd_assembly* a, const cd_constraint* c, double by)
{
    cd_assembly_choose(a, false, a->released);
    const double unit = cd_largest(c->nrow, a->row_unit + c->first_row);
    for (int k = 0; k < c->nrow; ++k) a->row_unit[c->first_row + k] = by * unit;
}

// Whether all others close without it, and the gap that they leave to it.
static bool others_close(cd_assembly* a, int i, cd_gap* g)
{
    const cd_constraint* c = &a->d->closure.constraint[i];
    weigh(a, c, left_out);
    if (!(cd_assembly_close_positions(a) <= fmax(closes, a->rounding))) return false;
    weigh(a, c, yielding);
    cd_assembly_descend(a);
    *g = cd_gap_of(a, i);
    return true;
}

// How far constraints that take part in the gap are open in the drawing, 0 for those that cannot be to blame; how many
// take part.
static int find_suspects(cd_assembly* a, double* open)
{
    const cd_closure* closure = &a->d->closure;
    const bool        release = a->released;
    int               count   = 0;
    for (int i = 0; i < closure->nconstraint; ++i) {
        const bool takes_part = cd_assembly_takes_part(a, i, false);
        open[i] = takes_part && closure->constraint[i].joint != CARDAN_NONE && !closure->constraint[i].driven;
        count += takes_part;
    }
    cd_assembly_set_drawn(a);
    cd_assembly_choose(a, false, true);
    cd_assembly_residual(a, a->trial);
    for (int i = 0; i < closure->nconstraint; ++i) {
        double gap = 0;
        for (int k = 0; k < closure->constraint[i].nrow; ++k)
            gap = fmax(gap, fabs(a->trial[closure->constraint[i].first_row + k]));
        open[i] *= gap > cd_drawn_open ? gap : 0;
    }
    a->released = release;
    return count;
}

bool cd_blame(cd_assembly* a, cd_gap* g)
{
    const int nq = a->d->m->nq, n = a->d->closure.nconstraint;
    double *  open = malloc((size_t)(nq + n + 1) * sizeof *open), *q = open ? open + n : NULL;
    bool      found = false;
    a->d->starved   = a->d->starved || !open;
    if (!open || pow(a->nfree, 2) * (a->nrow + a->nfree) > most_operations) {
        free(open);
        return false;
    }
    memcpy(q, a->d->q, (size_t)nq * sizeof *q);
    const int tries = find_suspects(a, open) > 1 ? TRIES : 0;
    for (int try = 0; try < tries && !found; ++try) {
        int worst = 0;
        for (int i = 1; i < n; ++i)
            if (open[i] > open[worst]) worst = i;
        if (!(open[worst] > 0)) break;
        open[worst] = 0;
        set_positions(a, q);
        found = others_close(a, worst, g);
    }
    set_positions(a, q);
    cd_assembly_choose(a, false, a->released);
    cd_assembly_residual(a, a->c);
    free(open);
    return found;
}
