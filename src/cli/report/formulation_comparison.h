// SPDX-License-Identifier: BSD-3-Clause
// One formulation beside the others: how far its accelerations are from the yardstick's, how long it takes, what it
// computes.
#pragma once

#include "cli/support/mechanism.h"

// [s] a formulation that needs longer is run only where it is named.
static const double CD_COMPARE_TIME_MAX = 10;

typedef struct cd_formulation_result {
    cardan_status status;
    bool          is_skipped, is_counted;
    bool   constraints_violated; // a rough one whose rows are far from holding: accelerations are there, and told
    double predicted_time;       // [s] that it may need, told before it is run
    double relative_difference, time_us;
    cardan_operations operations;
    int               null_pivots; // rows that its factor found to repeat others; -1: it does not tell
    double            pivot_ratio; // largest over smallest of the others
    char              not_counted_reason[CARDAN_MESSAGE_LENGTH]; // where it was solved and not counted
} cd_formulation_result;

// What is compared, by which formulations.
typedef struct cd_formulation_comparison {
    cd_mechanism* mechanism;
    int           nv, nrow,
        nv_joint; // velocities of the tree, equations beside it; velocities of all joints, those that close loops too
    double                 depth_sq_sum; // sum of squared depths, as mass matrices cost
    bool                   has_loops;
    int                    first, last;
    const char*            reference_name;
    double*                reference_acceleration; // (njoint_v) accelerations by the yardstick
    cd_formulation_result* result;
} cd_formulation_comparison;

bool cd_formulation_is_residual(int formulation);
// Sizes, the yardstick and what it says.
cardan_status cd_compare_begin(cd_formulation_comparison* k);
// [s] from sizes alone, for those that are not linear; 0: no need to ask.
double cd_compare_predicted_time(const cd_formulation_comparison* k, int formulation);
void   cd_compare_formulation(const cd_formulation_comparison* k, int formulation, cd_formulation_result* r);
