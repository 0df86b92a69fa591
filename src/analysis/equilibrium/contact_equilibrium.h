// SPDX-License-Identifier: BSD-3-Clause
// Equilibria that rigid contacts hold (contact_equilibrium.c).
#pragma once

#include "analysis/equilibrium/statics.h"

#include <cardan/analyse.h>

// Whether rigid contacts hold the mechanism at the centre, where r is the residual. *holds: *equilibrium is complete, and the
// contact forces are those of the data. Not *holds and CARDAN_OK: nothing touches there. Fails where shapes touch and
// accelerations remain, or overlap.
cardan_status cd_equilibrium_by_contacts(cd_statics* s, const double* r, bool* holds, cardan_equilibrium* equilibrium,
                                         cardan_report* report);
// Fail if shapes overlap at a configuration that was found without contacts.
cardan_status cd_equilibrium_check_open(cd_statics* s, cardan_report* report);
// Note that the search, which found no equilibrium, is one without rigid contacts.
void cd_equilibrium_note_open(const cd_statics* s, cardan_report* report);
