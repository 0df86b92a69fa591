// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cardan/describe.h>

// A formula as users would write it, without the leading '='; the caller frees. NULL without memory. What is longer
// than some 65,000 characters ends in " ...".
char* cd_formula_text(const cardan_description* description, cardan_expression node);
