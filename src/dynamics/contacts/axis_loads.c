// SPDX-License-Identifier: BSD-3-Clause
// Dry friction of a joint by its load R, the magnitude of its reaction force:
//
//   level = friction + coefficient R         (rotations: coefficient R radius)
//
// The reaction depends on the friction: a fixed-point iteration over R, starting from that of the last solve. It converges
// while the friction of a joint changes its own reaction by less than the reaction itself: it does not where it jams.
#include "dynamics/contacts/axis_loads.h"

#include "dynamics/data.h"

#include <math.h>

static const cardan_axis_properties* properties_of(const cardan_model* m, const cd_axis_contact* axis)
{
    return &m->view.joint[axis->joint].axis[axis->axis];
}

static void set_levels(const cardan_model* m, cd_axis_contact* axis)
{
    const cardan_axis_properties* p          = properties_of(m, axis);
    const double                  kinetic[2] = {p->friction_forward, p->friction_backward},
                 fixed[2]                    = {p->static_friction_forward, p->static_friction_backward};
    const double load = axis->load * (cd_joint_velocity_is_rotation(m, axis->joint, axis->axis) ? p->load_radius : 1);
    for (int k = 0; k < 2; ++k) {
        axis->kinetic_friction[k] = kinetic[k] + p->load_friction_kinetic * load;
        axis->static_friction[k]  = fmax(kinetic[k], fixed[k]) + p->load_friction_static * load;
    }
}

void cd_axis_loads_apply(const cardan_model* m, cd_contacts* c)
{
    c->has_load_friction = false;
    for (int i = 0; i < c->naxis; ++i) {
        if (c->axis[i].kind != CD_ELEMENT_FRICTION) continue;
        set_levels(m, &c->axis[i]);
        c->has_load_friction |= properties_of(m, &c->axis[i])->load_friction_static > 0;
    }
}

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
        set_levels(d->m, axis);
        change  = fmax(change, fabs(axis->static_friction[0] - before));
        largest = fmax(largest, axis->static_friction[0]);
    }
    return largest > 0 ? change / largest : 0;
}
