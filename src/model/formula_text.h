// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cardan/describe.h>

// Formula in the syntax of model files, without the leading '='; the caller frees it. NULL if memory is exhausted. A
// text longer than about 65,000 characters ends in " ...".
char* cd_formula_text(const cardan_description* description, cardan_expression node);
