// SPDX-License-Identifier: BSD-3-Clause
// Vectors of the inverse iteration; weakest.h says what it computes.
#include "formulation/weakest.h"

#include <math.h>

static bool takes_part(const cd_rows* rows, const double* weight, int i) { return !(cd_compliance(rows, i) > 0) && weight[i] > 0 && isfinite(weight[i]); }

bool cd_normalize_rows(const cd_rows* rows, const double* weight, real* z)
{
    double sum = 0;
    for (int i = 0; i < rows->nrow; ++i) {
        if (!takes_part(rows, weight, i)) z[i] = r_lift(0);
        sum += weight[i] > 0 && isfinite(weight[i]) ? pow(weight[i] * r_value(z[i]), 2) : 0;
    }
    if (!(sum > 0) || !isfinite(sum)) return false;
    for (int i = 0; i < rows->nrow; ++i) z[i] = r_mul(z[i], r_lift(1 / sqrt(sum)));
    return true;
}

double cd_next_rows(const cd_rows* rows, const double* weight, const real* lambda, real* z)
{
    double sum = 0;
    for (int i = 0; i < rows->nrow; ++i) {
        if (!takes_part(rows, weight, i)) continue;
        sum -= r_value(lambda[i]) * r_value(z[i]);
        z[i] = r_mul(lambda[i], r_lift(-1 / (weight[i] * weight[i])));
    }
    return sum > 0 && isfinite(sum) ? sum : 0;
}
