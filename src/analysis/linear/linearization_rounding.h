// SPDX-License-Identifier: BSD-3-Clause
// Bounds of the round-off in the entries of A (linearization.h), propagated from the state Jacobian: with
// the derivatives r_q, r_v, r_s of the forces, W = d(joint accelerations)/d(forces) and
// Z = d(velocities)/d(joint velocities),
//
//   A = -W r_q Z  ...      E = |W| e(r_q) |Z|,      e = max(relative round-off |r_q|, scatter at perturbed states)
//
// Forces that cancel within an entry of r_q leave their round-off there, which the scatter reveals. Weight,
// accelerations and velocities of the state contribute their round-off as well.
#pragma once

#include "analysis/linear/linearization.h"

// Compute E (n x n, column major); the data end at the state of l. Returns false without memory or if the
// accelerations cannot be computed.
bool cd_linearization_rounding(cd_linearization* l, double* E);
