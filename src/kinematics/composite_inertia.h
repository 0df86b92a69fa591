// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kinematics/kinematics.h"

// Compute M (nv x nv, lower triangle; the upper one is zero) at the positions of cd_forward_kinematics; K is scratch
// (nlink).
void cd_mass_matrix_crba(const cardan_model* m, const cd_kinematics* k, rigid* K, real* M);
