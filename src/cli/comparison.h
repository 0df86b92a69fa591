// SPDX-License-Identifier: BSD-3-Clause
// One formulation beside the others: how far its accelerations are from the yardstick's, how long it takes, what it
// computes.
#pragma once

#include "cli/mechanism.h"

// [s] a formulation that needs longer is run only where it is named.
static const double CD_COMPARE_PATIENCE = 10;

typedef struct cd_compared {
    cardan_status     status;
    bool              skipped, counted;
    bool              soft; // a rough one whose rows are far from holding: accelerations are there, and told
    double            wait; // [s] that it may need, told before it is run
    double            agreement, us;
    cardan_operations operations;
    int               null_pivots;                // rows that its factor found to repeat others; -1: it does not tell
    double            pivot_ratio;                // largest over smallest of the others
    char              why[CARDAN_MESSAGE_LENGTH]; // where it was solved and not counted
} cd_compared;

// What is compared, by which formulations.
typedef struct cd_comparison {
    cd_mechanism* mechanism;
    int           nv, nrow,
        njoint_v; // velocities of the tree, equations beside it; velocities of all joints, those that close loops too
    double       squares; // sum of squared depths, as mass matrices cost
    bool         loops;
    int          first, last;
    const char*  yardstick;
    double*      reference; // (njoint_v) accelerations by the yardstick
    cd_compared* rows;
} cd_comparison;

bool cd_is_residual(int formulation);
// Sizes, the yardstick and what it says.
cardan_status cd_compare_begin(cd_comparison* k);
// [s] from sizes alone, for those that are not linear; 0: no need to ask.
double cd_compare_wait(const cd_comparison* k, int formulation);
void   cd_compare_one(const cd_comparison* k, int formulation, cd_compared* r);
