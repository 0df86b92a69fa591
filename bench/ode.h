// SPDX-License-Identifier: BSD-3-Clause
// The Open Dynamics Engine on a mechanism of Cardan: bodies at the same places, hinges and ball joints, dWorldStep.
#pragma once

#include <cardan/cardan.h>

typedef struct ode ode;

// From data in flat coordinates at the state set. NULL where a joint is neither a hinge nor a ball joint.
ode* ode_create(cardan_data* data);
void ode_destroy(ode* o);

void ode_step(ode* o, double h);
// Largest difference of the bodies' velocities from those of `data`, relative to the largest of these.
double ode_difference(const ode* o, cardan_data* data);
