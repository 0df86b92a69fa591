// SPDX-License-Identifier: BSD-3-Clause
// Everything that holds a mechanism together and what it exerts, as one list: joints, constraints between markers, and
// what couples joint coordinates.
#pragma once

#include "cli/mechanism.h"
#include "cli/values.h"

typedef struct cd_reacting_one {
    const char*          name;
    bool                 joint;        // on its second body; constraints on the body of their first marker
    cardan_reaction*     wrench;       // NULL: a transmission
    cardan_transmission* transmission; // NULL: a joint or a constraint between markers
} cd_reacting_one;

typedef struct cd_reactions {
    int                  count, nwrench, ntransmission;
    cd_reacting_one*     one;          // (count) joints, constraints, transmissions
    cardan_reaction*     wrench;       // (nwrench)
    cardan_transmission* transmission; // (ntransmission)
} cd_reactions;

bool cd_reactions_open(cd_reactions* r, const cd_case* c); // names alone; false without memory
void cd_reactions_close(cd_reactions* r);
// For accelerations `a` at the state of the data, which must have been solved.
bool cd_reactions_at(cd_reactions* r, cardan_data* data, const double* a);
bool cd_reaction_unique(const cd_reacting_one* one);
// "wheel", or "wheel.2" where the joint has several velocities: coordinate k of a transmission.
cd_word cd_coordinate_word(const cd_case* c, const cardan_transmission* t, int k);

// What drivers exert at the state that was solved, for accelerations `a`.
typedef struct cd_efforts {
    int     n;
    double* effort; // (n)
    bool*   unique; // (n)
} cd_efforts;

bool cd_efforts_open(cd_efforts* e, const cd_case* c); // false without memory
void cd_efforts_close(cd_efforts* e);
void cd_print_drivers(const cd_case* c); // as a grid, at the accelerations of the case
