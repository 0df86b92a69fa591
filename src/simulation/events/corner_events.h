// SPDX-License-Identifier: BSD-3-Clause
// Corners of curves that points follow. The tangent of the curve is discontinuous there, so the motion needs an
// impulse: the wire is rigid, and an impulse normal to the next segment removes the velocity normal to it,
//
//     M (v+ - v-) = J'p,    J v+ = -c_t,        J of the next segment,
//
// which is the projection of velocities in the mass metric: the part of the point's velocity along the next segment
// remains, and the kinetic energy of the removed part is lost. Between corners a point stays on one segment of the
// curve, which is extended as a straight line beyond its ends, as stops are frozen in events.h: the equations of a
// step are smooth, and the corner is an event that is located in time.
//
// A point whose velocity does not lead along the next segment (corners sharper than a right angle, if it moves
// freely), or that returns to a corner again and again at decreasing distances, comes to a standstill there. Both
// segments then constrain it at once, and the run ends.
//
// A driver that prescribes the position along a curve (follow) moves its marker around the corners by its impulse,
// which may add energy.
#pragma once

#include "simulation/ode/ode_system.h"

typedef struct cd_corner_state {
    int    constraint;
    double extent;                             // [m] extent of the curve
    double last_t, last_speed, last_parameter; // last crossing: time [s], speed after it [m/s], curve parameter
    int    crossing_direction; // crossing the upper (+1) or lower (-1) end of its segment now; 0: no crossing
    double energy_lost;        // [J] in the last crossing; the loss of simultaneous crossings is stored with the first
} cd_corner_state;

typedef struct cd_corners {
    int              count;
    cd_corner_state* corner; // (count) one per constraint whose curve has corners
} cd_corners;

void cd_corners_layout(const cd_ode_system* system, cd_arena* arena, cd_corners* corners);
// Assign every point to the segment of its curve at the state of the data (start of the run); a point at a corner to
// the segment along which it moves or would start to move.
cardan_status cd_corners_assign_segments(cd_ode_system* system, cd_corners* corners, cardan_report* report);
// Release all assignments.
void cd_corners_clear_segments(cd_ode_system* system, const cd_corners* corners);

// Distance [m] of the point beyond the upper or lower end of its segment at the state of the data, and its rate.
double cd_corner_overshoot(cardan_data* d, const cd_corner_state* corner, bool upper, double* rate);
// Cross the corners at x of all points that are crossing, `first` among them, simultaneously: redundant constraints
// must not be on two different segments. Moves them to their next segments and adds the lost energy to the work of x.
// The crossing_direction of points that do not continue becomes 0.
cardan_status cd_corners_cross(cd_ode_system* system, cd_corners* corners, cd_corner_state* first, cd_ode_state* x,
                               cardan_report* report);
// Event of a point that has crossed a corner; the data are at that state.
cardan_event cd_corner_event(cardan_data* d, const cd_corner_state* corner);
