// SPDX-License-Identifier: BSD-3-Clause
// Internal functions of the task reader.
#pragma once

#include "io/yaml/yaml.h"
#include "optimize/task/task.h"

typedef struct cd_task_reader {
    cardan_task*               task;
    cd_pool                    pool;
    const cardan_load_options* options;
    cardan_report*             report;
    cardan_tree_policy         tree;
    bool                       failed;           // an error was reported
    bool                       no_memory;        // a parameter is missing: formulas are not read
    bool                       controls_invalid; // suppresses errors about joints that are not controls
} cd_task_reader;

// Report an error at a node; returns false. The caller continues to read, so that all errors are reported.
bool cd_task_fail(cd_task_reader* r, const cd_yaml* at, const char* format, ...) __attribute__((format(printf, 3, 4)));
// Check that a node is a map with keys of the section in task_keys.def; report unknown keys. `what`: name of the
// section in messages, NULL: label of the table.
bool cd_task_check_keys(cd_task_reader* r, const cd_yaml* map, const char* section, const char* what);
bool cd_task_read_number(cd_task_reader* r, const cd_yaml* node, double* value);            // may be .inf
bool cd_task_read_whole(cd_task_reader* r, const cd_yaml* node, int max_value, int* value); // 1 or more
bool cd_task_read_formula(cd_task_reader* r, const cd_yaml* node, cardan_expression* formula);
// Read a value (lower == upper) or [lower, upper].
bool cd_task_read_range(cd_task_reader* r, const cd_yaml* node, double* lower, double* upper);
// Read a text; it is stored in the task.
const char* cd_task_read_name(cd_task_reader* r, const cd_yaml* node);
// Return the index range of the joint named by a key; NULL with a report if there is none.
const cardan_index_range* cd_task_read_joint(cd_task_reader* r, const cd_yaml* key);

// Resolve the path of a file relative to the task; it is stored in the task.
const char* cd_task_resolve_path(cd_task_reader* r, const cd_yaml* node);

// read_conditions.c
typedef bool cd_value_handler(cd_task_reader* r, const cd_yaml* at, int v, double lower, double upper, void* user);
// Read {joint: value, ...}, a value or range per coordinate; or one value for all.
bool cd_task_read_per_joint(cd_task_reader* r, const cd_yaml* node, cd_value_handler* handler, void* user);
bool cd_task_read_conditions(cd_task_reader* r, const cd_yaml* node, const char* what, cd_conditions* list);
bool cd_task_read_path(cd_task_reader* r, const cd_yaml* node);
// read_controls.c
int  cd_task_find_driven_joint(const cardan_task* task,
                               const char*        name); // of a joint or an actuator; CARDAN_NONE if there is none
void cd_task_clear_actuator_formulas(
    cd_task_reader* r,
    const cd_yaml*  controls); // set formulas of actuators that are controls to zero; before compilation
bool cd_task_read_controls(cd_task_reader* r, const cd_yaml* node);
bool cd_task_read_cost(cd_task_reader* r, const cd_yaml* node);
// read_tracking.c: add terms to the integral cost
bool cd_task_read_tracking(cd_task_reader* r, const cd_yaml* node);
// read_guess.c
bool cd_task_read_guess(cd_task_reader* r, const cd_yaml* node);
bool cd_conditions_add(cd_task_reader* r, cd_conditions* list, cd_condition condition);
