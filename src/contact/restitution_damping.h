// SPDX-License-Identifier: BSD-3-Clause
// Damping of the Hunt-Crossley law from a coefficient of restitution (restitution_damping.c).
#pragma once

// c [s/m] for restitution e at the approach speed v [m/s], v > 0. 0 for e >= 1; INFINITY for e <= 0.
double cd_restitution_damping(double restitution, double speed);
