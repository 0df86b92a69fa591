// SPDX-License-Identifier: BSD-3-Clause
// Admissible forces of redundant contacts: the accelerations do not decide between forces of the same effect. Least norm is
// one choice; where it leaves the cones of friction, the forces with the largest margin show whether any are inside.
#include "dynamics/contacts/admissible_forces.h"

#include "dynamics/contacts/contact_rows.h"
#include "dynamics/data.h"

void cd_contacts_choose_admissible_forces(cardan_data* d)
{
    cd_contacts* c = d->contacts;
    if (!c || !c->forces_valid || c->nelement == 0) return;
    const cd_contact_problem problem  = cd_contacts_problem(c, c->scale);
    cd_states_solution       solution = {.p = c->p, .u = c->u, .is_unique = c->is_unique};
    if (cd_contact_states_solve(&problem, c->element_state, c->states_work, &solution) != CD_STATES_REDUNDANT) return;
    cd_contact_feasible_forces(&problem, c->element_state, c->states_work, &solution);
    cd_contacts_store(d, c->p, false);
}
