// SPDX-License-Identifier: BSD-3-Clause
// Friction proportional to the force that a constraint transmits: worm gears.
#pragma once

#include "formulation/formulation.h"
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

struct cardan_data;
// Gear losses, which depend on the multipliers: solve again with the losses included; subtract the losses from the
// efforts.
cardan_status cd_apply_gear_losses(struct cardan_data* d, double* a, cd_solve_info* info);
void          cd_clear_gear_losses(struct cardan_data* d);
// Gear losses at given multipliers: replace the losses in the efforts; add their derivatives by the multipliers, with
// the drive direction fixed by cd_set_gear_losses, to the columns of by_lambda (nv x nrow).
void cd_set_gear_losses(struct cardan_data* d, const double* lambda);
void cd_add_gear_loss_jacobian(struct cardan_data* d, double* by_lambda);
