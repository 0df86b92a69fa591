// SPDX-License-Identifier: BSD-3-Clause
// Parameters of a model file that generated routines take as arguments. The model file is loaded again whenever the
// reference is evaluated with other values.
#pragma once

#include "model/model.h"

#include <cardan/generate.h>
#include <cardan/io.h>

typedef struct cd_parameter_arguments {
    int                        count;
    const char**               name;     // (count)
    double*                    nominal;  // (count) values in the file, after settings
    cardan_location*           location; // (count) definitions in the file
    char*                      text;     // memory of the names
    const char*                path;
    const cardan_load_options* load_options;
} cd_parameter_arguments;

// Read the list options->parameters: names of parameters of the model with commas between. NULL or "": none. Fails if a
// name occurs twice or if nothing uses the parameter.
cardan_status cd_parameter_arguments_create(const cardan_generate_options* options, const cardan_model* model,
                                            cd_parameter_arguments* parameters, cardan_report* report);
void          cd_parameter_arguments_release(cd_parameter_arguments* parameters);
// Load and compile the model with these values. `parametric`: its numbers become expressions of the parameters.
cardan_status cd_parameter_arguments_load(const cd_parameter_arguments* parameters, const double* value,
                                          bool parametric, cardan_description** description, cardan_model** model,
                                          cardan_report* report);
// True if both models have the same links, joints, forces and constraints, whatever their numbers are.
bool cd_same_topology(const cardan_model* a, const cardan_model* b);
