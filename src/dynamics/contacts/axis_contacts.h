// SPDX-License-Identifier: BSD-3-Clause
// Rigid limits and dry friction of joint coordinates as contacts (axis_contacts.c).
#pragma once

#include "dynamics/contacts/contacts.h"

int  cd_axis_contact_count(const cardan_model* m); // coordinates with a rigid limit or friction that sticks
void cd_axis_contacts_layout(const cardan_model* m, cd_arena* arena, cd_contacts* c);
void cd_axis_contacts_init(const cardan_model* m, cd_contacts* c);
// Values, rates and rows of the coordinates at the state.
void cd_axis_contacts_update(struct cardan_data* d);
// Levels of dry friction by the load of the joint.
void cd_axis_set_levels(const cardan_model* m, cd_axis_contact* axis);
