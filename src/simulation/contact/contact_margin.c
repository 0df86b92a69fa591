// SPDX-License-Identifier: BSD-3-Clause
// Margin of contact forces within their cones. Where the forces of redundant contacts are not unique, the accelerations
// return those with the largest margin (impact/contact_states.h).
#include "dynamics/contacts/admissible_forces.h"
#include "dynamics/contacts/contacts.h"
#include "dynamics/data.h"
#include "simulation/contact/contact_run.h"

#include <math.h>

static void take_least(cd_contact_margin* least, double value, int contact, cd_contact_change change)
{
    if (!(value < least->value)) return;
    *least = (cd_contact_margin){.value = value, .contact = contact, .change = change};
}

static void point_margin(const cd_contact* c, const cd_contact_motion* motion, int i, cd_contact_margin* least)
{
    const cd_contact_properties* properties = c->properties;
    const double*                p          = motion->force;
    take_least(least, p[0], i, CD_CHANGE_LIFT);
    if (c->state.mode == CD_CONTACT_STICK && properties->static_friction > 0)
        take_least(least, properties->static_friction * p[0] - hypot(p[1], p[2]), i, CD_CHANGE_SLIP);
    if (motion->nrow < 6) return;
    if (!c->state.spins && properties->spinning > 0)
        take_least(least, p[0] - fabs(p[3]) / properties->spinning, i, CD_CHANGE_SPIN);
    if (!c->state.rolls && properties->rolling > 0)
        take_least(least, p[0] - hypot(p[4], p[5]) / properties->rolling, i, CD_CHANGE_ROLL);
}

static void axis_margin(const cd_axis_contact* axis, const cd_contact_motion* motion, int i, cd_contact_margin* least)
{
    const double force = motion->force[0];
    if (axis->kind == CD_ELEMENT_LIMIT)
        take_least(least, force, i, CD_CHANGE_LIFT);
    else if (axis->mode == CD_CONTACT_STICK) // friction opposes the motion that would begin
        take_least(least, axis->static_friction[force > 0 ? 1 : 0] - fabs(force), i, CD_CHANGE_SLIP);
}

cd_contact_margin cd_contact_own_margin(cardan_data* d, int contact)
{
    cd_contact_margin       least  = {.value = INFINITY, .contact = -1};
    const cd_contact_motion motion = cd_contacts_motion(d, contact);
    if (cd_contacts_mode(d, contact) == CD_CONTACT_OPEN) return least;
    if (cd_contacts_point(d, contact))
        point_margin(cd_contacts_point(d, contact), &motion, contact, &least);
    else
        axis_margin(cd_contacts_axis(d, contact), &motion, contact, &least);
    return least;
}

static cd_contact_margin least_margin(cardan_data* d, bool* is_unique)
{
    cd_contact_margin least = {.value = INFINITY, .contact = -1};
    *is_unique              = true;
    for (int i = 0; i < cd_contacts_count(d); ++i) {
        const cd_contact_margin own = cd_contact_own_margin(d, i);
        if (own.contact >= 0) *is_unique = *is_unique && cd_contacts_motion(d, i).is_unique;
        if (own.value < least.value) least = own;
    }
    return least;
}

cd_contact_margin cd_contact_force_margin(cardan_data* d)
{
    bool                    is_unique;
    const cd_contact_margin least = least_margin(d, &is_unique);
    if (is_unique || least.value >= 0) return least;
    cd_contacts_choose_admissible_forces(d);
    return least_margin(d, &is_unique);
}
