// SPDX-License-Identifier: BSD-3-Clause
// Signals: what formulas look at.
#pragma once

#include "force/force.h"

// What they are read from; only what the signals of the model need has to be known.
typedef struct cd_signal_input {
    const cardan_model*   m;
    const cd_world_frame* world;
    real                  t;
    const real *          q, *v; // (nq_all), (nv_all)
    const real*           state;
    const real*           effort; // (nv) from outside; NULL: none
} cd_signal_input;

real cd_signal_value(const cd_signal_input* source, const cardan_signal* signal);
