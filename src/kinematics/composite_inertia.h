// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kinematics/kinematics.h"

// M (nv x nv, lower triangle; the upper one is zero) at the placed position; K is scratch (nlink).
void cd_mass_matrix_crba(const cardan_model* m, const cd_kinematics* k, rigid* K, real* M);
