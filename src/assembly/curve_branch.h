// SPDX-License-Identifier: BSD-3-Clause
// Points that stand where their curve crosses itself: pose and curve do not tell which branch they run along.
#pragma once

#include "dynamics/data.h"

// Every such point to that branch which its velocity at the state of the data fits best; to the one where it is if
// there is no better one. Where velocities do not decide that is told.
void cd_choose_curve_branches(cardan_data* d, cardan_report* report);
