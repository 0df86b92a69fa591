// SPDX-License-Identifier: BSD-3-Clause
// Dry friction of a joint by its load R, the magnitude of its reaction force:
//
//   level = friction + coefficient R         (rotations: coefficient R radius)
//
// The reaction depends on the friction: a fixed-point iteration over R, starting from that of the last solve. It converges
// while the friction of a joint changes its own reaction by less than the reaction itself: it does not where it jams.
#include "dynamics/contacts/axis_loads.h"

#include "dynamics/contacts/axis_contacts.h"
#include "dynamics/data.h"

#include <math.h>

double cd_axis_loads_update(cardan_data* d, const double* a)
{
    cd_contacts* c      = d->contacts;
    double       change = 0, largest = 0;
    cd_compute_given_reactions(d, a);
    for (int i = 0; i < c->naxis; ++i) {
        cd_axis_contact* axis = &c->axis[i];
        if (axis->kind != CD_ELEMENT_FRICTION) continue;
        const double before = axis->static_friction[0];
        axis->load          = v3_length(d->reactions.joint_wrench[axis->joint].l);
        cd_axis_set_levels(d->m, axis);
        change  = fmax(change, fabs(axis->static_friction[0] - before));
        largest = fmax(largest, axis->static_friction[0]);
    }
    return largest > 0 ? change / largest : 0;
}
