// SPDX-License-Identifier: BSD-3-Clause
#include "motion/confirm.h"

#include "motion/simulation.h"

#include <math.h>

static const double enough =
    1e-8; // beside the largest acceleration: formulations differ by less, but for poses that are all but singular
enum { GROWS = 4, APART_MOST = 1000 };

static bool in_use(const cardan_data* d) { return d->generated || d->generated_equations; }

static void copy(size_t n, const double* from, double* to)
{
    for (size_t i = 0; i < n; ++i) to[i] = from[i];
}

static size_t memory_count(const cd_closure* c) { return (size_t)c->nconstraint * CD_MEMORY; }

void cd_confirmed_layout(simulation* s, cd_arena* arena)
{
    const cardan_data* d = s->system.data;
    if (!in_use(d)) return;
    cd_point_layout(&s->system, arena, &s->confirmed.x);
    CD_TAKE(arena, s->confirmed.out, 4 * s->system.model->nlaw + 2 * s->events.corners.count + 1);
    CD_TAKE(arena, s->confirmed.measured, d->m->nq_all - d->m->nq);
    CD_TAKE(arena, s->confirmed.memory, memory_count(&d->closure) + memory_count(&d->rotors));
}

void cd_confirm(simulation* s, const cd_point* x, long row)
{
    const cardan_data* d = s->system.data;
    cd_confirmed*      c = &s->confirmed;
    const size_t       n = memory_count(&d->closure);
    if (!in_use(d)) return;
    cd_point_copy(&s->system, x, &c->x);
    c->row       = row;
    c->evaluated = s->system.generated;
    c->balance   = s->balance;
    c->summary   = *s->summary;
    c->said      = s->report ? s->report->count : 0;
    for (int i = 0; i < s->events.count; ++i) c->out[i] = s->events.watch[i].out;
    copy((size_t)(d->m->nq_all - d->m->nq), d->q + d->m->nq, c->measured);
    copy(n, d->closure.memory, c->memory);
    copy(memory_count(&d->rotors), d->rotors.memory, c->memory + n);
}

cardan_status cd_confirm_row(simulation* s)
{
    cd_confirmed* c = &s->confirmed;
    if (!in_use(s->system.data)) return CARDAN_OK;
    c->off = cd_generated_error(s->system.data, s->system.a);
    if (s->system.data->held) c->off = fmax(c->off, cd_generated_equations_error(s->system.data, s->system.equations));
    c->t     = s->system.data->t;
    c->doubt = !(c->off <= enough);
    return c->doubt ? CARDAN_STOPPED : CARDAN_OK;
}

// Where the library cannot say there is nothing to compare.
cardan_status cd_confirm_at(simulation* s, const cd_point* x)
{
    cd_system*    system = &s->system;
    cd_confirmed* c      = &s->confirmed;
    if (!in_use(system->data)) return CARDAN_OK;
    if (system->code_off > enough) {
        c->off   = system->code_off;
        c->t     = system->code_t;
        c->doubt = true;
        return CARDAN_STOPPED;
    }
    c->apart = c->apart < APART_MOST / GROWS ? GROWS * (c->apart + 1) : APART_MOST;
    c->next  = system->generated + c->apart;
    if (cd_simulation_set(s, x) || !cd_generated_fits(system->data)) return CARDAN_OK;
    return cardan_accelerate(system->data, system->a, NULL, NULL) ? CARDAN_OK : cd_confirm_row(s);
}

bool cd_confirm_due(const simulation* s)
{
    if (!in_use(s->system.data)) return false;
    return s->system.code_off > enough ||
           (s->system.generated >= s->confirmed.next && s->system.generated > s->confirmed.evaluated);
}

void cd_confirm_soon(simulation* s) { s->confirmed.next = s->system.generated + 1; }

bool cd_confirm_fails(const simulation* s, cardan_status status)
{
    if (!in_use(s->system.data)) return false;
    return s->confirmed.doubt || (status && status != CARDAN_STOPPED && status != CARDAN_NO_MEMORY &&
                                  s->system.generated > s->confirmed.evaluated);
}

void cd_confirm_return(simulation* s, cardan_status status)
{
    cardan_data*        d     = s->system.data;
    const cd_confirmed* c     = &s->confirmed;
    const size_t        n     = memory_count(&d->closure);
    const char*         name  = d->m->view.name;
    const long          steps = s->summary->steps;
    if (s->report) {
        for (int i = c->said; i < s->report->count; ++i)
            s->report->errors -= s->report->message[i].severity == CARDAN_ERROR;
        s->report->count = c->said;
    }
    if (c->doubt)
        cardan_warn(s->report, CARDAN_CODE_GENERATED_CODE_MISMATCH, cardan_nowhere(),
                    "generated code of '%s' is off by %.2g of the largest acceleration, or force, at t = %g s: from t "
                    "= %g s, where it was right, the run is done by the library",
                    name, c->off, c->t, c->x.t);
    else
        cardan_note(s->report, CARDAN_CODE_GENERATED_CODE_ABANDONED, cardan_nowhere(),
                    "with generated code the run of '%s' fails (%s): from t = %g s it is done by the library", name,
                    cardan_status_text(status), c->x.t);
    d->generated                 = NULL;
    d->generated_slopes          = NULL;
    d->generated_equations       = NULL;
    d->generated_equation_slopes = NULL;
    cd_point_copy(&s->system, &c->x, &s->x);
    s->open           = false;
    s->row            = c->row;
    s->balance        = c->balance;
    *s->summary       = c->summary;
    s->summary->steps = steps;
    copy((size_t)(d->m->nq_all - d->m->nq), c->measured, d->q + d->m->nq);
    copy(n, c->memory, d->closure.memory);
    copy(memory_count(&d->rotors), c->memory + n, d->rotors.memory);
    d->renew = true;
    cd_events_settle(&s->events, &s->x);
    for (int i = 0; i < s->events.count; ++i) s->events.watch[i].out = c->out[i];
    cd_events_hold(&s->events);
    if (s->bearings.count > 0 && !cd_simulation_set(s, &s->x)) cd_bearings_begin(&s->system, &s->bearings);
    s->confirmed.doubt = false;
}
