// SPDX-License-Identifier: BSD-3-Clause
// Inverse iteration for the smallest singular value of the rows: the part that formulations share. With row weights
// w(i), which make rotations and translations comparable, and A = J M^-1 J',
//
//   |z|^2 = sum of (w(i) z(i))^2 = 1,     A mu = z,     1/sigma^2 >= mu'z,     z(i) <- mu(i) / w(i)^2
//
// in every group of rows separately. One solve of the formulation, M x + J'lambda = 0, J x = z, gives mu = -lambda, and
// mu'z = x'M x. Compliant rows, and redundant rows for which the solve gives no multiplier, are excluded.
#pragma once

#include "formulation/formulation.h"

// Compute weights (nrow), 1 / norm of each row on the twists of its links, rotations divided by `length` [m].
void cd_compute_row_weights(const cd_rows* rows, double length, double* weight);
// Normalize each group of z to size 1. `sum` (groups) is scratch and returns the factors.
void cd_normalize_row_vector(const cd_rows* rows, cd_row_groups groups, const double* weight, double* sum, real* z);
// Compute mu'z of each group for lambda = -mu, 0 where it is not a positive number, and replace z by the next iterate.
void cd_inverse_iteration_update(const cd_rows* rows, cd_row_groups groups, const double* weight, const real* lambda,
                                 double* inv_sigma_sq, real* z);
