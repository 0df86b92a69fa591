// SPDX-License-Identifier: BSD-3-Clause
// Saving and restoring of winding numbers of off-tree joints and of constraints that count revolutions.
#include "dynamics/winding_numbers.h"

#include "dynamics/rows/constraint_update.h"
#include "math/pi.h"

#include <math.h>
#include <string.h>

// Tree coordinates contain their winding numbers themselves.
static bool counts_windings(const cd_constraint* c)
{
    bool any = c->is_screw;
    for (int n = 0; c->coupled && n < c->coupled->n; ++n) any |= c->coupled->coordinate[n].q_tree == CARDAN_NONE;
    return any;
}

void cd_winding_numbers_layout(const cardan_data* d, cd_arena* arena, cd_winding_numbers* t)
{
    t->has_counting_constraint = false;
    for (int i = 0; i < d->constraints.nconstraint; ++i)
        t->has_counting_constraint |= counts_windings(&d->constraints.constraint[i]);
    CD_ARENA_ARRAY(arena, t->q, d->m->nq_joint - d->m->nq);
    CD_ARENA_ARRAY(arena, t->history,
                   t->has_counting_constraint ? d->constraints.nconstraint * CD_CONSTRAINT_HISTORY_SIZE : 0);
}

void cd_winding_numbers_save(cardan_data* d, cd_winding_numbers* t)
{
    memcpy(t->q, d->q + d->m->nq, (size_t)(d->m->nq_joint - d->m->nq) * sizeof *t->q);
    if (!t->has_counting_constraint) return;
    cd_update_constraint_values(d);
    memcpy(t->history, d->constraints.history,
           (size_t)d->constraints.nconstraint * CD_CONSTRAINT_HISTORY_SIZE * sizeof *t->history);
}

void cd_winding_numbers_restore_constraints(const cd_winding_numbers* t, cardan_data* d)
{
    if (!t->has_counting_constraint) return;
    for (int i = 0; i < d->constraints.nconstraint; ++i)
        if (counts_windings(&d->constraints.constraint[i]))
            memcpy(d->constraints.history + i * CD_CONSTRAINT_HISTORY_SIZE, t->history + i * CD_CONSTRAINT_HISTORY_SIZE,
                   CD_CONSTRAINT_HISTORY_SIZE * sizeof *t->history);
    d->valid.state_stale = true;
}

void cd_winding_numbers_restore(const cd_winding_numbers* t, cardan_data* d)
{
    for (int i = d->m->nq; i < d->m->nq_joint; ++i) {
        if (!(fabs(d->q[i] - t->q[i - d->m->nq]) <= CD_PI)) d->valid.state_stale = true;
        d->q[i] = t->q[i - d->m->nq];
    }
    d->valid.off_tree_joints = d->valid.referenced_joints = false;
    cd_winding_numbers_restore_constraints(t, d);
}
