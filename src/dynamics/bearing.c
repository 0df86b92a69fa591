// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/bearing.h"

static const double vanished = 1e-9;

bool cd_bearing_of(cardan_data* d, int i, vec3* m)
{
    const cd_constraint* c = &d->closure.constraint[i];
    cd_end               end[CD_ENDS_MAX];
    if (!c->type->bearing) return false;
    cd_know_world(d);
    for (int n = 0; n < c->nend; ++n) end[n] = cd_end_of(cd_end_at(c, n), &d->world);
    return c->type->bearing(c, end, m);
}

bool cd_bearing_vanishes(vec3 m) { return v3_dot(m, m) < vanished * vanished; }

int cd_bearing_lost(cardan_data* d)
{
    vec3 m;
    for (int i = 0; i < d->closure.nconstraint; ++i)
        if (cd_bearing_of(d, i, &m) && cd_bearing_vanishes(m)) return i;
    return CARDAN_NONE;
}

cardan_status cd_fail_bearing(const cardan_data* d, int constraint, double t, cardan_status status,
                              cardan_report* report)
{
    const cd_constraint* c = &d->closure.constraint[constraint];
    return cardan_fail(report, status, CARDAN_CODE_CONSTRAINT_UNDEFINED, c->place,
                       "%s '%s': at t = %.9g s %s: %s is not defined there, and the motion does not go on", c->what,
                       c->name, t, c->type->lost, c->type->name);
}
