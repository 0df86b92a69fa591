// SPDX-License-Identifier: BSD-3-Clause
// Whether accelerations satisfy all rows: those that got no force, because they repeat others, must hold all the same.
#pragma once

#include "formulation/formulation.h"

// `free`: size of what the rows see without constraint forces, which leaves its rounding; `forced`: of what each sees
// of its own force alone, where that is known: light bodies between strong forces come to rest by differences of such
// sizes.
cardan_status cd_check_consistency(const cd_rows* rows, const real* a, const real* gamma, double free_acceleration,
                                   double own_force_term, cd_solve_info* info);
// Whether they hold to all digits that a solve can have, so that none is worth looking for.
bool cd_rows_are_satisfied(const cd_rows* rows, const real* a, const real* gamma, double free_acceleration);
// The same for the accelerations A of links, in world axes at their origins, [-1] ground, without those at a = 0. Sets
// where->sure.
cardan_status cd_check_consistency_on_twists(const cd_rows* rows, const spatial* A, const real* gamma,
                                             double free_acceleration, cd_solve_info* info);

// Size of the accelerations that efforts r (nv) alone would give: each against the inertia behind its velocity.
double cd_free_acceleration_scale(const cardan_model* m, const real* r);
