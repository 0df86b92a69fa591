// SPDX-License-Identifier: BSD-3-Clause
// No stabilization: only accelerations satisfy the constraints, violations grow with the square of time. For
// comparison.
#include "simulation/stabilization/stabilization.h"

const cd_stabilization cd_stabilization_none = {
    .name     = "none",
    .summary  = "only accelerations satisfy the constraints, violations grow (drift); for comparison",
    .citation = "Ascher, Chin, Petzold, Reich 1995, Mech. Struct. Mach. 23(2)",
};
