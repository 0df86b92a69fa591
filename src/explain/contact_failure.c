// SPDX-License-Identifier: BSD-3-Clause
// Messages about contacts without a solution.
#include "explain/explain.h"

#include <math.h>

static const char* body_name(const cardan_model* m, int body)
{
    return body == CARDAN_GROUND ? "ground" : m->view.body[body].name;
}

// Element whose force is largest: the contacts that are squeezed or jam.
static int largest_force(const cd_contacts* c)
{
    int largest = 0;
    for (int e = 1; e < c->nelement; ++e)
        if (fabs(c->p[c->element[e].row]) > fabs(c->p[c->element[largest].row])) largest = e;
    return largest;
}

cardan_status cd_fail_contact(cardan_data* d, const cd_failure* failure, cardan_report* report)
{
    const cardan_model* m = d->m;
    const cd_contacts*  c = d->contacts;
    if (c->overflow)
        return cardan_fail(report, failure->status, CARDAN_CODE_CONTACT_NOT_SOLVED, cardan_location_none(),
                           "at t = %g s more contact points of '%s' are closed than events can follow (%d rows)",
                           failure->t, m->view.name, c->row_capacity);
    if (failure->status != CARDAN_NOT_CONVERGED)
        return cardan_fail(report, failure->status, CARDAN_CODE_CONTACT_NOT_SOLVED, cardan_location_none(),
                           "at t = %g s '%s' cannot solve for the contact forces of '%s': %s", failure->t,
                           d->formulation->name, m->view.name, cardan_status_text(failure->status));
    const int              contact = c->contact_of[largest_force(c)];
    const cd_contact*      point   = cd_contacts_point(d, contact);
    const cd_axis_contact* axis    = cd_contacts_axis(d, contact);
    if (axis)
        return cardan_fail(report, failure->status, CARDAN_CODE_CONTACT_NOT_SOLVED, m->view.joint[axis->joint].location,
                           "joint '%s': at t = %g s no force satisfies its %s: other contacts or driven joints "
                           "contradict it (residual acceleration %.2g)",
                           m->view.joint[axis->joint].name, failure->t,
                           axis->kind == CD_ELEMENT_LIMIT ? "limit" : "dry friction", c->residual);
    const bool sliding = point->state.mode == CD_CONTACT_SLIP && c->determinant <= 0;
    return cardan_fail(report, failure->status, CARDAN_CODE_CONTACT_NOT_SOLVED, cardan_location_none(),
                       "at t = %g s no force satisfies the contact of '%s' with '%s' at (%.6g, %.6g, %.6g): %s",
                       failure->t, body_name(m, point->body[0]), body_name(m, point->body[1]), point->point[0],
                       point->point[1], point->point[2],
                       sliding ? "friction jams while it slides (Painleve's configuration)"
                               : "the bodies are squeezed, or contacts contradict driven joints");
}
