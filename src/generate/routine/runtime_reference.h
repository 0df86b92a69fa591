// SPDX-License-Identifier: BSD-3-Clause
// Definition of cd_runtime_reference: the runtime library at a state and with given parameters, with which traces are compared.
// For the reference functions of routines only.
#pragma once

#include "dynamics/data.h"
#include "formulation/tree/articulated.h"
#include "generate/routine/parameter_arguments.h"
#include "generate/routine/routine.h"

struct cd_runtime_reference {
    cardan_data*   data;
    cd_articulated articulated;
    cd_stop_state* inactive_stops; // (njoint_force) inactive stops
    cd_arena       arena;
    double         start_distance;    // relative distance of assembled states from the start
    bool           assembled_start;   // this distance is measured from the assembled start, not from that of the file
    int            massless_velocity; // tree velocity without inertia in the last evaluation; -1: none
    // parameters that are arguments; NULL: none
    const cd_parameter_arguments* parameters;
    double*                       parameter_value; // (parameters->count) values of the current data
    cardan_description*           description;
    cardan_model*                 own_model; // model loaded with other parameters; NULL: model of the caller
};
