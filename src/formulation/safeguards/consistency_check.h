// SPDX-License-Identifier: BSD-3-Clause
// Consistency check: accelerations must satisfy all rows, also redundant rows, which have no multiplier.
#pragma once

#include "formulation/formulation.h"

// Check |J a - gamma| of all rows. Returns CARDAN_INCONSISTENT if a residual exceeds the tolerance, and the largest one
// with its row in info.
// `free_acceleration` is the size of J a without constraint forces, whose round-off remains in the residual.
// `own_force_term` is the size of the part of J a that each row's own multiplier causes, if known (else 0):
// accelerations of light bodies between large forces are differences of terms of this size.
cardan_status cd_check_consistency(const cd_problem* p, const real* a, const real* gamma, double free_acceleration,
                                   double own_force_term, cd_solve_info* info);
// Return whether the rows are satisfied to all digits that a solve can have, so that refinement is not useful.
bool cd_rows_are_satisfied(const cd_rows* rows, const real* a, const real* gamma, double free_acceleration);
// The same check for accelerations A (nlink, [-1] ground) of links in world axes at their origins, without those at a =
// 0. Sets info->residual_checked, too.
cardan_status cd_check_consistency_on_twists(const cd_problem* p, const spatial* A, const real* gamma,
                                             double free_acceleration, cd_solve_info* info);

// Return the size of the accelerations due to efforts r (nv) alone, max |r(v)| / inertia scale [m/s^2, rad/s^2].
double cd_free_acceleration_scale(const cardan_model* m, const real* r);
