// SPDX-License-Identifier: BSD-3-Clause
// Block Gauss-Seidel sweeps of the cone law.
#pragma once

#include "impact/cone/cone_problem.h"

// Normal impulse first, then the friction sets, contact by contact. Start and baseline of the other methods.
void cd_gauss_seidel_sweeps(const cd_cone_problem* cone, int sweeps, double* x);
