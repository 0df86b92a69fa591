// SPDX-License-Identifier: BSD-3-Clause
// Task of an optimal-control problem as read: controls, conditions, cost.
#pragma once

#include "core/text.h"

#include <cardan/optimize.h>

typedef enum cd_condition_kind {
    CD_CONDITION_Q,
    CD_CONDITION_V,
    CD_CONDITION_A,
    CD_CONDITION_EXPRESSION
} cd_condition_kind;

// lower <= quantity <= upper; equality if both are the same
typedef struct cd_condition {
    cd_condition_kind kind;
    int               velocity_index; // velocity; of single-axis joints also the coordinate
    cardan_expression expression;     // for CD_CONDITION_EXPRESSION
    double            lower, upper;
    cardan_location   location;
} cd_condition;

typedef struct cd_conditions {
    cd_condition* list;
    int           count, capacity;
} cd_conditions;

typedef struct cd_control {
    int             velocity_index;
    double          lower, upper, effort_weight, rate_weight; // bounds; weights in the cost
    double          guess;                                    // NaN: static effort
    cardan_location location;
} cd_control;

struct cardan_task {
    cardan_description* description;
    cardan_model*       model;
    cd_name_table*      strings; // owns names
    const char *        name, *model_path;
    cardan_location     location;

    double          horizon, horizon_lower, horizon_upper; // [s]; fixed if the bounds are equal
    int             intervals, degree;
    const char *    dynamics_form, *transcription, *layout; // NULL: default
    const char*     guess_file;                             // trajectory of the initial guess; NULL: none
    cardan_location guess_location;

    cd_control*       control;
    int               ncontrol, control_capacity;
    cd_conditions     start, end, path;                      // path: expressions only
    double *          q_lower, *q_upper, *v_lower, *v_upper; // (nv) bounds on the path
    double *          q_guess_end, *q_start, *v_start;       // (nv) end and start of the straight line
    bool              has_q_guess;                           // the task gives q_guess_end
    double            cost_time;
    cardan_expression cost_integral, cost_final; // CARDAN_NONE: none
    cardan_location   integral_location, final_location;
};

// Return whether a formula depends on accelerations.
bool cd_task_uses_acceleration(const cardan_task* task, cardan_expression formula);
// Return the coordinate of a velocity, or -1 - rotation component (three for each quaternion).
int cd_coordinate_of_velocity(const cardan_model* model, int v);
// Read and check the task file and its model.
cardan_status cd_task_read(cardan_task* task, const char* path, const char* text, const cardan_load_options* options,
                           cardan_report* report);
