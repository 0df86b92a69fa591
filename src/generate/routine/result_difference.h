// SPDX-License-Identifier: BSD-3-Clause
// Largest difference between results and expected results, and the largest expected result, over any number of states.
#pragma once

#include <math.h>
#include <stddef.h>

typedef struct cd_result_difference {
    double difference; // INFINITY if a result is not finite
    double largest;    // expected result
} cd_result_difference;

static inline void cd_result_difference_add(cd_result_difference* d, size_t n, const double* x, const double* expected)
{
    for (size_t i = 0; i < n; ++i) {
        d->difference = isfinite(x[i]) ? fmax(d->difference, fabs(x[i] - expected[i])) : INFINITY;
        d->largest    = fmax(d->largest, fabs(expected[i]));
    }
}

// Scale of relative differences: the largest expected result, 1 if all are zero.
static inline double cd_result_difference_scale(const cd_result_difference* d)
{
    return d->largest > 0 ? d->largest : 1;
}
