// SPDX-License-Identifier: BSD-3-Clause
// Test whether all numbers of an array are finite, in one pass without branches.
#pragma once

#include "math/norm_inf.h"

#include <float.h>
#include <stdbool.h>

static inline bool cd_all_finite(int n, const double* x) { return cd_norm_inf(n, x) <= DBL_MAX; }
