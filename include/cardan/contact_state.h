// SPDX-License-Identifier: BSD-3-Clause
// Contacts of a mechanism at the state of the data: points, forces and impulses.
#pragma once

#include <cardan/dynamics.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef enum cardan_contact_phase {
    CARDAN_CONTACT_OPEN,
    CARDAN_CONTACT_STICKS,
    CARDAN_CONTACT_SLIPS
} cardan_contact_phase;

typedef struct cardan_contact {
    int                  body[2];   // A, B; CARDAN_GROUND: ground
    double               point[3];  // world
    double               normal[3]; // from B to A
    double               gap;       // [m] negative: overlap
    cardan_contact_phase phase;
    double               force[3];            // of B on A at the point, world [N]
    double               moment[3];           // by spinning and rolling friction [N m]
    double               impulse[3];          // of the last impact [N s]
    double               sliding_velocity[3]; // of A relative to B [m/s]
    bool                 is_unique;           // the force is determined by the motion; else other forces are possible
} cardan_contact;

/// Number of contact points at the state: those that touch, and those closer than the margin. The first `capacity` of them in
/// `contact` (may be NULL). A gap is that at the state; forces are those of the last accelerations. -1: bad arguments.
int cardan_data_contacts(cardan_data* data, int capacity, cardan_contact* contact);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
