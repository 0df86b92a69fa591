// SPDX-License-Identifier: BSD-3-Clause
// Rows of long mechanisms, which yield a little.
#pragma once

#include "formulation/maximal/kkt_system.h"

void cd_kkt_make_quasidefinite(cd_kkt_system* system);
