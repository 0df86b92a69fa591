// SPDX-License-Identifier: BSD-3-Clause
// The largest magnitude of many numbers, in lanes that do not wait for each other; NAN where one of them is not a number.
#pragma once

#include <math.h>

static inline double cd_largest(int n, const double* x)
{
    enum { LANES = 8 };
    double most[LANES] = {0}, odd[LANES] = {0}, all = 0, none = 0;
    int    i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; ++k) {
            const double size = fabs(x[i + k]);
            most[k]           = size > most[k] ? size : most[k];
            odd[k] += size == size ? 0 : 1;
        }
    for (; i < n; ++i) {
        const double size = fabs(x[i]);
        most[0]           = size > most[0] ? size : most[0];
        odd[0] += size == size ? 0 : 1;
    }
    for (int k = 0; k < LANES; ++k) {
        all = most[k] > all ? most[k] : all;
        none += odd[k];
    }
    return none > 0 ? NAN : all;
}
