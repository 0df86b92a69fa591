// SPDX-License-Identifier: BSD-3-Clause
// A task as it was read: what may be chosen, what must hold, what it costs.
#pragma once

#include "core/text.h"

#include <cardan/optimize.h>

typedef enum cd_condition_on { CD_ON_Q, CD_ON_V, CD_ON_A, CD_ON_VALUE } cd_condition_on;

// lower <= what <= upper; equal where both are the same
typedef struct cd_condition {
    cd_condition_on   on;
    int               index; // velocity (trees of hinges and slides: coordinate too)
    cardan_expression value; // CD_ON_VALUE
    double            lower, upper;
    cardan_place      place;
} cd_condition;

typedef struct cd_conditions {
    cd_condition* list;
    int           count, capacity;
} cd_conditions;

typedef struct cd_control {
    int          v;
    double       lower, upper, effort, rate; // bounds; weights in the cost
    double       guess;                      // NaN: static effort
    cardan_place place;
} cd_control;

struct cardan_task {
    cardan_description* description;
    cardan_model*       model;
    cd_names*           strings; // owns names
    const char *        name, *model_path;
    cardan_place        place;

    double       horizon, horizon_lower, horizon_upper; // equal: fixed
    int          intervals, degree;
    const char * form, *transcription, *layout; // NULL: chosen
    const char*  guess_file;                    // a motion to start from; NULL: none
    cardan_place guess_place;

    cd_control*       control;
    int               ncontrol, ccontrol;
    cd_conditions     start, end, path;                      // path: values only
    double *          q_lower, *q_upper, *v_lower, *v_upper; // (nv) on the way
    double *          q_guess, *q_start, *v_start;           // (nv) end and beginning of the straight line
    bool              q_guessed;                             // the task says where it ends
    double            cost_time;
    cardan_expression cost_integral, cost_final; // CARDAN_NONE: none
    cardan_place      integral_place, final_place;
};

// Whether a formula looks at accelerations.
bool cd_task_accelerates(const cardan_task* task, cardan_expression formula);
// Everything in the files, checked.
cardan_status cd_task_read(cardan_task* task, const char* path, const char* text, const cardan_load_options* options,
                           cardan_report* report);
