// SPDX-License-Identifier: BSD-3-Clause
// Ever shorter flights between impacts of a contact. Where each is q times the one before it, q < 1, infinitely many of them
// end at
//
//     t* = t + f q/(1 - q),      t: time of the last impact,   f: last flight
//
// which is exact for uniform motion. A contact whose last three flights became shorter, and whose next one is too short to
// matter, is closed by an inelastic impact at t; what remains of its motion is below cd_contact_bounce_flight of the time
// that has passed.
#include "dynamics/contacts/contacts.h"
#include "simulation/contact/contact_run.h"
#include "simulation/simulation.h"

#include <math.h>

// Memory of the contact; else the one whose last impact is farthest in the past.
static cd_bounces* find(cd_contact_run* run, int pair, uint64_t key)
{
    cd_bounces* oldest = &run->bounces[0];
    for (int i = 0; i < run->capacity; ++i) {
        cd_bounces* b = &run->bounces[i];
        if (b->impacts > 0 && b->pair == pair && b->key == key) return b;
        if (b->impacts == 0 ? oldest->impacts > 0 : oldest->impacts > 0 && b->t < oldest->t) oldest = b;
    }
    *oldest = (cd_bounces){.pair = pair, .key = key};
    return oldest;
}

static void add_flight(cd_bounces* b, double t)
{
    const double flight = t - b->t;
    b->ratio            = b->impacts > 1 && b->flight > 0 ? flight / b->flight : INFINITY;
    b->shrinking        = b->ratio < cd_contact_bounce_ratio ? b->shrinking + 1 : 0;
    b->flight           = flight;
}

bool cd_bounces_add(cd_contact_run* run, int contact, double t, double speed, cd_bounces* ends)
{
    cardan_data*      d     = run->s->system.data;
    const cd_contact* c     = cd_contacts_point(d, contact);
    cd_bounces*       b     = c ? find(run, c->pair, c->key) : find(run, -2 - contact, 0);
    const double      given = d->contacts->set.scene ? d->contacts->set.scene->settings.restitution_speed : 0;
    if (b->impacts > 0) add_flight(b, t);
    ++b->impacts;
    b->t               = t;
    run->fastest       = fmax(run->fastest, speed);
    const bool shrink  = b->shrinking >= 3, //
        is_short       = shrink && b->ratio * b->flight < cd_contact_bounce_flight * (t - run->start_t),
               is_slow = speed < (given > 0 ? given : cd_contact_bounce_speed * run->fastest);
    if (shrink && (is_short || is_slow)) {
        *ends      = *b;
        b->impacts = b->shrinking = 0;
    }
    return is_short || is_slow;
}
