// SPDX-License-Identifier: BSD-3-Clause
// Names of contacts in messages.
#include "dynamics/contacts/contacts.h"
#include "dynamics/data.h"
#include "model/model.h"
#include "simulation/contact/contact_run.h"

#include <stdio.h>

void cd_contact_bodies(cardan_data* d, int contact, int body[2])
{
    const cd_contact* c = cd_contacts_point(d, contact);
    for (int k = 0; k < 2; ++k) body[k] = c ? c->body[k] : CARDAN_NONE;
}

static const char* body_name(const cardan_data* d, int body)
{
    return body >= 0 ? cardan_description_get_view(cardan_model_description(d->m)).body[body].name : NULL;
}

void cd_contact_names(cardan_data* d, int contact, char* text, size_t size)
{
    const cd_contact*      c    = cd_contacts_point(d, contact);
    const cd_axis_contact* axis = c ? NULL : cd_contacts_axis(d, contact);
    if (axis) {
        snprintf(text, size, "%s of joint '%.60s'",
                 axis->kind == CD_ELEMENT_LIMIT ? "parts at the stop" : "friction parts",
                 cardan_model_joint_name(d->m, axis->joint));
        return;
    }
    const char *a = body_name(d, c->body[0]), *b = body_name(d, c->body[1]);
    if (!a || !b)
        snprintf(text, size, "'%.60s' and ground", a ? a : b ? b : "");
    else
        snprintf(text, size, "'%.60s' and '%.60s'", a, b);
}

cardan_location cd_contact_location(cardan_data* d, int contact)
{
    const cardan_description_view view = cardan_description_get_view(cardan_model_description(d->m));
    int                           body[2];
    cd_contact_bodies(d, contact, body);
    for (int k = 0; k < 2; ++k)
        if (body[k] >= 0) return view.body[body[k]].location;
    return cardan_location_none();
}
