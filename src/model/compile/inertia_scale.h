// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/model.h"

// Compute the order of magnitude of the inertia moved by every velocity (nv) [kg m^2 or kg], and the smallest round-off
// that it has in a mass matrix formed in the frame of the root link; link_scale (nlink): of the subtrees of links.
void cd_inertia_scales(const cardan_model* m, double (*link_scale)[2], double* scale, double* roundoff);
