// SPDX-License-Identifier: BSD-3-Clause
// Impact of one contact point in three dimensions with Coulomb friction, by the equations of Routh and the energetic
// coefficient of restitution of Stronge.
#pragma once

typedef struct cd_routh_result {
    double p[3];                     // impulses
    double compression, restitution; // work of the normal impulse until u_n = 0, and after it
    int    steps;
} cd_routh_result;

// u+ = W p + u; W (3 x 3, row major) symmetric, positive definite; u[0] < 0.
cd_routh_result cd_routh_impact(const double W[9], const double u[3], double mu, double e);
