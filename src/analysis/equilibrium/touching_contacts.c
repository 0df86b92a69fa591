// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/equilibrium/touching_contacts.h"
#include "analysis/analysis_tolerances.h"

#include "model/model.h"

#include <math.h>

bool cd_has_rigid_contacts(const cardan_data* d) { return d->contacts && d->contacts->set.scene; }

static double size_of_scene(const cardan_data* d)
{
    const cd_contact_scene* scene = d->contacts->set.scene;
    return scene->length > 0 ? scene->length : d->units.length_scale;
}

void cd_close_touching_contacts(cardan_data* d, cd_touching* touching)
{
    const double length = size_of_scene(d), overlap = cd_equilibrium_overlap * length;
    *touching = (cd_touching){.deepest = CARDAN_NONE};
    cd_contacts_search(d, cd_equilibrium_search_margin * length);
    for (int i = 0; i < cd_contacts_count(d); ++i) {
        const cd_contact_motion motion  = cd_contacts_velocity(d, i);
        const double            touches = cd_equilibrium_touch_gap * (motion.kind == CD_ELEMENT_POINT ? length : 1);
        const bool              closed  = motion.kind == CD_ELEMENT_FRICTION || motion.gap <= touches;
        cd_contact_state        state   = {.mode = closed ? CD_CONTACT_STICK : CD_CONTACT_OPEN};
        cd_contacts_set_state(d, i, &state);
        touching->nclosed += closed && motion.kind != CD_ELEMENT_FRICTION;
        if (motion.kind != CD_ELEMENT_POINT || -motion.gap <= fmax(overlap, touching->depth)) continue;
        touching->depth   = -motion.gap;
        touching->deepest = i;
    }
    cd_contacts_changed(d);
}
