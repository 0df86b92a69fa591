// SPDX-License-Identifier: BSD-3-Clause
// The larger of two numbers; the largest magnitude of many, NAN where one of them is not a number: magnitudes are
// ordered as their bits are, and what is no number is beyond them all.
#pragma once

#include <limits.h>
#include <string.h>

// fmax is a call, for the sake of what is no number; here that is passed over.
static inline double cd_max(double a, double b) { return b > a ? b : a; }
// Here it stays.
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

// The same of x[i] * by[i].
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
