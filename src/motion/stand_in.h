// SPDX-License-Identifier: BSD-3-Clause
// Who steps across singular poses in place of a method that finds no step there.
#pragma once

#include "motion/integrator.h"

typedef struct cd_stand_in {
    const cd_integrator *by, *own;      // who stands in, and for whom
    void *               work, *theirs; // of both
    bool                 stands;
    int                  times;
    double               first; // [s]
} cd_stand_in;
