// SPDX-License-Identifier: BSD-3-Clause
// Plain numbers as the processor holds them: four or two in a vector, read from and written to any place.
#pragma once

#include "math/number.h"

#ifdef CD_VECTORS

typedef double    four __attribute__((vector_size(32)));
typedef double    two __attribute__((vector_size(16)));
typedef double    loose_four __attribute__((vector_size(32), aligned(8), may_alias));
typedef double    loose_two __attribute__((vector_size(16), aligned(8), may_alias));
typedef long long four_bits __attribute__((vector_size(32)));  // of a comparison

#endif
