// SPDX-License-Identifier: BSD-3-Clause
// Gaps, relative velocities, accelerations and forces of contacts: for event functions and results.
#include "dynamics/contacts/axis_contacts.h"
#include "dynamics/contacts/compliant_contacts.h"
#include "dynamics/contacts/contact_rows.h"
#include "dynamics/state.h"

#include <cardan/contact_state.h>

#include <math.h>
#include <string.h>

static int element_of(const cd_contacts* c, int contact)
{
    for (int e = 0; e < c->nelement; ++e)
        if (c->contact_of[e] == contact) return e;
    return CARDAN_NONE;
}

static void point_velocity(const cardan_data* d, const cd_contact* point, cd_contact_motion* out)
{
    const spatial V = cd_contact_relative_velocity(point, &d->world);
    for (int i = 0; i < out->nrow; ++i) {
        const vec3 e     = v3_const(i % 3 == 0 ? point->normal : point->tangent[i % 3 - 1]);
        out->velocity[i] = v3_dot(e, i < 3 ? V.l : V.a);
    }
}

cd_contact_motion cd_contacts_velocity(cardan_data* d, int i)
{
    cd_contacts* c = d->contacts;
    cd_contacts_update_geometry(d, cd_contacts_mode(d, i) == CD_CONTACT_OPEN);
    cd_update_world(d);
    const cd_contact* point = cd_contacts_point(d, i);
    cd_contact_motion out   = {0};
    if (point) {
        out.kind = CD_ELEMENT_POINT;
        out.gap  = point->gap;
        out.nrow = point->properties->rolling > 0 || point->properties->spinning > 0 ? 6 : 3;
        point_velocity(d, point, &out);
    } else {
        // the rate of a coordinate is updated with its row: positions and velocities are those of the state
        const cd_axis_contact* axis = cd_contacts_axis(d, i);
        if (!c->velocity_valid) cd_axis_contacts_update(d);
        out.kind        = axis->kind;
        out.gap         = axis->gap;
        out.nrow        = 1;
        out.velocity[0] = axis->rate;
    }
    return out;
}

cd_contact_motion cd_contacts_motion(cardan_data* d, int i)
{
    const cd_contacts* c   = d->contacts;
    cd_contact_motion  out = cd_contacts_velocity(d, i);
    const int          e   = c->forces_valid ? element_of(c, i) : CARDAN_NONE;
    out.is_unique          = true;
    if (e == CARDAN_NONE) return out;
    out.is_unique = c->is_unique[e];
    for (int k = 0; k < out.nrow; ++k) {
        out.acceleration[k] = c->u[c->element[e].row + k];
        out.force[k]        = c->p[c->element[e].row + k];
    }
    return out;
}

static cardan_contact public_contact(cardan_data* d, int i)
{
    const cd_contact* point = cd_contacts_point(d, i);
    const int         e     = d->contacts->forces_valid ? element_of(d->contacts, i) : CARDAN_NONE;
    const bool        open  = point->state.mode == CD_CONTACT_OPEN;
    cardan_contact    out   = {.body      = {point->body[0], point->body[1]},
                               .gap       = point->gap,
                               .phase     = (cardan_contact_phase)point->state.mode,
                               .is_unique = e == CARDAN_NONE || d->contacts->is_unique[e]};
    const spatial     V     = cd_contact_relative_velocity(point, &d->world);
    const vec3        n     = v3_const(point->normal);
    const vec3        slide = v3_add_scaled(V.l, -v3_dot(n, V.l), n);
    for (int k = 0; k < 3; ++k) {
        out.point[k]            = point->point[k];
        out.normal[k]           = point->normal[k];
        out.force[k]            = open ? 0 : point->force[k];
        out.moment[k]           = open ? 0 : point->moment[k];
        out.impulse[k]          = point->impulse[k];
        out.sliding_velocity[k] = v3_component(slide, k);
    }
    return out;
}

int cardan_data_contacts(cardan_data* d, int capacity, cardan_contact* contact)
{
    if (!d || capacity < 0 || (capacity > 0 && !contact)) return -1;
    if (d->forces.compliant) return cd_compliant_list(d, capacity, contact);
    if (!d->contacts) return 0;
    cd_contacts_update_geometry(d, true);
    cd_update_world(d);
    for (int i = 0; i < d->contacts->set.n && i < capacity; ++i) contact[i] = public_contact(d, i);
    return d->contacts->set.n;
}
