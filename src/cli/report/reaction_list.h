// SPDX-License-Identifier: BSD-3-Clause
// Reactions of joints, of constraints between markers, and of transmissions (constraints that couple joint
// coordinates), as one list.
#pragma once

#include "cli/support/loaded_model.h"
#include "cli/report/value_text.h"

typedef struct cd_reaction_entry {
    const char*          name;
    bool                 is_joint;     // wrench on its second body; constraints: on the body of the first marker
    cardan_reaction*     wrench;       // NULL: transmission
    cardan_transmission* transmission; // NULL: joint or constraint between markers
} cd_reaction_entry;

// Point to which the torques of reactions refer (--reaction-point).
typedef enum cd_reaction_point {
    CD_POINT_FIRST,  // joint position on the first body; first marker of a constraint
    CD_POINT_SECOND, // joint position on the second body; second marker
    CD_POINT_CENTRE, // mass centre of the body on which the reaction acts
    CD_POINT_ORIGIN, // origin of the world
} cd_reaction_point;

const char* cd_reaction_point_name(int i); // NULL after the last

typedef struct cd_reaction_list {
    int                  count, nwrench, ntransmission;
    cd_reaction_entry*   entry;        // (count) joints, constraints, transmissions
    cardan_reaction*     wrench;       // (nwrench)
    cardan_transmission* transmission; // (ntransmission)
    cd_reaction_point    point;
    int*                 constraint; // (nwrench - njoint) index in the description
    cardan_motion*       body;       // (nbody) motions, for the points
} cd_reaction_list;

bool cd_reaction_list_open(cd_reaction_list* r, const cd_model_instance* c); // names only; false if memory is exhausted
void cd_reaction_list_close(cd_reaction_list* r);
// Compute the reactions at the state of `data` for its solved accelerations `a`, about the point of the list.
bool cd_reaction_list_update(cd_reaction_list* r, cardan_data* data, const double* a);
bool cd_reaction_is_unique(const cd_reaction_entry* one);
// Name of coordinate k of a transmission: "wheel", or "wheel.2" if the joint has several velocities.
cd_value_text cd_coordinate_text(const cd_model_instance* c, const cardan_transmission* t, int k);

// Efforts of the drivers at a solved state.
typedef struct cd_driver_effort_list {
    int     count;
    double* effort; // (count) [N m, N]
    bool*   unique; // (count)
} cd_driver_effort_list;

bool cd_driver_effort_list_open(cd_driver_effort_list* e, const cd_model_instance* c); // false if memory is exhausted
void cd_driver_effort_list_close(cd_driver_effort_list* e);
void cd_print_driver_efforts(const cd_model_instance* c); // as a table, for c->a
