// SPDX-License-Identifier: BSD-3-Clause
// Points at a self-intersection of their curve, where the configuration does not determine the branch.
#pragma once

#include "dynamics/data.h"

// Assign every such point to the branch that fits its velocity best, else to its present branch. Warns if the
// velocities do not determine the branch.
void cd_choose_curve_branches(cardan_data* d, cardan_report* report);
