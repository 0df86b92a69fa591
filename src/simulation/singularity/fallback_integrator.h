// SPDX-License-Identifier: BSD-3-Clause
// Who steps across singular poses in place of a method that finds no step there.
#pragma once

#include "simulation/integrators/integrator.h"

typedef struct cd_fallback_integrator {
    const cd_integrator *fallback, *primary;           // who stands in, and for whom
    void *               fallback_work, *primary_work; // of both
    bool                 is_active;
    int                  activations;
    double               first_t; // [s]
} cd_fallback_integrator;
