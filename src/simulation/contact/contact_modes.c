// SPDX-License-Identifier: BSD-3-Clause
// Modes of contacts (open, stick, slip) of points and of joint coordinates, and the scale of the velocities that decide on them.
#include "simulation/contact/contact_run.h"
#include "simulation/simulation.h"

#include <math.h>

void cd_contact_set_mode(cardan_data* d, int i, cd_contact_mode mode)
{
    cd_contact* c = cd_contacts_point(d, i);
    if (c)
        c->state.mode = mode;
    else
        cd_contacts_axis(d, i)->mode = mode;
}

double cd_contact_speed_scale(const cd_contact_run* run)
{
    return fmax(run->speed_scale, fmax(run->fastest, run->s->system.data->contacts->velocity_scale));
}
