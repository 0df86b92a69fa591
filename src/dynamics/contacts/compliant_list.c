// SPDX-License-Identifier: BSD-3-Clause
// Compliant contacts as the public functions show them: the points that touch at the state, with their forces. A contact
// slides if it is faster than regularized friction resolves.
#include "dynamics/contacts/compliant_contacts.h"
#include "dynamics/data.h"
#include "dynamics/forces.h"
#include "dynamics/state.h"

#include <math.h>

static cardan_contact public_contact(const cardan_data* d, int i)
{
    const cd_compliant_contacts* c     = d->forces.compliant;
    const cd_compliant_contact*  at    = &c->contact[i];
    const cd_scene_pair*         pair  = &c->scene->pair[c->pair[i]];
    const vec3                   n     = v3_const(at->normal);
    const vec3                   u     = cd_relative_motion_at(&d->world, at->link, v3_const(at->point)).l;
    const vec3                   slide = v3_add_scaled(u, -v3_dot(n, u), n);
    const bool                   slips = sqrt(v3_dot(slide, slide)) > at->law->friction_speed;
    cardan_contact out = {.body      = {c->scene->shape[pair->shape[0]].body, c->scene->shape[pair->shape[1]].body},
                          .gap       = at->gap,
                          .phase     = slips ? CARDAN_CONTACT_SLIPS : CARDAN_CONTACT_STICKS,
                          .is_unique = true};
    for (int k = 0; k < 3; ++k) {
        out.point[k]            = at->point[k];
        out.normal[k]           = at->normal[k];
        out.force[k]            = v3_component(c->load[i].force, k);
        out.moment[k]           = v3_component(c->load[i].moment, k);
        out.sliding_velocity[k] = v3_component(slide, k);
    }
    return out;
}

int cd_compliant_list(cardan_data* d, int capacity, cardan_contact* contact)
{
    cd_update_forces(d);
    cd_update_world(d);
    for (int i = 0; i < d->forces.compliant->n && i < capacity; ++i) contact[i] = public_contact(d, i);
    return d->forces.compliant->n;
}
