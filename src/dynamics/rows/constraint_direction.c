// SPDX-License-Identifier: BSD-3-Clause
// Directions on which constraint equations depend, and detection of vanishing ones.
#include "dynamics/rows/constraint_direction.h"

#include "dynamics/dynamics_tolerances.h"
#include "dynamics/state.h"

bool cd_direction_of_constraint(cardan_data* d, int i, vec3* m)
{
    const cd_constraint* c = &d->constraints.constraint[i];
    cd_end_state         end[CD_CONSTRAINT_ENDS_MAX];
    if (!c->type->direction) return false;
    cd_update_world(d);
    for (int n = 0; n < c->nend; ++n) end[n] = cd_end_state_of(cd_constraint_end(c, n), &d->world);
    return c->type->direction(c, end, m);
}

bool cd_direction_vanishes(vec3 m) { return v3_dot(m, m) < cd_zero_direction_norm * cd_zero_direction_norm; }

int cd_find_vanished_direction(cardan_data* d)
{
    vec3 m;
    for (int i = 0; i < d->constraints.nconstraint; ++i)
        if (cd_direction_of_constraint(d, i, &m) && cd_direction_vanishes(m)) return i;
    return CARDAN_NONE;
}

cardan_status cd_fail_vanished_direction(const cardan_data* d, int constraint, double t, cardan_status status,
                                         cardan_report* report)
{
    const cd_constraint* c = &d->constraints.constraint[constraint];
    return cardan_fail(report, status, CARDAN_CODE_CONSTRAINT_UNDEFINED, c->location,
                       "%s '%s': at t = %.9g s %s: %s is not defined there, and the motion cannot continue",
                       c->category, c->name, t, c->type->direction_loss, c->type->name);
}
