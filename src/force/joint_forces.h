// SPDX-License-Identifier: BSD-3-Clause
// Joint force elements: springs, dampers, friction, stops along joint coordinates.
#pragma once

#include "math/number.h"
#include "model/model.h"

// State of a stop.
typedef struct cd_stop_state {
    int  side;     // +1: beyond the upper limit, -1: beyond the lower limit, 0: between them
    bool is_slack; // beyond the limit, but the force would pull: no effort
} cd_stop_state;

// Coordinate of a joint force element and its rate.
void cd_joint_force_coordinate(const cd_joint_force_element* element, const real* q, const real* v, real* x,
                               real* rate);
// Add the efforts of the joint force elements to effort (nv). frozen_stops: (njoint_force) states of the stops, or
// NULL: those of the current state.
void cd_joint_forces_apply(const cardan_model* m, const real* q, const real* v, const cd_stop_state* frozen_stops,
                           real* effort);
// Whether some element can exert a force, not only detect limits; or only elements of off-tree joints.
bool cd_joint_forces_active(const cardan_model* m, bool off_tree_only);
// Energy stored in the elements, and its rate.
void cd_joint_forces_stored_energy(const cardan_model* m, const real* q, const real* v,
                                   const cd_stop_state* frozen_stops, real* energy, real* rate);
