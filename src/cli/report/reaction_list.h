// SPDX-License-Identifier: BSD-3-Clause
// Everything that holds a mechanism together and what it exerts, as one list: joints, constraints between markers, and
// what couples joint coordinates.
#pragma once

#include "cli/support/mechanism.h"
#include "cli/report/report_values.h"

typedef struct cd_reaction_entry {
    const char*          name;
    bool                 is_joint;     // on its second body; constraints on the body of their first marker
    cardan_reaction*     wrench;       // NULL: a transmission
    cardan_transmission* transmission; // NULL: a joint or a constraint between markers
} cd_reaction_entry;

typedef struct cd_reaction_list {
    int                  count, nwrench, ntransmission;
    cd_reaction_entry*   entry;        // (count) joints, constraints, transmissions
    cardan_reaction*     wrench;       // (nwrench)
    cardan_transmission* transmission; // (ntransmission)
} cd_reaction_list;

bool cd_reaction_list_open(cd_reaction_list* r, const cd_model_instance* c); // names alone; false without memory
void cd_reaction_list_close(cd_reaction_list* r);
// For accelerations `a` at the state of the data, which must have been solved.
bool cd_reaction_list_update(cd_reaction_list* r, cardan_data* data, const double* a);
bool cd_reaction_is_unique(const cd_reaction_entry* one);
// "wheel", or "wheel.2" where the joint has several velocities: coordinate k of a transmission.
cd_value_text cd_coordinate_text(const cd_model_instance* c, const cardan_transmission* t, int k);

// What drivers exert at the state that was solved, for accelerations `a`.
typedef struct cd_driver_effort_list {
    int     count;
    double* effort; // (n)
    bool*   unique; // (n)
} cd_driver_effort_list;

bool cd_driver_effort_list_open(cd_driver_effort_list* e, const cd_model_instance* c); // false without memory
void cd_driver_effort_list_close(cd_driver_effort_list* e);
void cd_print_driver_efforts(const cd_model_instance* c); // as a grid, at the accelerations of the case
