// SPDX-License-Identifier: BSD-3-Clause
// Closing positions where some rows have none: those that only velocities satisfy, as of rolling.
#pragma once

#include "constraint/closure.h"
#include "core/memory.h"

typedef struct cd_slips {
    double *open, *by, *way,
        *met;             // (system.nrow) what rows with position still ask for; how it depends on slips; slips
    double *force, *move; // (nv)
} cd_slips;

void cd_slips_layout(const cd_closure* closure, int nrow, int nv, cd_arena* arena, cd_slips* slips);
