// SPDX-License-Identifier: BSD-3-Clause
// Start of a run with rigid contacts: what can be refused before it.
#include "dynamics/contacts/contacts.h"
#include "model/model.h"
#include "simulation/contact/contact_run.h"
#include "simulation/integrators/integrator.h"
#include "simulation/simulation.h"

cardan_status cd_contact_check_start(cd_contact_run* run)
{
    cardan_data* d     = run->s->system.data;
    int          worst = -1;
    double       depth = cd_contact_start_overlap * run->length;
    char         names[160];
    cd_contacts_search(d, cd_contact_search_margin * run->length);
    for (int i = 0; i < d->contacts->set.n; ++i) {
        const double gap = cd_contacts_velocity(d, i).gap;
        if (gap >= -depth) continue;
        depth = -gap;
        worst = i;
    }
    if (worst < 0) return CARDAN_OK;
    cd_contact_names(d, worst, names, sizeof names);
    return cardan_fail(run->s->report, CARDAN_BAD_INPUT, CARDAN_CODE_START_INCONSISTENT, cd_contact_location(d, worst),
                       "%s overlap by %.4g m at the start: move them apart by that distance, or list the pair under "
                       "`ignore`",
                       names, depth);
}

static const char* reason_of(const cd_integrator* method)
{
    if (method->is_regularized) return "satisfies constraints approximately, in windows of steps";
    if (method->uses_residual) return "solves the residual of the equations without contact forces";
    if (method->is_multistep || method->uses_rhs_jacobian)
        return "uses past steps, which are not valid after a correction of gaps";
    if (method->uses_dense_jacobian || !method->uses_rhs)
        return "needs derivatives of forces, which rigid contacts do not have";
    return NULL;
}

cardan_status cd_contact_check_integrator(const cardan_data* d, int integrator, cardan_report* report)
{
    const cd_integrator* method = cd_integrator_at(integrator);
    const char*          reason = d->contacts ? reason_of(method) : NULL;
    if (!reason) return CARDAN_OK;
    return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, cardan_location_none(),
                       "the integrator '%s' does not support rigid contacts: it %s; use dopri5, rk4, midpoint or "
                       "explicit-euler, or the compliant contact law",
                       method->name, reason);
}
