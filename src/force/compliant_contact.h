// SPDX-License-Identifier: BSD-3-Clause
// Wrenches of compliant contacts on links (compliant_contact.c).
#pragma once

#include "contact/contact_geometry.h"
#include "force/compliant_law.h"
#include "kinematics/world_motion.h"

// A contact point that was found at a state, and its rates by the motions of both links there. Plain numbers: over numbers with
// derivatives the geometry follows the derivatives of the poses by its rates.
typedef struct cd_compliant_contact {
    const cd_compliant_law* law;
    int                     link[2]; // of A and B; -1: ground
    int                     brush;   // first of three user states: deflection of the brush in the axes of link B
    double                  gap, point[3], normal[3];
    cd_contact_rates        rates; // needed for numbers with derivatives only
} cd_compliant_contact;

// Sums over contacts.
typedef struct cd_compliant_sums {
    real stored_energy, stored_power; // [J], [W]
} cd_compliant_sums;

// Rates of a contact point that is fixed to A, with a normal that is fixed to B.
void cd_fixed_contact_rates(const double normal[3], cd_contact_rates* rates);

// Add the forces of contacts to the wrenches of the links (nlink), world axes, at their origins. state, state_rate: of all user
// states; rates are set of contacts with a brush. load: (n) loads on A, or NULL.
cd_compliant_sums cd_add_compliant_contacts(int n, const cd_compliant_contact* contact, const cd_world_motion* world,
                                            const real* state, spatial* wrench, real* state_rate,
                                            cd_compliant_load* load);

// Rates of deflections (3 n) that no contact point holds: -relaxation times the deflection.
void cd_relax_bristles(int n, const double* relaxation, const real* deflection, real* rate);

// Force and moment at a point on A, the opposite on B.
void cd_add_contact_wrench(const cd_world_motion* world, const int link[2], vec3 point, vec3 force, vec3 moment,
                           spatial* wrench);
// Motion of A relative to B at a point: angular velocity, and velocity of the material points there.
spatial cd_relative_motion_at(const cd_world_motion* world, const int link[2], vec3 point);
