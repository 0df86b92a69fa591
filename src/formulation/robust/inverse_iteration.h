// SPDX-License-Identifier: BSD-3-Clause
// Inverse iteration for the smallest singular value of the rows, what formulations share of it. With weights w(i) of
// rows, so that turning and moving compare, and A = J M^-1 J',
//
//   |z|^2 = sum of (w(i) z(i))^2 = 1,     A mu = z,     1/s^2 >= mu'z,     z(i) <- mu(i) / w(i)^2
//
// in every group of rows by itself, which a formulation does with one of its solves: M x + J'lambda = 0, J x = z gives
// mu = -lambda, and mu'z = x'M x. Rows with compliance take no part, nor do those that the solve leaves without a
// multiplier because they repeat others.
#pragma once

#include "formulation/formulation.h"

// 1 / size of each row (nrow) on the twists of its links, turning measured by a length.
void cd_compute_row_weights(const cd_rows* rows, double length, double* weight);
// Each group of z to the size 1; `sum` (groups) is scratch: then the factors.
void cd_normalize_row_vector(const cd_rows* rows, cd_row_groups groups, const double* weight, double* sum, real* z);
// mu'z of each group for lambda = -mu, 0 where that is no number; z becomes the next.
void cd_inverse_iteration_update(const cd_rows* rows, cd_row_groups groups, const double* weight, const real* lambda,
                                 double* inv_sigma_sq, real* z);
