// SPDX-License-Identifier: BSD-3-Clause
// Parameters of a model file that generated code takes as arguments: the file is read again with other values wherever
// the runtime is asked about them.
#pragma once

#include "model/model.h"

#include <cardan/generate.h>
#include <cardan/io.h>

typedef struct cd_parameter_arguments {
    int                        count;
    const char**               name;     // (count)
    double*                    nominal;  // (count) in the file, after settings
    cardan_location*           location; // (count) where they are defined
    char*                      text;     // owns the names
    const char*                path;
    const cardan_load_options* load_options;
} cd_parameter_arguments;

// Names with commas between, of the parameters of a model. NULL or "": none.
cardan_status cd_parameter_arguments_create(const cardan_generate_options* options, const cardan_model* model,
                                            cd_parameter_arguments* parameters, cardan_report* report);
void          cd_parameter_arguments_release(cd_parameter_arguments* parameters);
// The mechanism with these values; `carried`: its numbers know how they depend on them.
cardan_status cd_parameter_arguments_load(const cd_parameter_arguments* parameters, const double* value,
                                          bool parametric, cardan_description** description, cardan_model** model,
                                          cardan_report* report);
// The same bodies on the same joints, whatever their numbers are.
bool cd_same_topology(const cardan_model* a, const cardan_model* b);
