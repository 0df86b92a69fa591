// SPDX-License-Identifier: BSD-3-Clause
// Maximum of two numbers; infinity norm of an array, NAN if an entry is NaN: magnitudes are compared by their bits,
// where NaN is larger than all numbers.
#pragma once

#include <limits.h>
#include <string.h>

// Maximum without the function call of fmax; NaN in b is ignored.
static inline double cd_max(double a, double b) { return b > a ? b : a; }
// Maximum; NaN is returned.
static inline double cd_max_propagate_nan(double a, double b) { return b > a || b != b ? b : a; }

static inline double cd_norm_inf(int n, const double* x)
{
    long long most = 0;
    double    largest;
    for (int i = 0; i < n; ++i) {
        long long bits;
        memcpy(&bits, &x[i], sizeof bits);
        bits &= LLONG_MAX;
        most = bits > most ? bits : most;
    }
    memcpy(&largest, &most, sizeof largest);
    return largest;
}

// Infinity norm of x[i] * scale[i].
static inline double cd_norm_inf_scaled(int n, const double* x, const double* scale)
{
    long long most = 0;
    double    largest;
    for (int i = 0; i < n; ++i) {
        const double product = x[i] * scale[i];
        long long    bits;
        memcpy(&bits, &product, sizeof bits);
        bits &= LLONG_MAX;
        most = bits > most ? bits : most;
    }
    memcpy(&largest, &most, sizeof largest);
    return largest;
}
