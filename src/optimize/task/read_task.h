// SPDX-License-Identifier: BSD-3-Clause
// Inside of the reader of tasks.
#pragma once

#include "io/yaml/yaml.h"
#include "optimize/task/task.h"

typedef struct cd_task_reader {
    cardan_task*               task;
    cd_pool                    pool;
    const cardan_load_options* options;
    cardan_report*             report;
    cardan_tree_policy         tree;
    bool                       failed;           // something was told
    bool                       no_memory;        // a parameter is missing for want of memory: formulas are not read
    bool                       controls_invalid; // a control is wrong: what is none of them is not told
} cd_task_reader;

// Tells what is wrong at a node; false. Reading goes on behind it, so that all mistakes are told.
bool cd_task_fail(cd_task_reader* r, const cd_yaml* at, const char* format, ...) __attribute__((format(printf, 3, 4)));
// A map whose keys are those of the section in task_keys.def; others are told. `what` it is called, NULL: as the table
// says.
bool cd_task_check_keys(cd_task_reader* r, const cd_yaml* map, const char* section, const char* what);
bool cd_task_read_number(cd_task_reader* r, const cd_yaml* node, double* value);            // may be .inf
bool cd_task_read_whole(cd_task_reader* r, const cd_yaml* node, int max_value, int* value); // from 1 on
bool cd_task_read_formula(cd_task_reader* r, const cd_yaml* node, cardan_expression* formula);
// A value (both the same) or [lower, upper].
bool cd_task_read_range(cd_task_reader* r, const cd_yaml* node, double* lower, double* upper);
// A text that is kept.
const char* cd_task_read_name(cd_task_reader* r, const cd_yaml* node);
// The slot of a joint named by a key; NULL, and told, where there is none.
const cardan_index_range* cd_task_read_joint(cd_task_reader* r, const cd_yaml* key);

// Path of a file that the task names, beside the task; kept.
const char* cd_task_resolve_path(cd_task_reader* r, const cd_yaml* node);

// read_conditions.c
typedef bool cd_value_handler(cd_task_reader* r, const cd_yaml* at, int v, double lower, double upper, void* user);
// {joint: value, ...}, a value or range per coordinate; or one value for all.
bool cd_task_read_per_joint(cd_task_reader* r, const cd_yaml* node, cd_value_handler* handler, void* user);
bool cd_task_read_conditions(cd_task_reader* r, const cd_yaml* node, const char* what, cd_conditions* list);
bool cd_task_read_path(cd_task_reader* r, const cd_yaml* node);
// read_controls.c
int cd_task_find_driven_joint(
    const cardan_task* task,
    const char*        name); // the joint of this name, or of the actuator of this name; CARDAN_NONE: there is none
void cd_task_clear_actuator_formulas(
    cd_task_reader* r,
    const cd_yaml*  controls); // formulas of actuators that are controls; before the model is compiled
bool cd_task_read_controls(cd_task_reader* r, const cd_yaml* node);
bool cd_task_read_cost(cd_task_reader* r, const cd_yaml* node);
// read_tracking.c: adds to the integral cost
bool cd_task_read_tracking(cd_task_reader* r, const cd_yaml* node);
// read_guess.c
bool cd_task_read_guess(cd_task_reader* r, const cd_yaml* node);
bool cd_conditions_add(cd_task_reader* r, cd_conditions* list, cd_condition condition);
