// SPDX-License-Identifier: BSD-3-Clause
// Everything that one call of cardan_generate makes, and what it works with.
#pragma once

#include "generate/inputs.h"
#include "generate/syntax.h"

#include <cardan/generate.h>

struct cardan_generated {
    const cd_language* language;
    cd_sheet           sheet;
    char               hash[65];
    char *             name, *command, *file[2];
    cd_text            text[2];
    cd_graph**         graph; // (ntraced)
    cd_referee*        referee;
    const char*        form;    // at work; NULL: none
    double             efforts; // the largest at test states, by inverse dynamics
    // parameters that are arguments
    cd_inputs           inputs;
    bool*               chosen;  // (2 x count) by which to differentiate
    cd_routine*         routine; // (cd_routine_count()) those of the table that take them
    cardan_description* description;
    cardan_model*       carried; // the mechanism whose numbers know how they depend on them; NULL: there are none
};
