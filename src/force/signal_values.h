// SPDX-License-Identifier: BSD-3-Clause
// Values of signals, the inputs of formulas.
#pragma once

#include "force/force.h"

// Source of the signals; only fields that the signals of the model need must be set.
typedef struct cd_signal_input {
    const cardan_model*    m;
    const cd_world_motion* world;
    real                   t;
    const real *           q, *v; // (nq_joint), (nv_joint)
    const real*            state;
    const real*            effort; // (nv) external efforts; NULL: none
} cd_signal_input;

real cd_signal_value(const cd_signal_input* source, const cardan_signal* signal);
