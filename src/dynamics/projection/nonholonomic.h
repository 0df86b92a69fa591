// SPDX-License-Identifier: BSD-3-Clause
// Closing positions where some rows have none: those that only velocities satisfy, as of rolling.
#pragma once

#include "constraint/constraint_set.h"
#include "core/memory.h"

typedef struct cd_nonholonomic_work {
    double *residual, *gradient, *search_direction,
        *row_change;              // (system.nrow) what rows with position still ask for; how it depends on slips; slips
    double *force, *displacement; // (nv)
} cd_nonholonomic_work;

void cd_nonholonomic_layout(const cd_constraint_set* constraints, int nrow, int nv, cd_arena* arena,
                            cd_nonholonomic_work* work);
