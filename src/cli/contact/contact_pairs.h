// SPDX-License-Identifier: BSD-3-Clause
// Contacts at a state, one line per pair of bodies.
#pragma once

#include "core/json.h"

#include <cardan/contact_state.h>
#include <cardan/describe.h>

typedef struct cd_contact_pair_sum {
    int    body[2];  // CARDAN_GROUND: ground
    int    npoint;   // contact points that touch or overlap
    double gap;      // [m] least one; negative: overlap
    double normal;   // [N] sum of normal forces
    double friction; // [N] size of the sum of friction forces
    double tangential[3];
    bool   is_unique; // the forces are determined
} cd_contact_pair_sum;

typedef struct cd_contact_pairs {
    int                  n;
    cd_contact_pair_sum* pair; // in the order of the contacts
} cd_contact_pairs;

// Collect closed contacts of the data. Returns false if there is no memory; cd_contact_pairs_free in any case.
bool cd_contact_pairs_collect(cardan_data* data, cd_contact_pairs* pairs);
void cd_contact_pairs_free(cd_contact_pairs* pairs);

// Forces of pairs, as a table and as an array `contacts`; nothing without contacts.
void cd_contact_pairs_print(const cd_contact_pairs* pairs, const cardan_description_view* view);
void cd_contact_pairs_write_json(cd_json_writer* json, const cd_contact_pairs* pairs,
                                 const cardan_description_view* view);
