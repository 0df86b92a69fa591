// SPDX-License-Identifier: BSD-3-Clause
// Position correction of mechanisms with nonholonomic rows, which constrain velocities only, as of rolling.
#pragma once

#include "constraint/constraint_set.h"
#include "core/memory.h"

typedef struct cd_nonholonomic_work {
    double *residual, *gradient, *search_direction,
        *row_change;              // (solver_rows.nrow) vectors of the conjugate-gradient iteration
    double *force, *displacement; // (nv)
} cd_nonholonomic_work;

void cd_nonholonomic_layout(const cd_constraint_set* constraints, int nrow, int nv, cd_arena* arena,
                            cd_nonholonomic_work* work);

struct cardan_data;
// Correct dx (nv) of the position level: relax nonholonomic rows where holonomic rows that depend on them remain
// violated.
void cd_correct_nonholonomic(struct cardan_data* d, const double* s, double* dx);
