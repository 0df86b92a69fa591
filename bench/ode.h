// SPDX-License-Identifier: BSD-3-Clause
// The Open Dynamics Engine on a mechanism of Cardan: bodies at the same poses, hinge and ball joints, dWorldStep.
#pragma once

#include <cardan/cardan.h>

typedef struct ode ode;

// Create the world from data in maximal coordinates at its state. NULL if a joint is neither revolute nor spherical.
ode* ode_create(cardan_data* data);
void ode_destroy(ode* o);

void ode_step(ode* o, double h);
// Return the largest difference of the bodies' velocities from those of `data`, relative to the largest of these.
double ode_difference(const ode* o, cardan_data* data);
