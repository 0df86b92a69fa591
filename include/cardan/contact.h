// SPDX-License-Identifier: BSD-3-Clause
// Description of contacts: materials, properties of pairs of materials, the contact law and the pairs of bodies that
// may touch. A shape of a body or of ground with a material touches (cardan_shape in cardan/describe.h).
#pragma once

#include <cardan/status.h>

#include <stdbool.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/// Material of a surface. Elastic constants are those of Hertz's law, if both materials have them.
typedef struct cardan_material {
    const char*     name;
    double          young_modulus; // [Pa]; 0: not given
    double          poisson_ratio;
    cardan_location location;
} cardan_material;

/// Compliant normal force: k d^n (1 + c d') for the penetration d, never negative.
typedef struct cardan_contact_stiffness {
    double stiffness;         // k [N/m^n]; 0: not given here
    double exponent;          // n; 0: 1.5
    double damping;           // c [s/m]; 0: not given, then from the restitution
    double restitution_speed; // [m/s] approach speed at which the damping gives the restitution
} cardan_contact_stiffness;

/// Contact properties of two materials. There is no mixing rule: a pair that touches needs an entry.
typedef struct cardan_material_pair {
    int                      material[2];
    double                   static_friction, kinetic_friction; // coefficients, static >= kinetic >= 0
    double                   stribeck_speed;                    // [m/s] transition from static to kinetic; 0: none
    double                   rolling_friction, spinning_friction; // [m] lever arms of the normal force
    double                   restitution;                         // 0 to 1; negative: that of the settings
    cardan_contact_stiffness compliance;
    cardan_location          location;
} cardan_material_pair;

typedef enum cardan_contact_law {
    CARDAN_CONTACT_RIGID,     // unilateral constraints, Coulomb friction; impacts, stick and slip are events
    CARDAN_CONTACT_COMPLIANT, // force element
} cardan_contact_law;

typedef enum cardan_impact_law {
    CARDAN_IMPACT_AUTOMATIC, // energetic for a single contact with friction, else Poisson
    CARDAN_IMPACT_NEWTON,    // u_n+ = -e u_n-, all contacts at once
    CARDAN_IMPACT_POISSON,   // impulses of expansion are e times those of compression
    CARDAN_IMPACT_ENERGETIC, // Stronge: work of expansion is e^2 times that of compression; a single contact
    CARDAN_IMPACT_SEQUENCE,  // one contact after the other, the fastest approach first
} cardan_impact_law;

typedef enum cardan_compliant_friction {
    CARDAN_FRICTION_REGULARIZED, // mu N u / sqrt(u^2 + v_d^2): creeps
    CARDAN_FRICTION_BRUSH,       // tangential spring with slider: sticks; one state pair per contact
} cardan_compliant_friction;

/// Settings of all contacts of a description.
typedef struct cardan_contact_settings {
    cardan_contact_law        law;
    cardan_impact_law         impact;
    double                    restitution;       // of pairs of materials that give none
    double                    restitution_speed; // [m/s] slower impacts are inelastic; 0: 1e-6 of the fastest so far
    double                    margin;            // [m] gap below which a pair is watched; 0: chosen
    cardan_contact_stiffness  compliance;        // of pairs of materials that give none
    cardan_compliant_friction compliant_friction;
    double                    friction_speed;                        // v_d [m/s]; 0: chosen
    double                    tangential_stiffness;                  // brush: k_t [N/m]; 0: k of the normal force at 1 mm
    double                    tangential_damping;                    // brush: c_t [N s/m]
    bool                      listed_pairs_only; // else all bodies that no joint connects
    cardan_location           location;
} cardan_contact_settings;

/// A pair of bodies (CARDAN_GROUND: ground) that may touch although a joint connects them or only listed pairs do, or
/// that never touches (`ignored`).
typedef struct cardan_contact_pair {
    int             body[2];
    bool            ignored;
    cardan_location location;
} cardan_contact_pair;

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
