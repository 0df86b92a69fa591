// SPDX-License-Identifier: BSD-3-Clause
// Load and save mechanisms.
#pragma once

#include <cardan/describe.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_parameter_setting {
    const char*
        name; // parameter of the model file, or path of a value, "bodies.rod.mass", "points.B", "couplings.1.factor"
    const char* value; // parameter: number, or formula of other parameters; path: YAML, as in the file
} cardan_parameter_setting;

typedef struct cardan_load_options {
    int                             nsetting;
    const cardan_parameter_setting* setting;
    bool                            strict;        // doubtful input is an error
    bool                            floating_base; // URDF: the root link is free instead of fixed to ground
    const char* collision_material; // URDF: material of collision shapes, which touch; add it and its pairs to the
                                    // description. NULL: collision shapes have no effect
    int                ninput;      // parameters that stay inputs of generated code, see cardan_generate_options
    const char* const* input;
    long               max_elements; // limit of elements created by repetitions; 0: 5,000,000
} cardan_load_options;

cardan_load_options cardan_load_options_default(void);

/// Load a mechanism. `path` is a file, or a folder that contains a file of the same name (models/pendulum ->
/// models/pendulum/pendulum.yaml). The extension determines the format (`cardan list formats`). `options` may be NULL.
/// On failure *description is NULL and `report` contains the reason.
cardan_status cardan_description_load(const char* path, const cardan_load_options* options,
                                      cardan_description** description, cardan_report* report);

/// Load a mechanism from the text of a native model file; `name` replaces the file name in messages, and included files
/// are relative to it.
cardan_status cardan_description_load_text(const char* text, const char* name, const cardan_load_options* options,
                                           cardan_description** description, cardan_report* report);

/// Set parameters of a description that was loaded from a native model file or text, and evaluate everything that
/// depends on them again, as cardan_description_load with these settings does: the result is the same, bit for bit. No
/// file is read; settings of earlier calls and of the load options remain. Models of the description must be destroyed
/// before; pointers and expressions of it are no longer valid, and changes by other functions are lost. Returns
/// CARDAN_BAD_INPUT with a message, and the description unchanged, if a name is unknown or the values are not possible;
/// CARDAN_BAD_USAGE if the description is not that of a model file, or elements or formulas were added to it.
cardan_status cardan_description_set_parameters(cardan_description* description, int count, const char* const* name,
                                                const double* value, cardan_report* report);

/// Save the description as a native model file; loading it gives the same description.
cardan_status cardan_description_save(const cardan_description* description, const char* path, cardan_report* report);

/// Native text of the description; the caller frees it. NULL if there is no memory.
char* cardan_description_save_text(const cardan_description* description);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
