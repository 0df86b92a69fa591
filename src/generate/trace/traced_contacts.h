// SPDX-License-Identifier: BSD-3-Clause
// Contacts over traced numbers (trace_contacts.c). For trace_*.c and checks of models only.
#pragma once

#include "force/compliant_law.h"
#include "kinematics/world_motion.h"

#include <cardan/status.h>

typedef struct cd_traced_contacts {
    const struct cd_contact_scene* scene; // NULL: none
    cd_compliant_law*              law;
    real                           stored_energy, stored_power;
} cd_traced_contacts;

cardan_status cd_traced_contacts_create(const cardan_model* m, cd_traced_contacts* c);
void          cd_traced_contacts_release(cd_traced_contacts* c);
// Add the forces to the wrenches of the links, world axes.
void cd_traced_contacts_add(const cd_world_motion* world, cd_traced_contacts* c, spatial* wrench);
