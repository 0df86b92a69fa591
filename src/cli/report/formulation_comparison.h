// SPDX-License-Identifier: BSD-3-Clause
// Comparison of formulations (`cardan compare`): difference of the accelerations from the reference formulation, time
// and operation count of one evaluation.
#pragma once

#include "cli/support/loaded_model.h"

// [s] predicted time above which a formulation runs only if it is named; keeps the comparison of all short.
static const double CD_COMPARE_TIME_MAX = 10;

typedef struct cd_formulation_result {
    cardan_status status;
    bool          is_skipped, is_counted;
    bool          constraints_violated; // approximate formulation with violated rows: accelerations are reported
    double        predicted_time;       // [s] upper bound, reported before it runs
    double        relative_difference, time_us;
    cardan_operation_counts operations;
    int                     null_pivots; // redundant rows found by the factorization; -1: not available
    double                  pivot_ratio; // largest over smallest remaining pivot
    char                    not_counted_reason[CARDAN_MESSAGE_LENGTH]; // reason if solved but not counted
} cd_formulation_result;

// Model, reference accelerations and results of the formulations first ... last.
typedef struct cd_formulation_comparison {
    cd_loaded_model* mechanism;
    int              nv, nrow,
        nv_joint; // tree velocities, constraint rows; velocities of all joints, including cut joints
    double                 depth_sq_sum; // sum of squared link depths: cost of mass matrices
    bool                   has_loops;
    int                    first, last;
    const char*            reference_name;
    double*                reference_acceleration; // (nv_joint) by the reference formulation
    cd_formulation_result* result;
} cd_formulation_comparison;

bool cd_formulation_is_residual(int formulation);
// Compute the sizes, select the reference formulation and solve it.
cardan_status cd_compare_begin(cd_formulation_comparison* k);
// Upper bound [s] of the time of a comparison, from the sizes; 0 for formulations of linear cost.
double cd_compare_predicted_time(const cd_formulation_comparison* k, int formulation);
void   cd_compare_formulation(const cd_formulation_comparison* k, int formulation, cd_formulation_result* r);
