// SPDX-License-Identifier: BSD-3-Clause
// Forces of grabs: spring and damper between a point of a link and a moving target (grab_force.c).
#pragma once

#include "kinematics/world_motion.h"

// A grab with its values chosen; all numbers are finite except max_force.
typedef struct cd_grab {
    bool   active;
    int    body, link;         // link -1: ground, no force acts
    double point[3];           // in the link frame
    double target[3];          // [m] world axes, at time t_start
    double target_rate[3];     // [m/s]
    double t_start;            // [s]
    double stiffness, damping; // [N/m], [N s/m]
    double max_force;          // [N] limit of the force; INFINITY: none
} cd_grab;

// Point of application and force in world axes, at a time.
typedef struct cd_grab_load {
    vec3 point, force;
} cd_grab_load;

cd_grab_load cd_grab_evaluate(const cd_grab* grab, double t, const cd_world_motion* world);
// Add the forces of the active grabs to the wrenches of the links (nlink), world axes, at their origins.
void cd_add_grab_wrenches(int ngrab, const cd_grab* grab, double t, const cd_world_motion* world, spatial* wrench);
