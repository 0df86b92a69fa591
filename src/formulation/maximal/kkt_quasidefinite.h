// SPDX-License-Identifier: BSD-3-Clause
// Diagonal shift that makes the KKT matrix of long mechanisms quasidefinite.
#pragma once

#include "formulation/maximal/kkt_system.h"

void cd_kkt_make_quasidefinite(cd_kkt_system* system);
