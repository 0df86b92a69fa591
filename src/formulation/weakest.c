// SPDX-License-Identifier: BSD-3-Clause
// Vectors of the inverse iteration; weakest.h says what it computes.
#include "formulation/weakest.h"

#include <math.h>

static bool takes_part(const cd_rows* rows, const double* weight, int i)
{
    return !(cd_compliance(rows, i) > 0) && weight[i] > 0 && isfinite(weight[i]);
}

static double square(vec3 a) { return r_value(v3_dot(a, a)); }

void cd_weigh_rows(const cd_rows* rows, double length, double* weight)
{
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            double size = 0;
            for (int n = 0; n < b->nend; ++n)
                if (b->link[n] >= 0)
                    size += square(b->G[i * b->nend + n].l) + square(b->G[i * b->nend + n].a) / (length * length);
            weight[b->row + i] = size > 0 ? 1 / sqrt(size) : 0;
        }
    }
}

void cd_normalize_rows(const cd_rows* rows, cd_row_groups groups, const double* weight, double* sum, real* z)
{
    for (int g = 0; g < groups.n; ++g) sum[g] = 0;
    for (int i = 0; i < rows->nrow; ++i) {
        if (!takes_part(rows, weight, i))
            z[i] = r_lift(0);
        else
            sum[groups.of[i]] += pow(weight[i] * r_value(z[i]), 2);
    }
    for (int g = 0; g < groups.n; ++g) sum[g] = sum[g] > 0 && isfinite(sum[g]) ? 1 / sqrt(sum[g]) : 0;
    for (int i = 0; i < rows->nrow; ++i)
        z[i] = takes_part(rows, weight, i) ? r_mul(z[i], r_lift(sum[groups.of[i]])) : r_lift(0);
}

void cd_next_rows(const cd_rows* rows, cd_row_groups groups, const double* weight, const real* lambda, double* flexible,
                  real* z)
{
    for (int g = 0; g < groups.n; ++g) flexible[g] = 0;
    for (int i = 0; i < rows->nrow; ++i) {
        if (!takes_part(rows, weight, i)) continue;
        flexible[groups.of[i]] -= r_value(lambda[i]) * r_value(z[i]);
        z[i] = r_mul(lambda[i], r_lift(-1 / (weight[i] * weight[i])));
    }
    for (int g = 0; g < groups.n; ++g)
        if (!(flexible[g] > 0) || !isfinite(flexible[g])) flexible[g] = 0;
}
