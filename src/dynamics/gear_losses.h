// SPDX-License-Identifier: BSD-3-Clause
// Friction that grows with the load a constraint transmits: worm gears.
#pragma once

#include "constraint/constraint_set.h"

typedef struct cd_gear_losses {
    int*    constraint;          // (nlossy) of the closure
    bool*   forward;             // (nlossy) the first coordinate drives the second
    double* effort;              // (nv) of all losses, part of the data's efforts since the last solve
    double* loss_per_multiplier; // (nlossy) loss along the driven coordinate per unit of the multiplier
    double* unit_effort;         // (nv) efforts of one loss for a multiplier of 1
    double* response;   // (nlossy x (nv + nrow)) accelerations and multipliers that each of them alone would cause
    double* zero_gamma; // (nrow) zeros
    double* multiplier_without_loss; // (nlossy) multipliers without losses
    double *A, *x;                   // (nlossy x nlossy), (nlossy)
    double* work;
    int*    pivot;
} cd_gear_losses;

void cd_gear_losses_layout(const cardan_model* m, const cd_constraint_set* constraints, int rows, cd_arena* arena,
                           cd_gear_losses* losses);
