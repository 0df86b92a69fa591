// SPDX-License-Identifier: BSD-3-Clause
// Models whose contacts can be expressed by formulas: compliant contacts with regularized friction between shapes whose
// contact points are closed forms (force/closed_form_contact.h).
#include "generate/trace/contact_check.h"

#include "contact/scene/contact_scene.h"
#include "contact/shape/shape.h"
#include "force/closed_form_contact.h"

static const char* body_name(const cardan_model* m, int body)
{
    return body == CARDAN_GROUND ? "ground" : m->view.body[body].name;
}

static cardan_status check_pairs(const cardan_model* m, const cd_contact_scene* s, const char* user,
                                 cardan_report* report)
{
    for (int i = 0; i < s->npair; ++i) {
        const cd_scene_shape *    A = &s->shape[s->pair[i].shape[0]], *B = &s->shape[s->pair[i].shape[1]];
        const cd_closed_form_pair pair = {{&A->geometry, &B->geometry}, {&A->frame, &B->frame}};
        if (cd_closed_form_count(&pair) == 0)
            return cardan_fail(
                report, CARDAN_UNSUPPORTED, CARDAN_CODE_FORM_UNAVAILABLE, m->view.shape[B->shape].location,
                "the contact of '%s' (%s) and '%s' (%s) is found by iteration at every state, which %s does "
                "not support; spheres, capsules, boxes, ellipsoids and tori on a plane, and two spheres, are "
                "supported",
                body_name(m, A->body), cd_shape_type_of(&A->geometry)->name, body_name(m, B->body),
                cd_shape_type_of(&B->geometry)->name, user);
    }
    return CARDAN_OK;
}

cardan_status cd_check_traced_contacts(const cardan_model* m, const char* user, cardan_report* report)
{
    const cd_contact_scene* scene = m->contact_scene;
    if (!scene) return CARDAN_OK;
    const cardan_contact_settings* settings = &scene->settings;
    if (settings->law != CARDAN_CONTACT_COMPLIANT)
        return cardan_fail(
            report, CARDAN_UNSUPPORTED, CARDAN_CODE_FORM_UNAVAILABLE, settings->location,
            "contacts of '%s' are rigid: their states change at events, which %s does not support; choose "
            "the law compliant",
            m->view.name, user);
    if (settings->compliant_friction == CARDAN_FRICTION_BRUSH)
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_FORM_UNAVAILABLE, settings->location,
                           "contacts of '%s' have brushes, which %s does not support; choose regularized friction",
                           m->view.name, user);
    return check_pairs(m, scene, user, report);
}
