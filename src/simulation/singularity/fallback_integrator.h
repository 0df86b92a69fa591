// SPDX-License-Identifier: BSD-3-Clause
// Fallback integrator: steps across singular configurations in place of a method that finds no step there.
#pragma once

#include "simulation/integrators/integrator.h"

typedef struct cd_fallback_integrator {
    const cd_integrator *fallback, *primary;
    void *               fallback_work, *primary_work;
    bool                 is_active;
    int                  activations;
    double               first_t; // [s]
} cd_fallback_integrator;
