// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing mechanisms.
#pragma once

#include <cardan/describe.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_parameter_setting {
    const char* name;  // a parameter of the model file
    const char* value; // a number or a formula over other parameters
} cardan_parameter_setting;

typedef struct cardan_load_options {
    int                             nsetting;
    const cardan_parameter_setting* setting;
    bool                            strict;        // what is doubtful is an error
    bool                            floating_base; // URDF: the root link is free instead of fixed to ground
    int ninput; // parameters that stay inputs of code that is generated from it, see cardan_generate_options
    const char* const* input;
    long               max_elements; // that repetitions may make; 0: 5,000,000
} cardan_load_options;

cardan_load_options cardan_load_options_default(void);

/// Read a mechanism. `path` is a file, or a folder that holds a file of its own name (models/pendulum ->
/// models/pendulum/pendulum.yaml). The format follows from the ending (`cardan list formats`).
/// `options` may be NULL. On failure *description is NULL and `report` says why.
cardan_status cardan_load(const char* path, const cardan_load_options* options, cardan_description** description,
                          cardan_report* report);

/// Read a mechanism from the text of a native model file; `name` stands for the file in messages, and what it includes
/// is looked for beside it.
cardan_status cardan_load_text(const char* text, const char* name, const cardan_load_options* options,
                               cardan_description** description, cardan_report* report);

/// Write the description as a native model file that reads back to the same description.
cardan_status cardan_save(const cardan_description* description, const char* path, cardan_report* report);

/// The native text of the description, to be freed by the caller; NULL without memory.
char* cardan_save_text(const cardan_description* description);

#ifdef __cplusplus
}
#endif
