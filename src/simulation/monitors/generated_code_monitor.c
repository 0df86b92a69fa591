// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/monitors/generated_code_monitor.h"

#include "dynamics/generated_evaluation.h"
#include "simulation/simulation.h"

#include <math.h>

// Of the largest acceleration: formulations differ by less, except close to singular configurations.
static const double max_relative_difference = 1e-8;
// Evaluations between comparisons grow by this factor, up to this number.
enum { INTERVAL_GROWTH = 4, INTERVAL_MAX = 1000 };

static bool uses_generated_code(const cardan_data* d) { return d->compiled_rhs || d->compiled_residual; }

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
    if (!uses_generated_code(d)) return;
    cd_ode_state_layout(&s->system, arena, &s->checkpoint.x);
    CD_ARENA_ARRAY(arena, s->checkpoint.is_positive,
                   4 * s->system.model->njoint_force + 2 * s->events.corners.count + 1);
    CD_ARENA_ARRAY(arena, s->checkpoint.derived_q, d->m->nq_joint - d->m->nq);
    CD_ARENA_ARRAY(arena, s->checkpoint.constraint_history,
                   constraint_history_size(&d->constraints) + constraint_history_size(&d->rotors));
}

void cd_checkpoint_save(cd_simulation* s, const cd_ode_state* x, long next_sample)
{
    const cardan_data* d = s->system.data;
    cd_checkpoint*     c = &s->checkpoint;
    const size_t       n = constraint_history_size(&d->constraints);
    if (!uses_generated_code(d)) return;
    cd_ode_state_copy(&s->system, x, &c->x);
    c->next_sample           = next_sample;
    c->generated_evaluations = s->system.generated_evaluations;
    c->energy                = s->energy;
    c->summary               = *s->summary;
    c->nmessage              = s->report ? s->report->count : 0;
    for (int i = 0; i < s->events.count; ++i) c->is_positive[i] = s->events.function[i].is_positive;
    copy_values((size_t)(d->m->nq_joint - d->m->nq), d->q + d->m->nq, c->derived_q);
    copy_values(n, d->constraints.history, c->constraint_history);
    copy_values(constraint_history_size(&d->rotors), d->rotors.history, c->constraint_history + n);
}

cardan_status cd_generated_check_sample(cd_simulation* s)
{
    cd_checkpoint* c = &s->checkpoint;
    if (!uses_generated_code(s->system.data)) return CARDAN_OK;
    c->difference = cd_generated_rhs_error(s->system.data, s->system.a);
    if (s->system.data->frozen_stops)
        c->difference = fmax(c->difference, cd_generated_residual_error(s->system.data, s->system.residual_scratch));
    c->mismatch_t = s->system.data->t;
    c->mismatch   = !(c->difference <= max_relative_difference);
    return c->mismatch ? CARDAN_STOPPED : CARDAN_OK;
}

// If the library fails, nothing is compared.
cardan_status cd_generated_check_state(cd_simulation* s, const cd_ode_state* x)
{
    cd_ode_system* system = &s->system;
    cd_checkpoint* c      = &s->checkpoint;
    if (!uses_generated_code(system->data)) return CARDAN_OK;
    if (system->code_difference_max > max_relative_difference) {
        c->difference = system->code_difference_max;
        c->mismatch_t = system->code_difference_t;
        c->mismatch   = true;
        return CARDAN_STOPPED;
    }
    c->check_interval =
        c->check_interval < INTERVAL_MAX / INTERVAL_GROWTH ? INTERVAL_GROWTH * (c->check_interval + 1) : INTERVAL_MAX;
    c->next_check = system->generated_evaluations + c->check_interval;
    if (cd_simulation_set_state(s, x) || !cd_can_use_generated_residual(system->data)) return CARDAN_OK;
    return cardan_accelerate(system->data, system->a, NULL, NULL) ? CARDAN_OK : cd_generated_check_sample(s);
}

bool cd_generated_check_is_due(const cd_simulation* s)
{
    if (!uses_generated_code(s->system.data)) return false;
    return s->system.code_difference_max > max_relative_difference ||
           (s->system.generated_evaluations >= s->checkpoint.next_check &&
            s->system.generated_evaluations > s->checkpoint.generated_evaluations);
}

void cd_generated_check_schedule(cd_simulation* s) { s->checkpoint.next_check = s->system.generated_evaluations + 1; }

bool cd_generated_check_needs_restart(const cd_simulation* s, cardan_status status)
{
    if (!uses_generated_code(s->system.data)) return false;
    return s->checkpoint.mismatch || (status && status != CARDAN_STOPPED && status != CARDAN_NO_MEMORY &&
                                      s->system.generated_evaluations > s->checkpoint.generated_evaluations);
}

void cd_checkpoint_restore(cd_simulation* s, cardan_status status)
{
    cardan_data*         d     = s->system.data;
    const cd_checkpoint* c     = &s->checkpoint;
    const size_t         n     = constraint_history_size(&d->constraints);
    const char*          name  = d->m->view.name;
    const long           steps = s->summary->steps;
    if (s->report) {
        for (int i = c->nmessage; i < s->report->count; ++i)
            s->report->errors -= s->report->message[i].severity == CARDAN_ERROR;
        s->report->count = c->nmessage;
    }
    if (c->mismatch)
        cardan_warn(s->report, CARDAN_CODE_GENERATED_CODE_MISMATCH, cardan_location_none(),
                    "generated code of '%s' deviates by %.2g of the largest acceleration or force at t = %g s: from t "
                    "= %g s, where it was correct, the library computes the run",
                    name, c->difference, c->mismatch_t, c->x.t);
    else
        cardan_note(s->report, CARDAN_CODE_GENERATED_CODE_ABANDONED, cardan_location_none(),
                    "generated code of '%s' fails in the run (%s): from t = %g s the library computes the run", name,
                    cardan_status_text(status), c->x.t);
    d->compiled_rhs               = NULL;
    d->compiled_rhs_jacobian      = NULL;
    d->compiled_residual          = NULL;
    d->compiled_residual_jacobian = NULL;
    cd_ode_state_copy(&s->system, &c->x, &s->x);
    s->needs_projection = false;
    s->next_sample      = c->next_sample;
    s->energy           = c->energy;
    *s->summary         = c->summary;
    s->summary->steps   = steps;
    copy_values((size_t)(d->m->nq_joint - d->m->nq), c->derived_q, d->q + d->m->nq);
    copy_values(n, c->constraint_history, d->constraints.history);
    copy_values(constraint_history_size(&d->rotors), c->constraint_history + n, d->rotors.history);
    d->state_stale = true;
    cd_events_reset(&s->events, &s->x);
    for (int i = 0; i < s->events.count; ++i) s->events.function[i].is_positive = c->is_positive[i];
    cd_events_freeze_stops(&s->events);
    if (s->directions.count > 0 && !cd_simulation_set_state(s, &s->x))
        cd_direction_monitor_start(&s->system, &s->directions);
    s->checkpoint.mismatch = false;
}
