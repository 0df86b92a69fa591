// SPDX-License-Identifier: BSD-3-Clause
// Admissible forces of redundant contacts (admissible_forces.c).
#pragma once

#include <cardan/dynamics.h>

// Where forces of the last accelerations are not unique and lie outside their cones, replace them by those with the largest
// margin (impact/contact_states.h), which have the same accelerations.
void cd_contacts_choose_admissible_forces(cardan_data* d);
