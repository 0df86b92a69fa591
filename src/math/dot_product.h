// SPDX-License-Identifier: BSD-3-Clause
// Sums over arrays, in the order of their entries.
#pragma once

static inline double cd_dot(int n, const double* x, const double* y)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
}

static inline double cd_norm_sq(int n, const double* x) { return cd_dot(n, x, x); }
