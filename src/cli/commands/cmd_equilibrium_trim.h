// SPDX-License-Identifier: BSD-3-Clause
// `cardan equilibrium --solve`: values for which the start of the mechanism is an equilibrium.
#pragma once

#include "cli/support/mechanism.h"

// Finds, tells and writes them; returns the exit code.
int cd_equilibrium_trim(cd_mechanism* mechanism, int formulation);
