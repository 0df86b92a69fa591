// SPDX-License-Identifier: BSD-3-Clause
// Friction that grows with the load a constraint transmits: worm gears.
#pragma once

#include "constraint/closure.h"

typedef struct cd_losses {
    int*    constraint; // (nlossy) of the closure
    bool*   forward;    // (nlossy) the first coordinate drives the second
    double* effort;     // (nv) of all losses, part of the data's efforts since the last solve
    double* force;      // (nlossy) loss along the driven coordinate per unit of the multiplier
    double* E;          // (nv) efforts of one loss for a multiplier of 1
    double* answer;     // (nlossy x (nv + nrow)) accelerations and multipliers that each of them alone would cause
    double* no_gamma;   // (nrow) zeros
    double* first;      // (nlossy) multipliers without losses
    double *A, *x;      // (nlossy x nlossy), (nlossy)
    double* work;
    int*    pivot;
} cd_losses;

void cd_losses_layout(const cardan_model* m, const cd_closure* closure, int rows, cd_arena* arena, cd_losses* losses);
