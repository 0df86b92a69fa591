// SPDX-License-Identifier: BSD-3-Clause
// Directions on which constraint equations depend (cd_constraint_type.direction). Where such a direction vanishes,
// the equations are undefined.
#pragma once

#include "dynamics/data.h"

// Direction of a constraint at the state of the data. Returns false if the constraint has none here.
bool cd_direction_of_constraint(cardan_data* d, int constraint, vec3* m);
bool cd_direction_vanishes(vec3 m);
// First constraint whose direction vanishes at the state of the data, or CARDAN_NONE.
int cd_find_vanished_direction(cardan_data* d);
// Report a constraint that is undefined because its direction vanishes at time t.
cardan_status cd_fail_vanished_direction(const cardan_data* d, int constraint, double t, cardan_status status,
                                         cardan_report* report);
