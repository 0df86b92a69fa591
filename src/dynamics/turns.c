// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/turns.h"

#include <math.h>
#include <string.h>

static const double half_turn = 3.14159265358979323846;

// Coordinates of the tree tell their turns.
static bool counts(const cd_constraint* c)
{
    bool any = c->screw;
    for (int n = 0; c->coupled && n < c->coupled->n; ++n) any |= c->coupled->coordinate[n].q == CARDAN_NONE;
    return any;
}

void cd_turns_layout(const cardan_data* d, cd_arena* arena, cd_turns* t)
{
    t->counts = false;
    for (int i = 0; i < d->closure.nconstraint; ++i) t->counts |= counts(&d->closure.constraint[i]);
    CD_TAKE(arena, t->q, d->m->nq_all - d->m->nq);
    CD_TAKE(arena, t->memory, t->counts ? d->closure.nconstraint * CD_MEMORY : 0);
}

void cd_turns_keep(cardan_data* d, cd_turns* t)
{
    memcpy(t->q, d->q + d->m->nq, (size_t)(d->m->nq_all - d->m->nq) * sizeof *t->q);
    if (!t->counts) return;
    cd_know_closure(d);
    memcpy(t->memory, d->closure.memory, (size_t)d->closure.nconstraint * CD_MEMORY * sizeof *t->memory);
}

void cd_turns_return_rows(const cd_turns* t, cardan_data* d)
{
    if (!t->counts) return;
    for (int i = 0; i < d->closure.nconstraint; ++i)
        if (counts(&d->closure.constraint[i]))
            memcpy(d->closure.memory + i * CD_MEMORY, t->memory + i * CD_MEMORY, CD_MEMORY * sizeof *t->memory);
    d->renew = true;
}

void cd_turns_return(const cd_turns* t, cardan_data* d)
{
    for (int i = d->m->nq; i < d->m->nq_all; ++i) {
        if (!(fabs(d->q[i] - t->q[i - d->m->nq]) <= half_turn)) d->renew = true;
        d->q[i] = t->q[i - d->m->nq];
    }
    d->measured_known = d->felt_known = false;
    cd_turns_return_rows(t, d);
}
