// SPDX-License-Identifier: BSD-3-Clause
// Compliant contacts over traced numbers: closed forms of all contact points of a model. Whether a point touches is a
// selection by the sign of its gap, which remains in the code.
#include "generate/trace/traced_contacts.h"

#include "contact/scene/contact_scene.h"
#include "dynamics/contacts/compliant_laws.h"
#include "force/closed_form_contact.h"
#include "force/compliant_contact.h"

#include <stdlib.h>

cardan_status cd_traced_contacts_create(const cardan_model* m, cd_traced_contacts* c)
{
    cardan_report report;
    cardan_report_clear(&report);
    *c       = (cd_traced_contacts){.stored_energy = r_const(0), .stored_power = r_const(0)};
    c->scene = m->contact_scene;
    if (!c->scene) return CARDAN_OK;
    c->law = cd_allocate((size_t)c->scene->npair, sizeof *c->law);
    return c->law ? cd_compliant_laws(m, c->scene, c->law, &report) : CARDAN_NO_MEMORY;
}

void cd_traced_contacts_release(cd_traced_contacts* c) { free(c->law); }

static void add_point(const cd_world_motion* world, const int link[2], const cd_compliant_law* law,
                      const cd_closed_form_point* p, cd_traced_contacts* c, spatial* wrench)
{
    const spatial             V      = cd_relative_motion_at(world, link, p->point);
    const cd_compliant_motion motion = {p->gap, p->normal, V.l, V.a};
    const cd_compliant_load   load   = cd_compliant_load_of(law, &motion, v3_zero());
    cd_add_contact_wrench(world, link, p->point, load.force, load.moment, wrench);
    c->stored_energy = r_add(c->stored_energy, load.stored_energy);
    c->stored_power  = r_add(c->stored_power, load.stored_power);
}

void cd_traced_contacts_add(const cd_world_motion* world, cd_traced_contacts* c, spatial* wrench)
{
    for (int i = 0; c->scene && i < c->scene->npair; ++i) {
        const cd_scene_pair*      of = &c->scene->pair[i];
        const cd_scene_shape *    A = &c->scene->shape[of->shape[0]], *B = &c->scene->shape[of->shape[1]];
        const cd_closed_form_pair pair    = {{&A->geometry, &B->geometry}, {&A->frame, &B->frame}};
        const int                 link[2] = {A->frame.link, B->frame.link}, n = cd_closed_form_count(&pair);
        for (int k = 0; k < n; ++k) {
            const cd_closed_form_point p = cd_closed_form_point_at(&pair, world, k);
            add_point(world, link, &c->law[i], &p, c, wrench);
        }
    }
}
