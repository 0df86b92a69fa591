// SPDX-License-Identifier: BSD-3-Clause
// Models with rigid contacts, and refusals.
#include "dynamics/contacts/rigid_contacts.h"

#include "contact/scene/contact_scene.h"
#include "dynamics/contacts/axis_contacts.h"
#include "model/reaction_signals.h"

#include <stdio.h>
#include <string.h>

bool cd_model_has_rigid_contacts(const cardan_model* m)
{
    return (m->contact_scene && m->contact_scene->settings.law == CARDAN_CONTACT_RIGID) || cd_axis_contact_count(m) > 0;
}

// What the model has, and where: of joints the first one.
static const char* kind_of(const cardan_model* m, cardan_location* location)
{
    *location = m->view.contact_settings->location;
    if (m->contact_scene && m->contact_scene->settings.law == CARDAN_CONTACT_RIGID) return "rigid contacts";
    for (int j = 0; j < m->view.njoint; ++j)
        for (int k = 0; k < m->view.joint[j].naxis; ++k) {
            *location = m->view.joint[j].location;
            if (m->view.joint[j].axis[k].sticking_friction) return "dry friction that sticks";
            if (m->view.joint[j].axis[k].rigid_stop) return "rigid stops";
        }
    return "rigid contacts";
}

cardan_status cd_refuse_rigid_contacts(const cardan_model* m, const char* reason, cardan_report* report)
{
    if (!cd_model_has_rigid_contacts(m)) return CARDAN_OK;
    cardan_location location;
    const char*     kind = kind_of(m, &location);
    return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, location, "'%s' has %s, %s", m->view.name,
                       kind, reason);
}

// Formulations that solve any right side exactly: "'lagrange', 'augmented' and 'order-n'".
static bool is_supported(const cd_formulation* f) { return !(f->properties & (CD_IS_RESIDUAL | CD_APPROXIMATE)); }

static const char* name_supported(char* text, size_t size)
{
    text[0] = 0;
    for (int i = 0; i < cd_formulation_count(); ++i) {
        const cd_formulation* f  = cd_formulation_at(i);
        const size_t          at = strlen(text);
        if (is_supported(f) && !(f->properties & CD_REFERENCE_IMPLEMENTATION))
            snprintf(text + at, size - at, "%s'%s'", at ? ", " : "", f->name);
    }
    return text;
}

cardan_status cd_contacts_check_supported(const cardan_model* m, const cd_formulation* f, cardan_report* report)
{
    char names[200];
    if (!cd_model_has_rigid_contacts(m)) return CARDAN_OK;
    if (is_supported(f))
        return cd_refuse_reaction_signals(m, "which is not supported together with rigid contacts", report);
    return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, cardan_location_none(),
                       "'%s' has rigid contacts, limits or dry friction, and the formulation '%s' does not solve for "
                       "them: use one of %s",
                       m->view.name, f->name, name_supported(names, sizeof names));
}
