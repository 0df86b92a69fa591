// SPDX-License-Identifier: BSD-3-Clause
// Everything that one call of cardan_generate makes, and what it works with.
#pragma once

#include "generate/routine/parameter_arguments.h"
#include "generate/print/syntax.h"

#include <cardan/generate.h>

struct cardan_generated {
    const cd_language* language;
    cd_code_unit       unit;
    char               hash[65];
    char *             name, *command, *file[2];
    cd_text            text[2];
    cd_graph**         graph; // (ntraced)
    cd_reference*      reference;
    const char*        current_form; // at work; NULL: none
    double             effort_scale; // the largest at test states, by inverse dynamics
    // parameters that are arguments
    cd_parameter_arguments parameters;
    bool*                  by_parameter;       // (2 x count) by which to differentiate
    cd_routine*            parametric_routine; // (cd_routine_count()) those of the table that take them
    cardan_description*    description;
    cardan_model* parametric_model; // the mechanism whose numbers know how they depend on them; NULL: there are none
};
