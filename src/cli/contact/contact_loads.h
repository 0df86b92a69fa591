// SPDX-License-Identifier: BSD-3-Clause
// Contact forces of pairs of bodies: the columns `contacts` of the results. The pairs are those of the scene, so that they are
// known at the start.
#pragma once

#include "cli/support/loaded_model.h"

#include <cardan/contact_state.h>

typedef struct cd_contact_load {
    int    body[2];          // A before B in the description; ground is last
    char*  name;             // contact.A.B
    double normal, friction; // [N]
    double points;           // number of points that touch
} cd_contact_load;

typedef struct cd_contact_load_list {
    int              count;
    cd_contact_load* load; // (count) in the order of the bodies
    int              capacity;
    cardan_contact*  contact; // (capacity) at the sample
} cd_contact_load_list;

bool cd_contact_load_list_open(cd_contact_load_list* l, const cd_model_instance* c); // false if memory is exhausted
void cd_contact_load_list_close(cd_contact_load_list* l);
// Sum the forces of the last accelerations at the state of `data`; zeros for pairs that do not touch.
void cd_contact_load_list_update(cd_contact_load_list* l, cardan_data* data);
