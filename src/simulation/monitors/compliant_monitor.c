// SPDX-License-Identifier: BSD-3-Clause
// Compliant contacts of a run: a note with the speed of regularized friction, a warning if the steps of a fixed-step method
// are too long for a contact, and the contact points that hold bristles at the start of every step.
//
// A mass m that rests on a contact with the force k d^n = m g oscillates with the half period
//
//   T = pi sqrt(m/k_1),   k_1 = n k d^(n-1)
//
// where m is the reduced mass of both bodies; without gravity d = 1 mm. Explicit methods need steps below T/5.
#include "dynamics/contacts/compliant_contacts.h"
#include "dynamics/data.h"
#include "dynamics/dynamics_tolerances.h"
#include "math/pi.h"
#include "simulation/simulation.h"

#include <math.h>

static bool applies(const cd_simulation* s) { return !s->is_prescribed && s->system.data->forces.compliant; }

static double inverse_mass(const cardan_model* m, int body)
{
    return body == CARDAN_GROUND || !(m->view.body[body].mass > 0) ? 0 : 1 / m->view.body[body].mass;
}

static double half_period(const cardan_data* d, int pair)
{
    const cd_contact_scene* s       = d->forces.compliant->scene;
    const cd_compliant_law* law     = &d->forces.compliant->law[pair];
    const double*           g       = d->m->view.gravity;
    const double            gravity = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const double            inverse = inverse_mass(d->m, s->shape[s->pair[pair].shape[0]].body) +
                           inverse_mass(d->m, s->shape[s->pair[pair].shape[1]].body);
    const double depth = gravity > 0 && inverse > 0 ? pow(gravity / (inverse * law->stiffness), 1 / law->exponent)
                                                    : cd_brush_reference_penetration;
    return inverse > 0 ? CD_PI / sqrt(inverse * law->exponent * law->stiffness * pow(depth, law->exponent - 1))
                       : INFINITY;
}

static const char* body_name(const cardan_data* d, int pair, int end)
{
    const cd_contact_scene* s    = d->forces.compliant->scene;
    const int               body = s->shape[s->pair[pair].shape[end]].body;
    return body == CARDAN_GROUND ? "ground" : d->m->view.body[body].name;
}

static void warn_of_long_steps(const cd_simulation* s)
{
    const cardan_data* d        = s->system.data;
    double             shortest = INFINITY;
    int                pair     = 0;
    if (s->integrator->is_adaptive || s->integrator->uses_residual || s->integrator->uses_dense_jacobian) return;
    for (int i = 0; i < d->forces.compliant->scene->npair; ++i)
        if (half_period(d, i) < shortest) shortest = half_period(d, pair = i);
    if (s->run.step <= cd_contact_step_fraction * shortest) return;
    cardan_warn(
        s->report, CARDAN_CODE_STIFF, cardan_location_none(),
        "the compliant contact of '%s' and '%s' has a half period of %.3g s: '%s' needs steps of at most %.3g s; "
        "cvode-bdf, or the contact law rigid, permits longer ones",
        body_name(d, pair, 0), body_name(d, pair, 1), shortest, s->integrator->name,
        cd_contact_step_fraction * shortest);
}

static void note_friction_speed(const cd_simulation* s)
{
    const cd_compliant_contacts* c = s->system.data->forces.compliant;
    if (c->scene->settings.friction_speed > 0) return;
    for (int i = 0; i < c->scene->npair; ++i)
        if (c->law[i].static_friction > 0 && !c->law[i].has_brush) {
            cardan_note(
                s->report, CARDAN_CODE_COMPLIANT_CONTACT, c->scene->settings.location,
                "compliant contacts: regularized friction with the speed %.3g m/s; bodies that should stick creep "
                "more slowly than that",
                c->law[i].friction_speed);
            return;
        }
}

static cardan_status hold_bristles(cd_simulation* s)
{
    cardan_data* d = s->system.data;
    if (d->forces.compliant->nbristle == 0) return CARDAN_OK;
    const cardan_status status = cd_simulation_set_state(s, &s->x);
    if (status != CARDAN_OK) return cd_fail_run(s, status);
    s->step.data_moved = true;
    cd_compliant_hold_bristles(d);
    return CARDAN_OK;
}

static cardan_status start(cd_simulation* s, void* work, cd_start_reason reason)
{
    (void)work;
    if (reason == CD_START_STATE) cd_compliant_release_bristles(s->system.data);
    if (reason == CD_START_STEPS) {
        warn_of_long_steps(s);
        note_friction_speed(s);
    }
    return reason == CD_START_MEMORY || reason == CD_START_STATE ? CARDAN_OK : hold_bristles(s);
}

static cd_verdict check_step(cd_simulation* s, void* work)
{
    (void)work;
    s->step.status = hold_bristles(s);
    return s->step.status == CARDAN_OK ? CD_VERDICT_CONTINUE : CD_VERDICT_ABORT;
}

const cd_monitor cd_monitor_compliant = {
    .applies = applies,
    .start   = start,
    .check   = {[CD_PHASE_OUTPUT] = check_step},
};
