// SPDX-License-Identifier: BSD-3-Clause
// Data of one call of cardan_generated_create: its results and its intermediate objects.
#pragma once

#include "generate/routine/parameter_arguments.h"
#include "generate/print/syntax.h"

#include <cardan/generate.h>

struct cardan_generated {
    const cd_language*    language;
    cd_code_unit          unit;
    char                  hash[65];
    char *                name, *command, *file[2];
    cd_text               text[2];
    cd_graph**            graph; // (ntraced)
    cd_runtime_reference* reference;
    const char*           current_form; // form in progress, for messages; NULL: none
    double                effort_scale; // [N m, N] largest effort at the test states, by inverse dynamics
    // parameters that are arguments
    cd_parameter_arguments parameters;
    bool*                  by_parameter;       // (2 x count) parameters to differentiate by: Jacobian, then Hessian
    cd_routine*            parametric_routine; // (cd_routine_count()) the table of routines with argument p added
    cardan_description*    description;
    cardan_model* parametric_model; // model whose numbers are expressions of the parameters; NULL: no parameters
};
