// SPDX-License-Identifier: BSD-3-Clause
// Monitor of rigid contacts: memory, start, limit of steps, losses and summary.
#include "dynamics/contacts/contacts.h"
#include "dynamics/state.h"
#include "model/model.h"
#include "simulation/contact/contact_run.h"
#include "simulation/simulation.h"

#include <math.h>

static bool applies(const cd_simulation* s) { return !s->is_prescribed && s->system.data->contacts; }

static int capacity_of(const cd_contacts* contacts) { return contacts->set.capacity + contacts->naxis; }

static void layout(cd_simulation* s, cd_arena* arena, void* work)
{
    cd_contact_run*         run      = work;
    const cd_contacts*      contacts = s->system.data->contacts;
    const cd_contact_scene* scene    = contacts->set.scene;
    run->s                           = s;
    run->capacity                    = capacity_of(contacts) + 1;
    s->events.contacts               = run;
    if (scene) cd_contact_set_layout(scene, arena, &run->probe);
    CD_ARENA_ARRAY(arena, run->a, s->system.nv);
    CD_ARENA_ARRAY(arena, run->saved_v, s->system.nv);
    CD_ARENA_ARRAY(arena, run->at_start, run->capacity);
    CD_ARENA_ARRAY(arena, run->begins, run->capacity);
    CD_ARENA_ARRAY(arena, run->gap_floor, run->capacity);
    CD_ARENA_ARRAY(arena, run->before, run->capacity);
    CD_ARENA_ARRAY(arena, run->bounces, run->capacity);
    CD_ARENA_ARRAY(arena, run->released, run->capacity);
}

// Scales of gaps and speeds; in mechanisms without gravity speeds are compared with those that occur.
static void set_scales(cd_contact_run* run)
{
    cardan_data*            d     = run->s->system.data;
    const cd_contact_scene* scene = d->contacts->set.scene;
    const double*           g     = d->m->view.gravity;
    const double            size  = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    run->length                   = scene && scene->length > 0 ? scene->length : d->units.length_scale;
    run->speed_scale              = sqrt(size * run->length);
    d->contacts->velocity_scale   = run->speed_scale; // speeds of earlier runs do not count
    run->force_scale              = 0;
    for (int i = 0; i < d->m->nlink; ++i) run->force_scale += d->m->link[i].m * size;
    run->force_scale = cd_contact_weight_part * run->force_scale;
    if (!(run->force_scale > 0)) run->force_scale = DBL_MIN;
}

static void initialize(cd_simulation* s, cd_contact_run* run)
{
    const cd_contact_scene* scene = s->system.data->contacts->set.scene;
    if (scene) cd_contact_set_init(scene, &run->probe);
    set_scales(run);
    run->step_limit                       = INFINITY;
    run->burst_t                          = -INFINITY;
    s->summary->contacts                  = (cardan_contact_summary){.restitution_least = 1};
    s->summary->contacts.residual_body[0] = CARDAN_NONE;
    s->summary->contacts.residual_body[1] = CARDAN_NONE;
}

// Contacts of an earlier run are forgotten: the states follow from the state of the mechanism alone.
static cardan_status start_state(cd_simulation* s, cd_contact_run* run)
{
    cardan_data*  d      = s->system.data;
    cardan_status status = cd_set_state_reported(s, &s->x);
    if (status) return status;
    run->start_t = run->accounted_t = s->x.t;
    for (int i = 0; i < cd_contacts_count(d); ++i)
        if (cd_contacts_velocity(d, i).kind != CD_ELEMENT_FRICTION) cd_contact_set_mode(d, i, CD_CONTACT_OPEN);
    cd_contacts_changed(d);
    status = cd_contact_check_start(run);
    if (!status) cd_contact_modes_by_velocity(run);
    const double work = s->x.z[s->system.nz - 1]; // the energy balance begins behind an impact at the start
    if (!status) status = cd_contact_transition(run, &s->x, -INFINITY, true);
    s->x.z[s->system.nz - 1] = work;
    return status;
}

static cardan_status start(cd_simulation* s, void* work, cd_start_reason reason)
{
    cd_contact_run* run = work;
    if (reason == CD_START_MEMORY) {
        initialize(s, run);
        return CARDAN_OK;
    }
    if (reason == CD_START_STATE) {
        const cardan_status status = start_state(s, run);
        if (!status) run->step_limit = cd_contact_step_limit(run);
        return status;
    }
    if (reason != CD_START_INTEGRATOR) {
        if (reason != CD_START_STEPS) run->is_settled = false;
        return CARDAN_OK;
    }
    cardan_status status = CARDAN_OK;
    if (!run->is_settled || run->settled_t != s->x.t) {
        status = cd_contact_transition(run, &s->x, -INFINITY, false);
        if (!status) cd_events_update(&s->events, &s->x);
    }
    return status;
}

static double step_limit(const cd_simulation* s, const void* work)
{
    (void)s;
    return ((const cd_contact_run*)work)->step_limit;
}

static int closed_contacts(cardan_data* d, bool* slips)
{
    int closed = 0;
    for (int i = 0; i < cd_contacts_count(d); ++i) {
        const cd_contact* c = cd_contacts_point(d, i);
        if (cd_contacts_mode(d, i) == CD_CONTACT_OPEN || (!c && cd_contacts_axis(d, i)->kind == CD_ELEMENT_FRICTION))
            continue;
        ++closed;
        if (c && (c->state.mode == CD_CONTACT_SLIP || c->state.spins || c->state.rolls)) *slips = true;
    }
    return closed;
}

// Power of the contacts at time t of the last step; 0 if there is none.
static double power_at(cd_simulation* s, cd_contact_run* run, double t)
{
    if (s->integrator->dense_output(&s->system, s->integrator_work, t, &s->sample_x) ||
        cd_simulation_set_state(s, &s->sample_x) || cardan_data_accelerate(s->system.data, run->a, NULL, NULL))
        return 0;
    return cd_contacts_power(s->system.data);
}

// Sum the losses of the last step up to time t by Gauss's rule of three points; the states are still those of the step.
static void account(cd_simulation* s, cd_contact_run* run, double t)
{
    static const double     node  = 0.774596669241483377; // sqrt(3/5)
    cardan_contact_summary* sum   = &s->summary->contacts;
    bool                    slips = false;
    const double            h = t - run->accounted_t, middle = run->accounted_t + h / 2;
    const int               closed = closed_contacts(s->system.data, &slips);
    if (!(h > 0)) return;
    if (closed > sum->contacts_max) sum->contacts_max = closed;
    run->contact_time += h * closed;
    run->accounted_t = t;
    if (!slips) return;
    sum->friction_loss -= h / 18 *
                          (5 * power_at(s, run, middle - node * h / 2) + 8 * power_at(s, run, middle) +
                           5 * power_at(s, run, middle + node * h / 2));
    s->step.data_moved = true;
}

static cardan_status at_event(cd_simulation* s, void* work, const cd_ode_state* x)
{
    account(s, work, x->t);
    return CARDAN_OK;
}

static cd_verdict end_step(cd_simulation* s, void* work)
{
    cd_contact_run* run = work;
    if (s->x.t > run->accounted_t) account(s, run, s->x.t);
    if (cd_set_state_reported(s, &s->x)) return CD_VERDICT_ABORT;
    if (!run->is_settled || run->settled_t != s->x.t) {
        if (cardan_data_accelerate(s->system.data, run->a, NULL, s->report)) return CD_VERDICT_ABORT;
        cd_contact_begin_step(run);
    }
    run->step_limit = cd_contact_step_limit(run);
    return CD_VERDICT_CONTINUE;
}

static cardan_status at_output(cd_simulation* s, void* work, const cardan_sample* sample)
{
    cardan_data* d = s->system.data;
    (void)work;
    (void)sample;
    for (int i = 0; i < cd_contacts_count(d); ++i)
        if (cd_contacts_mode(d, i) != CD_CONTACT_OPEN)
            s->summary->contacts.overlap_max = fmax(s->summary->contacts.overlap_max, -cd_contacts_velocity(d, i).gap);
    return CARDAN_OK;
}

static cardan_status finish(cd_simulation* s, void* work, cardan_status status)
{
    const cd_contact_run* run  = work;
    const double          span = run->accounted_t - run->start_t;
    if (span > 0) s->summary->contacts.contacts_mean = run->contact_time / span;
    return status;
}

const cd_monitor cd_monitor_contact = {
    .applies    = applies,
    .work_size  = sizeof(cd_contact_run),
    .layout     = layout,
    .start      = start,
    .step_limit = step_limit,
    .check      = {[CD_PHASE_OUTPUT] = end_step},
    .at_output  = at_output,
    .at_event   = at_event,
    .finish     = finish,
};
