// SPDX-License-Identifier: BSD-3-Clause
// Compliant contacts of the data: contact points at the state, and their forces (compliant_contacts.c). Contacts of a
// model are compliant if the settings of its description say so; else d->forces.compliant is NULL.
//
// A run freezes the pairs that are open in a step, as it freezes stops: they exert no force until the event at which their
// gap is 0 was located.
#pragma once

#include "contact/scene/contact_scene.h"
#include "force/compliant_contact.h"

#include <cardan/contact_state.h>

enum { CD_PAIR_GAPS = 8 };

// Bristles: the deflections of brushes are user states behind those of the description (cd_shape_bristles), three for each
// bristle. A contact point holds one of A, or of B if A has none left; without one its friction is regularized.
typedef struct cd_bristle {
    int      shape; // of the scene
    int      pair;  // contact point that holds it, as of the last call of cd_compliant_hold_bristles; CARDAN_NONE
    uint64_t key;
    int      holder;    // contact point at the state, or -1
    double   stiffness; // k_t of its last contact [N/m], for the energy of a deflection that no contact point holds
} cd_bristle;

typedef struct cd_compliant_contacts {
    const cd_contact_scene* scene;
    cd_arena                arena;
    cd_compliant_law*       law;     // (2 scene->npair) of pairs; then the same without brush
    bool*                   is_open; // (scene->npair) pairs that exert no force, if `frozen`
    bool                    frozen;
    double (*bounds)[6];     // (scene->nshape)
    cd_contact_point* found; // (CD_CONTACT_POINTS_MAX)
    int               nbristle;
    cd_bristle*       bristle;

    // contact points at the state whose gap is negative
    int                   n, capacity;
    cd_compliant_contact* contact; // (capacity)
    int*                  pair;    // (capacity)
    uint64_t*             key;     // (capacity)
    cd_compliant_load*    load;    // (capacity)
    bool                  points_valid, rates_valid;
    double                stored_energy, stored_power;
    double*               relaxation; // (nbristle) [1/s] of the deflection, if no contact point holds it

    // the smallest gaps of each pair at the state, in ascending order, and their rates
    bool gaps_valid;
    double (*gap)[CD_PAIR_GAPS], (*gap_rate)[CD_PAIR_GAPS]; // (scene->npair)
} cd_compliant_contacts;

struct cardan_data;

bool cd_model_has_compliant_contacts(const cardan_model* m);
// Create d->forces.compliant; NULL if the model has none.
cardan_status cd_compliant_create(struct cardan_data* d, cardan_report* report);
void          cd_compliant_destroy(cd_compliant_contacts* c);

// Find the contact points at the state, if they are not valid; with their rates.
void cd_update_compliant_points(struct cardan_data* d, bool want_rates);
// Add the forces at the state to the wrenches of the links, world axes; the rest is stored in d->forces.compliant.
void cd_apply_compliant_contacts(struct cardan_data* d, spatial* wrench);
// Find the smallest gaps of all pairs at the state. INFINITY: there is none.
void cd_update_compliant_gaps(struct cardan_data* d);
// cardan_data_contacts of compliant contacts.
int cd_compliant_list(struct cardan_data* d, int capacity, cardan_contact* contact);

// Freeze the pairs that are open (scene->npair; NULL: none): until the next event.
void cd_compliant_freeze(struct cardan_data* d, const bool* is_open);
// Forget which contact points hold bristles: at the start of a run.
void cd_compliant_release_bristles(struct cardan_data* d);
// Keep which contact points hold bristles at the state, at the start of a step.
void cd_compliant_hold_bristles(struct cardan_data* d);
