// SPDX-License-Identifier: BSD-3-Clause
// The runtime as a yardstick, at a state and with values of parameters. Inside of cd_reference, for references of
// routines.
#pragma once

#include "dynamics/data.h"
#include "formulation/tree/articulated.h"
#include "generate/routine/parameter_arguments.h"
#include "generate/routine/routine.h"

struct cd_reference {
    cardan_data*   data;
    cd_articulated articulated;
    cd_stop*       inactive_stops; // (nlaw) stops, none of them reached
    cd_arena       arena;
    double         start_distance;    // of the way from the start to states that are closed
    bool           assembled_start;   // from where the mechanism starts, its loops closed
    int            massless_velocity; // velocity of the tree that nothing resisted in the reference asked last
    // parameters that are arguments; NULL: there are none
    const cd_parameter_arguments* parameters;
    double*                       parameter_value; // (inputs->count) those of the data
    cardan_description*           description;
    cardan_model*                 own_model; // own; NULL: that of the caller
};
