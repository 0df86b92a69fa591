// SPDX-License-Identifier: BSD-3-Clause
// Driven motions that rest at a singular pose: several branches begin there, and no velocity tells which one is theirs.
#pragma once

#include "motion/passage.h"

typedef struct cd_resting {
    bool   rests;
    double t;   // [s] when it was last seen to
    int    row; // the weakest
} cd_resting;

// At the start, where the data are, between rows of a run: whether laws let it rest there at a singular pose.
bool cd_rest_begin(cd_resting* r, const cd_passage* p, cd_system* system);
// At x, after a look. Poses with singular values below `zero` are singular. A motion that has left is told.
void cd_rest_look(cd_resting* r, const cd_passage* p, cd_system* system, const cd_point* x, double zero,
                  cardan_report* report);
