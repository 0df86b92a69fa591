// SPDX-License-Identifier: BSD-3-Clause
// Definition of cardan_compiled_code: generated code that is loaded.
#pragma once

#include "dynamics/data.h"
#include "generate/compiled/build.h"

#include <cardan/generate.h>

struct cardan_compiled_code {
    const cardan_model*           model;
    cd_loaded_library             loaded;
    cardan_compiled_code_kind     kind;
    cd_rhs_function               rhs;
    cd_rhs_jacobian_function      rhs_jacobian;
    cd_residual_function          residual;
    cd_residual_jacobian_function residual_jacobian;
    char                          compiler[CD_COMPILER_PATH_SIZE];
};
