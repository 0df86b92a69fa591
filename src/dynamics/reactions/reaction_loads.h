// SPDX-License-Identifier: BSD-3-Clause
// Forces that read reactions of joints.
#pragma once

#include "formulation/formulation.h"

#include <cardan/status.h>

typedef struct cd_reaction_loads {
    int     n;                       // number of reaction signals that forces and states read
    double* value;                   // (nsignal) values of the reaction signals in the formulas
    double *x, *y, *trial, *found;   // (n) signals; reactions that follow from them
    double *residual, *step, *probe; // (n)
    double *K, *A;                   // (n x n) d y / d x, column-major; 1 - K
    int*    pivot;                   // (n)
    double* work;
    bool    uniqueness_known; // uniqueness was tested with this number of redundant rows
    int     nredundant;
    int     failed;             // reaction signal that could not be solved, in the list of the model
    bool    several, too_large; // several solutions; uniqueness too expensive to decide
} cd_reaction_loads;

void cd_reaction_loads_layout(const cardan_model* m, cd_arena* arena, cd_reaction_loads* loads);

struct cardan_data;
// Set the reactions that forces read to zero, before a solve.
void cd_clear_reaction_loads(struct cardan_data* d);
// After a solve without them: solve for the reactions that forces read, accelerations a and multipliers. *code: kind of a
// failure.
cardan_status cd_solve_reaction_loads(struct cardan_data* d, double* a, cd_solve_info* info, cardan_code* code);
