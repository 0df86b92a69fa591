// SPDX-License-Identifier: BSD-3-Clause
// Generated code that is loaded: inside of cardan_library.
#pragma once

#include "dynamics/data.h"
#include "generate/build.h"

#include <cardan/generate.h>

struct cardan_library {
    const cardan_model*   model;
    cd_loaded             loaded;
    cardan_library_kind   kind;
    cd_rate_function      rate;
    cd_rate_slopes        slopes;
    cd_equations_function equations;
    cd_equations_slopes   equation_slopes;
    char                  compiler[CD_COMPILER_PATH];
};
