// SPDX-License-Identifier: BSD-3-Clause
// Bristles of shapes: as many as a shape has contact points with a plane, at most four. Shapes of ground have none.
#include "model/shape_bristles.h"

int cd_shape_bristles(const cardan_description_view* view, int shape)
{
    const cardan_shape*            s        = &view->shape[shape];
    const cardan_contact_settings* settings = view->contact_settings;
    if (!s->material || s->body == CARDAN_GROUND || settings->law != CARDAN_CONTACT_COMPLIANT ||
        settings->compliant_friction != CARDAN_FRICTION_BRUSH)
        return 0;
    if (s->kind == CARDAN_SHAPE_SPHERE || s->kind == CARDAN_SHAPE_ELLIPSOID) return 1;
    return s->kind == CARDAN_SHAPE_CAPSULE ? 2 : 4;
}

cardan_status cd_refuse_bristles(const cardan_model* m, const char* reason, cardan_report* report)
{
    if (m->nbristle == 0) return CARDAN_OK;
    return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, m->view.contact_settings->location,
                       "contacts of '%s' have brushes, %s; choose regularized friction", m->view.name, reason);
}
