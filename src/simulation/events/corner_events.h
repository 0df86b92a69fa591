// SPDX-License-Identifier: BSD-3-Clause
// Corners of curves that points run along. The direction of such a curve jumps, so that no motion without a blow goes
// through: the wire is rigid, it takes the velocity across its next side away at once, by an impulse across that side,
//
//     M (v+ - v-) = J'p,    J v+ = -c_t,        J of the next side,
//
// which is the projection of velocities in the mass metric: of a point's speed along one side there remains the part
// along the next, the rest of its energy is lost. Between corners a point is held to its piece of the curve, which goes
// on straight beyond them, as stops are held in events.h: the equations of a step are smooth, and the corner is an
// event at a time of its own.
//
// A point whose velocity does not lead on along the next side (corners sharper than a right angle, where it is alone),
// or that comes back to a corner again and again, nearer every time, comes to rest there. What holds it then are both
// sides at once, and the run ends.
//
// Markers that a law leads along a curve (follow) are led round its corners by the impulse of their driver, which may
// put energy in.
#pragma once

#include "simulation/ode/ode_system.h"

typedef struct cd_corner_state {
    int    constraint;
    double extent; // [m] of the curve
    double last_t, last_speed,
        last_parameter;        // of the last passage: when, how fast it went on [m/s], and at which parameter
    int    crossing_direction; // over the upper (+1) or lower (-1) end of its piece, now; 0: not
    double energy_lost;        // [J] of the last passage; all that points lose together stands at the first
} cd_corner_state;

typedef struct cd_corners {
    int              count;
    cd_corner_state* corner; // (count) constraints whose curves have corners
} cd_corners;

void cd_corners_layout(const cd_ode_system* system, cd_arena* arena, cd_corners* corners);
// Every point to the piece of its curve where it is, the data being at the start; a point at a corner to that piece
// where it moves or would begin to.
cardan_status cd_corners_assign_pieces(cd_ode_system* system, cd_corners* corners, cardan_report* report);
// Nothing is held any more.
void cd_corners_clear_pieces(cd_ode_system* system, const cd_corners* corners);

// How far [m] the point is beyond the upper or lower end of its piece, at the state of the data; its rate.
double cd_corner_overshoot(cardan_data* d, const cd_corner_state* watch, bool upper, double* rate);
// Over the corners at x of all that are `passing`, `first` among them, at once: what is given twice must not be on both
// sides. They are put on the next sides; the energy that is lost goes into the work of x. Who does not go on is passing
// no more.
cardan_status cd_corners_cross(cd_ode_system* system, cd_corners* corners, cd_corner_state* first, cd_ode_state* x,
                               cardan_report* report);
// What is told of one that has passed, the data being there.
cardan_event cd_corner_event(cardan_data* d, const cd_corner_state* watch);
