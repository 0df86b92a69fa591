// SPDX-License-Identifier: BSD-3-Clause
// Work memory of contact_states.c and feasible_forces.c.
#pragma once

#include "impact/active_columns.h"
#include "impact/contact_states.h"
#include "impact/interior_point.h"

struct cd_states_work {
    cd_active_columns columns;
    double *          matrix, *basis; // (max_rows^2)
    double *          y, *right, *sub;
    int *             order, *pivot;
    int               nullity; // rows of basis: the null space of the last solution
    // feasible_forces.c
    cd_conic_program  program;
    cd_interior_point interior;
    double *          H, *c, *x;  // of nullity + 1 unknowns
    double*           null_force; // (max_rows^2) impulses of the null vectors
};

void cd_states_cones_layout(cd_arena* arena, int max_rows, int max_elements, cd_states_work* work);
