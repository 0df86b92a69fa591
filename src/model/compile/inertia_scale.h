// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/model.h"

// Size of the inertia behind every velocity (nv) [kg m^2 or kg], and the rounding that it has at least in a mass matrix
// computed in the frame of the root link; size (nlink): of what is behind links.
void cd_inertia_scales(const cardan_model* m, double (*link_scale)[2], double* scale, double* roundoff);
