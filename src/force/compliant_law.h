// SPDX-License-Identifier: BSD-3-Clause
// Compliant contact law of one contact point (compliant_law.c). Theory: docs/theory/compliant-contact.md.
#pragma once

#include "math/spatial.h"

#include <stdbool.h>

typedef struct cd_compliant_law {
    double stiffness, exponent; // k [N/m^n], n >= 1
    double damping;             // c [s/m]
    double static_friction, kinetic_friction;
    double stribeck_speed;                           // [m/s] 0: the kinetic coefficient at every speed
    double friction_speed, friction_rate;            // [m/s], [rad/s] v_d and w_d of regularized friction, positive
    double rolling_friction, spinning_friction;      // [m] lever arms of the normal force
    bool   has_brush;                                // friction of sliding by a tangential spring with a slider
    double tangential_stiffness, tangential_damping; // brush: k_t [N/m], c_t [N s/m], positive
} cd_compliant_law;

// Relative motion of A to B at the contact point; the normal is a unit vector from B to A.
typedef struct cd_compliant_motion {
    real gap;
    vec3 normal, velocity, angular_velocity;
} cd_compliant_motion;

// Action on A at the contact point. B gets the opposite.
typedef struct cd_compliant_load {
    real normal_force;
    vec3 force, moment;
    real stored_energy, stored_power; // [J], [W] of the spring along the normal and of the brush
    vec3 deflection_rate;             // brush: rate of its deflection
} cd_compliant_load;

// deflection: of the brush [m], world axes; not read without a brush.
cd_compliant_load cd_compliant_load_of(const cd_compliant_law* law, const cd_compliant_motion* motion, vec3 deflection);
