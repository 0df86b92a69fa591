// SPDX-License-Identifier: BSD-3-Clause
// Impacts of a run: velocities jump at all closed contacts at once. The energy that is lost is added to the work of the
// state, so that the energy balance of the run closes. Painleve's configuration has no accelerations: the impulses of an
// inelastic impact whose approach is that of an infinitesimal time of free motion (impact without collision).
#include "dynamics/contacts/contacts.h"
#include "dynamics/state.h"
#include "simulation/contact/contact_run.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double energy(cardan_data* d)
{
    const cardan_energies e = cardan_data_energy(d);
    return e.kinetic + e.potential;
}

// Set the modes of closed contacts: those that separate are open, the others stick or slip by their velocity.
static void set_mode(cardan_data* d, int i, double rest)
{
    const cd_contact_motion motion = cd_contacts_velocity(d, i);
    const double*           u      = motion.velocity;
    cd_contact*             c      = cd_contacts_point(d, i);
    if (!c) {
        cd_axis_contact* axis = cd_contacts_axis(d, i);
        if (axis->kind == CD_ELEMENT_LIMIT)
            axis->mode = u[0] > rest ? CD_CONTACT_OPEN : CD_CONTACT_STICK;
        else
            axis->mode = fabs(u[0]) > rest ? CD_CONTACT_SLIP : CD_CONTACT_STICK;
        if (axis->mode == CD_CONTACT_SLIP) axis->direction = u[0] > 0 ? 1 : -1;
        return;
    }
    const double slip = hypot(u[1], u[2]), roll = motion.nrow == 6 ? hypot(u[4], u[5]) : 0,
                 spin = motion.nrow == 6 ? fabs(u[3]) : 0;
    c->state.mode     = u[0] > rest ? CD_CONTACT_OPEN : slip > rest ? CD_CONTACT_SLIP : CD_CONTACT_STICK;
    c->state.rolls    = roll * c->properties->rolling > rest;
    c->state.spins    = spin * c->properties->spinning > rest;
    for (int k = 0; k < 3; ++k) {
        if (slip > rest) c->state.direction[k] = (u[1] * c->tangent[0][k] + u[2] * c->tangent[1][k]) / slip;
        if (c->state.rolls) c->state.roll_direction[k] = (u[4] * c->tangent[0][k] + u[5] * c->tangent[1][k]) / roll;
    }
    if (c->state.spins) c->state.spin_direction = u[3] > 0 ? 1 : -1;
}

void cd_contact_mode_by_velocity(cd_contact_run* run, int contact)
{
    set_mode(run->s->system.data, contact, cd_contact_rest_speed * cd_contact_speed_scale(run));
}

void cd_contact_modes_by_velocity(cd_contact_run* run)
{
    cardan_data* d    = run->s->system.data;
    const double rest = cd_contact_rest_speed * cd_contact_speed_scale(run);
    for (int i = 0; i < cd_contacts_count(d); ++i)
        if (cd_contacts_mode(d, i) != CD_CONTACT_OPEN) set_mode(d, i, rest);
    cd_contacts_changed(d);
}

static double largest_impulse(cardan_data* d)
{
    double largest = 0;
    for (int i = 0; i < cd_contacts_count(d); ++i) {
        const cd_contact* c = cd_contacts_point(d, i);
        if (cd_contacts_mode(d, i) == CD_CONTACT_OPEN) continue;
        const double size = c ? sqrt(c->impulse[0] * c->impulse[0] + c->impulse[1] * c->impulse[1] + //
                                     c->impulse[2] * c->impulse[2])
                              : fabs(cd_contacts_axis(d, i)->impulse);
        largest           = fmax(largest, size);
    }
    return largest;
}

static void report_impact(cd_contact_run* run, cardan_event event, int contact)
{
    cardan_data* d = run->s->system.data;
    event.joint = event.axis = CARDAN_NONE;
    cd_contact_names(d, contact, event.description, sizeof event.description);
    cd_contact_bodies(d, contact, event.body);
    cd_report_monitor_event(run->s, &event);
}

// Approaching contacts: the fastest one, and whether all are to be inelastic.
typedef struct approach {
    int        contact;
    double     speed;
    bool       is_inelastic;
    int        ends; // contact whose bounces end, or -1
    cd_bounces bounces;
} approach;

static approach find_approach(cd_contact_run* run, double t)
{
    cardan_data* d    = run->s->system.data;
    const double rest = cd_contact_rest_speed * cd_contact_speed_scale(run);
    approach     all  = {.contact = -1, .is_inelastic = true, .ends = -1};
    for (int i = 0; i < cd_contacts_count(d); ++i) {
        const cd_contact_motion motion = cd_contacts_velocity(d, i);
        if (cd_contacts_mode(d, i) == CD_CONTACT_OPEN || motion.kind == CD_ELEMENT_FRICTION) continue;
        const double speed   = -motion.velocity[0];
        cd_bounces   bounces = {0};
        if (!(speed > rest)) continue;
        if (!cd_bounces_add(run, i, t, speed, &bounces)) all.is_inelastic = false;
        if (bounces.impacts > 0) {
            all.ends    = i;
            all.bounces = bounces;
        }
        if (!(speed > all.speed)) continue;
        all.speed   = speed;
        all.contact = i;
    }
    return all;
}

// Positions exactly at touch, without a change of velocities: otherwise overlaps of round-off would add up over the impacts.
static cardan_status close_gaps(cd_contact_run* run, cd_ode_state* x)
{
    cardan_data* d  = run->s->system.data;
    const size_t nv = (size_t)d->m->nv;
    double       gap, velocity;
    memcpy(run->saved_v, x->z, nv * sizeof *run->saved_v);
    const cardan_status status = cd_contact_correct(d, &gap, &velocity);
    if (status) return status;
    memcpy(x->q, d->q, (size_t)run->s->system.nq * sizeof *x->q);
    memcpy(x->z, run->saved_v, nv * sizeof *x->z);
    return cd_simulation_set_state(run->s, x);
}

static void take_velocities(cd_contact_run* run, cd_ode_state* x, double energy_before, double* lost)
{
    cd_ode_system* system = &run->s->system;
    memcpy(x->z, system->data->v, (size_t)system->nv * sizeof *x->z);
    *lost = energy_before - energy(system->data);
    x->z[system->nz - 1] -= *lost;
    run->s->summary->contacts.impact_loss += *lost;
}

static cardan_status fail_impact(cd_contact_run* run, int contact, double t)
{
    char names[160];
    cd_contact_names(run->s->system.data, contact, names, sizeof names);
    return cardan_fail(run->s->report, CARDAN_NOT_CONVERGED, CARDAN_CODE_CONTACT_NOT_SOLVED,
                       cd_contact_location(run->s->system.data, contact),
                       "%s are squeezed at t = %.9g s: no velocities satisfy contacts, joints and drivers together",
                       names, t);
}

static void record_residual(cd_contact_run* run, const cd_contact_impact_result* result, int contact, double t)
{
    cardan_contact_summary* summary  = &run->s->summary->contacts;
    const double            relative = result->residual / fmax(result->largest_approach, cd_contact_speed_scale(run));
    if (result->restitution < summary->restitution_least) summary->restitution_least = result->restitution;
    if (!(relative > summary->residual)) return;
    summary->residual   = relative;
    summary->residual_t = t;
    cd_contact_bodies(run->s->system.data, contact, summary->residual_body);
}

cardan_status cd_contact_run_impact(cd_contact_run* run, cd_ode_state* x, bool* happened)
{
    cardan_data*            d       = run->s->system.data;
    cardan_contact_summary* summary = &run->s->summary->contacts;
    const approach          all     = find_approach(run, x->t);
    *happened                       = all.contact >= 0;
    if (!*happened) return CARDAN_OK;
    cd_contact_impact_result result = {.restitution = 1};
    double                   lost   = 0;
    cardan_status            status = close_gaps(run, x);
    const double             before = energy(d);
    const cardan_impact_law  law =
        d->contacts->set.scene ? d->contacts->set.scene->settings.impact : CARDAN_IMPACT_AUTOMATIC;
    if (!status) status = cd_contact_impact(d, law, all.is_inelastic, &result);
    if (status || result.status == CD_CONTACT_INFEASIBLE) return fail_impact(run, all.contact, x->t);
    take_velocities(run, x, before, &lost);
    record_residual(run, &result, all.contact, x->t);
    ++summary->impacts;
    summary->fastest_impact  = fmax(summary->fastest_impact, all.speed);
    const cardan_event event = {
        .kind = CARDAN_EVENT_IMPACT, .t = x->t, .value = lost, .speed = all.speed, .impulse = largest_impulse(d)};
    report_impact(run, event, all.contact);
    if (all.ends < 0) return CARDAN_OK;
    const cd_bounces* b = &all.bounces;
    ++summary->bounces_ended;
    report_impact(run,
                  (cardan_event){.kind    = CARDAN_EVENT_BOUNCES_END,
                                 .t       = x->t,
                                 .speed   = all.speed,
                                 .value   = b->t + b->flight * b->ratio / (1 - b->ratio),
                                 .impacts = b->impacts},
                  all.ends);
    return CARDAN_OK;
}

// Accelerations without forces of the contacts that are closed, into run->a; returns the last of these contacts.
static int accelerate_freely(cd_contact_run* run)
{
    cardan_data* d       = run->s->system.data;
    int          contact = 0;
    for (int i = 0; i < cd_contacts_count(d); ++i) {
        run->at_start[i].mode = cd_contacts_mode(d, i);
        if (run->at_start[i].mode != CD_CONTACT_OPEN) contact = i;
        cd_contact_set_mode(d, i, CD_CONTACT_OPEN);
    }
    cd_contacts_changed(d);
    const cardan_status status = cardan_data_accelerate(d, run->a, NULL, NULL);
    for (int i = 0; i < cd_contacts_count(d); ++i) cd_contact_set_mode(d, i, run->at_start[i].mode);
    cd_contacts_changed(d);
    return status ? -1 : contact;
}

cardan_status cd_contact_run_jam(cd_contact_run* run, cd_ode_state* x)
{
    cardan_data*             d      = run->s->system.data;
    cd_contact_impact_result result = {.restitution = 1};
    double                   lost = 0, largest = 0;
    const double             before  = energy(d);
    const int                contact = accelerate_freely(run);
    if (contact < 0) return CARDAN_NOT_CONVERGED;
    // approach by free motion in a time in which velocities hardly change
    for (int i = 0; i < d->m->nv; ++i) largest = fmax(largest, fabs(run->a[i]));
    const double h = cd_contact_jam_speed * fmax(cd_velocity_scale(&run->s->system, x->z), 1) / fmax(largest, 1e-300);
    for (int i = 0; i < d->m->nv; ++i) x->z[i] += h * run->a[i];
    cardan_status status = cd_simulation_set_state(run->s, x);
    if (!status) status = cd_contact_impact(d, CARDAN_IMPACT_NEWTON, true, &result);
    if (status || result.status == CD_CONTACT_INFEASIBLE) return fail_impact(run, contact, x->t);
    take_velocities(run, x, before, &lost);
    ++run->s->summary->contacts.jams;
    report_impact(run,
                  (cardan_event){.kind = CARDAN_EVENT_JAM, .t = x->t, .value = lost, .impulse = largest_impulse(d)},
                  contact);
    return CARDAN_OK;
}
