// SPDX-License-Identifier: BSD-3-Clause
// What rounding may have left in the entries of A (linearization.h), from what they are summed from: with the slopes r_q, r_v,
// r_s of the forces and W = d(joint accelerations)/d(forces), Z = d(velocities)/d(joint velocities),
//
//   A = -W r_q Z  ...      E = |W| e(r_q) |Z|,      e = part |r_q| + how it scatters at states that rounding tells
//   apart
//
// Forces that cancel within an entry of r_q leave their rounding there, and it scatters. Weight, and accelerations and
// velocities of the state, leave theirs too.
#pragma once

#include "analysis/linear/linearization.h"

// E (n x n, column major); the data are back at the state of l. False without memory, or where the slopes cannot be
// had.
bool cd_linearization_rounding(cd_linearization* l, double* E);
