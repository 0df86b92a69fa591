// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/checkpoint.h"

#include "simulation/contact/contact_events.h"
#include "simulation/simulation.h"

static void copy_values(size_t n, const double* from, double* to)
{
    for (size_t i = 0; i < n; ++i) to[i] = from[i];
}

static size_t constraint_history_size(const cd_constraint_set* c)
{
    return (size_t)c->nconstraint * CD_CONSTRAINT_HISTORY_SIZE;
}

void cd_checkpoint_layout(cd_simulation* s, cd_arena* arena)
{
    const cardan_data* d = s->system.data;
    cd_ode_state_layout(&s->system, arena, &s->checkpoint.x);
    CD_ARENA_ARRAY(arena, s->checkpoint.is_positive,
                   4 * s->system.model->njoint_force + 2 * s->events.corners.count + CD_CONTACT_EVENT_FUNCTIONS + 1);
    CD_ARENA_ARRAY(arena, s->checkpoint.derived_q, d->m->nq_joint - d->m->nq);
    CD_ARENA_ARRAY(arena, s->checkpoint.constraint_history,
                   constraint_history_size(&d->constraints) + constraint_history_size(&d->rotors));
}

void cd_checkpoint_save(cd_simulation* s, const cd_ode_state* x, long next_sample)
{
    const cardan_data* d = s->system.data;
    cd_checkpoint*     c = &s->checkpoint;
    const size_t       n = constraint_history_size(&d->constraints);
    if (!c->x.z) return;
    cd_ode_state_copy(&s->system, x, &c->x);
    c->next_sample           = next_sample;
    c->generated_evaluations = s->system.statistics.generated_evaluations;
    c->energy                = s->energy;
    c->summary               = *s->summary;
    c->nmessage              = s->report ? s->report->count : 0;
    for (int i = 0; i < s->events.count; ++i) c->is_positive[i] = s->events.function[i].is_positive;
    copy_values((size_t)(d->m->nq_joint - d->m->nq), d->q + d->m->nq, c->derived_q);
    copy_values(n, d->constraints.history, c->constraint_history);
    copy_values(constraint_history_size(&d->rotors), d->rotors.history, c->constraint_history + n);
}

void cd_checkpoint_discard_messages(cd_simulation* s)
{
    if (!s->report) return;
    for (int i = s->checkpoint.nmessage; i < s->report->count; ++i)
        s->report->errors -= s->report->message[i].severity == CARDAN_ERROR;
    s->report->count = s->checkpoint.nmessage;
}

void cd_checkpoint_restore(cd_simulation* s)
{
    cardan_data*         d     = s->system.data;
    const cd_checkpoint* c     = &s->checkpoint;
    const size_t         n     = constraint_history_size(&d->constraints);
    const long           steps = s->summary->steps;
    cd_ode_state_copy(&s->system, &c->x, &s->x);
    s->step.needs_projection = false;
    s->output.next_sample    = c->next_sample;
    s->energy                = c->energy;
    *s->summary              = c->summary;
    s->summary->steps        = steps;
    copy_values((size_t)(d->m->nq_joint - d->m->nq), c->derived_q, d->q + d->m->nq);
    copy_values(n, c->constraint_history, d->constraints.history);
    copy_values(constraint_history_size(&d->rotors), c->constraint_history + n, d->rotors.history);
    d->valid.state_stale = true;
    cd_events_reset(&s->events, &s->x);
    for (int i = 0; i < s->events.count; ++i) s->events.function[i].is_positive = c->is_positive[i];
    cd_events_freeze_stops(&s->events);
}
