// SPDX-License-Identifier: BSD-3-Clause
// Laws along the coordinates of joints: springs, dampers, friction, stops.
#pragma once

#include "math/number.h"
#include "model/model.h"

// What a stop does.
typedef struct cd_stop {
    int  side;     // +1: beyond the upper limit, -1: the lower one, 0: between them
    bool is_slack; // beyond, but it would have to pull: no effort
} cd_stop;

// Coordinate of a law and its rate.
void cd_joint_force_coordinate(const cd_joint_force* element, const real* q, const real* v, real* x, real* rate);
// Efforts of the laws along coordinates. Adds to effort (nv).
// held: (nlaw) what the stops do, or NULL: as the state tells it.
void cd_joint_forces_apply(const cardan_model* m, const real* q, const real* v, const cd_stop* frozen_stops,
                           real* effort);
// Whether they can push at all, or only watch limits; laws along measured joints alone.
bool cd_joint_forces_active(const cardan_model* m, bool off_tree_only);
// Energy stored in them, and its rate.
void cd_joint_forces_stored_energy(const cardan_model* m, const real* q, const real* v, const cd_stop* frozen_stops,
                                   real* energy, real* rate);
