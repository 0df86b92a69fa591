// SPDX-License-Identifier: BSD-3-Clause
// Rows of long mechanisms, which yield a little.
#pragma once

#include "formulation/flat_system.h"
#include "model/model.h"

typedef struct cd_flat_soft {
    double* yield;  // (6 nbody) of a unit force on each velocity; NULL: rows do not yield
} cd_flat_soft;

// False without memory. The caller frees `yield`. Bodies must have inertia.
bool cd_flat_soft_prepare(cd_flat_soft* soft, const cd_flat_system* system, const cardan_model* m);
// Into the diagonal block of a constraint, after it was cleared.
void cd_flat_soften(const cd_flat_soft* soft, cd_flat_system* system, const cd_row_block* b, int block);
