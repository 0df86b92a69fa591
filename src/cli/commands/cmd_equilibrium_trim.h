// SPDX-License-Identifier: BSD-3-Clause
// Trim (`cardan equilibrium --solve`): values of parameters or tunables for which the start configuration is an
// equilibrium.
#pragma once

#include "cli/support/loaded_model.h"

// Compute the values, print them and write the requested files. Returns the exit code.
int cd_equilibrium_trim(cd_loaded_model* mechanism, int formulation);
