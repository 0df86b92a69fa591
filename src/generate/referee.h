// SPDX-License-Identifier: BSD-3-Clause
// The runtime as a yardstick, at a state and with values of parameters. Inside of cd_referee, for references of
// routines.
#pragma once

#include "dynamics/data.h"
#include "formulation/articulated.h"
#include "generate/inputs.h"
#include "generate/routine.h"

struct cd_referee {
    cardan_data*   data;
    cd_articulated articulated;
    cd_stop*       open; // (nlaw) stops, none of them reached
    cd_arena       arena;
    double         part;      // of the way from the start to states that are closed
    bool           assembled; // from where the mechanism starts, its loops closed
    int            loose;     // velocity of the tree that nothing resisted in the reference asked last
    // parameters that are arguments; NULL: there are none
    const cd_inputs*    inputs;
    double*             value; // (inputs->count) those of the data
    cardan_description* description;
    cardan_model*       model; // own; NULL: that of the caller
};
