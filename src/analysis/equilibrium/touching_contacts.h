// SPDX-License-Identifier: BSD-3-Clause
// Rigid contacts of shapes that touch at a state (touching_contacts.c).
#pragma once

#include "dynamics/contacts/contacts.h"
#include "dynamics/data.h"

typedef struct cd_touching {
    int    nclosed; // contact points and joint stops that touch or overlap
    int    deepest; // contact point that overlaps most; CARDAN_NONE: none overlaps
    double depth;   // [m] of that overlap
} cd_touching;

// Whether shapes of the model may touch by the rigid law.
bool cd_has_rigid_contacts(const cardan_data* d);
// Find the contact points at the state of the data; those that touch or overlap are closed and stick, others are open.
// Joint stops likewise; dry friction of joints sticks.
void cd_close_touching_contacts(cardan_data* d, cd_touching* touching);
