// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/contact/contact_events.h"

#include "dynamics/contacts/contacts.h"
#include "simulation/contact/contact_run.h"
#include "simulation/simulation.h"

#include <cardan/dynamics.h>

#include <float.h>
#include <math.h>

// Record of the set of the data at the features of a point that was found; -1: none. A closed contact of the same pair at
// the same place is the same contact, whatever its features.
static int find_record(const cd_contact_run* run, const cd_contact_set* set, const cd_contact* point)
{
    for (int i = 0; i < set->n; ++i)
        if (set->contact[i].pair == point->pair && set->contact[i].key == point->key) return i;
    for (int i = 0; i < set->n; ++i) {
        const cd_contact* c = &set->contact[i];
        if (c->pair != point->pair || c->state.mode == CD_CONTACT_OPEN) continue;
        double square = 0;
        for (int k = 0; k < 3; ++k) square += (c->point[k] - point->point[k]) * (c->point[k] - point->point[k]);
        if (sqrt(square) < cd_contact_same_place * run->length) return i;
    }
    return -1;
}

static double normal_velocity(const cd_contact* c, const cd_world_motion* world)
{
    const vec3 u = cd_contact_relative_velocity(c, world).l;
    return u.x * c->normal[0] + u.y * c->normal[1] + u.z * c->normal[2];
}

// Gap of an open contact, above its round-off `floor` at the start of the step. Behind an impact the gap of a contact that
// separates is zero up to round-off: it counts as open.
static double open_gap(const cd_contact_run* run, double gap, double floor, double separation)
{
    const double above = gap - floor;
    if (!(separation > 0) || above < -cd_contact_touch_gap * run->length) return above;
    return fmax(above, DBL_MIN);
}

static double touch_value(cd_contact_run* run, double* rate)
{
    cardan_data*    d     = run->s->system.data;
    cd_contacts*    all   = d->contacts;
    cd_contact_set* probe = &run->probe;
    double          least = cd_contact_search_margin * run->length;
    cd_update_world(d);
    if (probe->scene) cd_contact_set_search(d->m, &d->world, least, probe); // else only stops and friction of joints
    for (int i = 0; i < probe->n; ++i) {
        const cd_contact* c      = &probe->contact[i];
        const int         record = find_record(run, &all->set, c);
        if (record >= 0 && all->set.contact[record].state.mode != CD_CONTACT_OPEN) continue;
        const double separation = normal_velocity(c, &d->world),
                     gap        = open_gap(run, c->gap, record >= 0 ? run->gap_floor[record] : 0, separation);
        if (!(gap < least)) continue;
        least = gap;
        *rate = -separation;
    }
    for (int i = all->set.n; i < cd_contacts_count(d); ++i) {
        const cd_contact_motion motion = cd_contacts_velocity(d, i);
        if (motion.kind != CD_ELEMENT_LIMIT || cd_contacts_mode(d, i) != CD_CONTACT_OPEN) continue;
        const double gap = open_gap(run, motion.gap, run->gap_floor[i], motion.velocity[0]);
        if (!(gap < least)) continue;
        least = gap;
        *rate = -motion.velocity[0];
    }
    return -least;
}

static double force_value(cd_contact_run* run)
{
    cardan_data* d = run->s->system.data;
    if (cardan_data_accelerate(d, run->a, NULL, NULL)) return 1;
    const cd_contact_margin margin = cd_contact_force_margin(d);
    return isinf(margin.value) ? -1 : -margin.value / run->force_scale;
}

// Speed along a direction at the start of the step. Where several contacts of a body come to rest together, their directions
// become those of the errors of the velocities: then a change of direction ends the motion. Where slip begins, its speed is
// smaller than the errors at first, and their direction means nothing: only a reversal beyond them ends it.
static double reversal(double along, double speed, double scale, bool begins)
{
    const double stop = cd_contact_stop_speed * scale;
    if (begins) return along + stop / 2;
    return speed < stop ? along - cd_contact_turned * speed : along;
}

// The same for a contact, in all its motions.
static double speed_along_start(cardan_data* d, int i, const cd_contact_state* start, double scale, bool begins)
{
    const cd_contact_motion motion = cd_contacts_velocity(d, i);
    const cd_contact*       c      = cd_contacts_point(d, i);
    double                  least  = INFINITY;
    if (!c) return cd_contacts_axis(d, i)->direction * motion.velocity[0];
    double slip = 0, roll = 0;
    for (int k = 0; k < 3; ++k) {
        slip += start->direction[k] * (motion.velocity[1] * c->tangent[0][k] + motion.velocity[2] * c->tangent[1][k]);
        if (motion.nrow == 6)
            roll += start->roll_direction[k] *
                    (motion.velocity[4] * c->tangent[0][k] + motion.velocity[5] * c->tangent[1][k]);
    }
    if (start->mode == CD_CONTACT_SLIP && c->properties->static_friction > 0)
        least = reversal(slip, hypot(motion.velocity[1], motion.velocity[2]), scale, begins);
    if (motion.nrow < 6) return least;
    if (start->rolls && c->properties->rolling > 0) least = fmin(least, roll * c->properties->rolling);
    if (start->spins && c->properties->spinning > 0)
        least = fmin(least, start->spin_direction * motion.velocity[3] * c->properties->spinning);
    return least;
}

static bool may_come_to_rest(cardan_data* d, int i)
{
    const cd_contact* c = cd_contacts_point(d, i);
    if (!c) return cd_contacts_axis(d, i)->kind == CD_ELEMENT_FRICTION && cd_contacts_mode(d, i) == CD_CONTACT_SLIP;
    return c->state.mode == CD_CONTACT_SLIP ||
           (c->state.mode == CD_CONTACT_STICK && (c->state.spins || c->state.rolls));
}

static double speed_value(cd_contact_run* run)
{
    cardan_data* d     = run->s->system.data;
    const double scale = cd_contact_speed_scale(run);
    double       least = scale;
    for (int i = 0; i < cd_contacts_count(d); ++i)
        if (may_come_to_rest(d, i))
            least = fmin(least, speed_along_start(d, i, &run->at_start[i], scale, run->begins[i]));
    return -least;
}

static double feature_value(cd_contact_run* run)
{
    cardan_data* d = run->s->system.data;
    for (int i = 0; i < cd_contacts_count(d); ++i) {
        const cd_contact* c = cd_contacts_point(d, i);
        if (!c || c->state.mode == CD_CONTACT_OPEN) continue;
        cd_contacts_velocity(d, i); // updates the geometry
        if (c->moved || c->lost) return 1;
    }
    return -1;
}

double cd_contact_event_value(cd_contact_run* run, int function, double* rate)
{
    *rate                   = 0;
    run->s->step.data_moved = true;
    switch ((cd_contact_event_function)function) {
    case CD_CONTACT_TOUCH:
        return touch_value(run, rate);
    case CD_CONTACT_FORCE:
        return force_value(run);
    case CD_CONTACT_SPEED:
        return speed_value(run);
    default:
        return feature_value(run);
    }
}

double cd_contact_event_hysteresis(const cd_contact_run* run, int function)
{
    if (function == CD_CONTACT_TOUCH) return cd_contact_gap_roundoff * run->length;
    if (function == CD_CONTACT_SPEED) return cd_contact_speed_roundoff * run->speed_scale;
    return function == CD_CONTACT_FORCE ? cd_contact_force_roundoff : 0;
}
