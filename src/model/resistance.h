// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/model.h"

// Size of the inertia behind every velocity (nv) [kg m^2 or kg]; size is scratch (nlink).
void cd_resistance(const cardan_model* m, double (*size)[2], double* resistance);
