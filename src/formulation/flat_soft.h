// SPDX-License-Identifier: BSD-3-Clause
// Rows of long mechanisms, which yield a little.
#pragma once

#include "formulation/flat_system.h"

void cd_flat_soften(cd_flat_system* system);
