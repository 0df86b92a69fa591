// SPDX-License-Identifier: BSD-3-Clause
// Friction proportional to the force that a constraint transmits: worm gears.
#pragma once

#include "constraint/constraint_set.h"

typedef struct cd_gear_losses {
    int*    constraint;              // (nlossy) index in the constraint set
    bool*   forward;                 // (nlossy) the first coordinate drives the second
    double* effort;                  // (nv) sum of all losses, included in the efforts since the last solve
    double* loss_per_multiplier;     // (nlossy) loss along the driven coordinate per unit multiplier
    double* unit_effort;             // (nv) efforts of one loss for lambda = 1
    double* response;                // (nlossy x (nv + nrow)) accelerations and multipliers due to each loss alone
    double* zero_gamma;              // (nrow) constant zeros
    double* multiplier_without_loss; // (nlossy)
    double *A, *x;                   // (nlossy x nlossy), (nlossy): (1 - A) x = x0
    double* work;
    int*    pivot;
} cd_gear_losses;

void cd_gear_losses_layout(const cardan_model* m, const cd_constraint_set* constraints, int rows, cd_arena* arena,
                           cd_gear_losses* losses);
