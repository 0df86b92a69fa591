// SPDX-License-Identifier: BSD-3-Clause
// Directions that constraints follow (cd_constraint_type.bearing): where one vanishes the equations are not defined.
#pragma once

#include "dynamics/data.h"

// That of a constraint of the closure at the state of the data; false: it has none here.
bool cd_direction_of_constraint(cardan_data* d, int constraint, vec3* m);
bool cd_direction_vanishes(vec3 m);
// The first constraint whose direction vanishes at the state of the data, or CARDAN_NONE.
int cd_find_vanished_direction(cardan_data* d);
// The sentence for it.
cardan_status cd_fail_vanished_direction(const cardan_data* d, int constraint, double t, cardan_status status,
                                         cardan_report* report);
