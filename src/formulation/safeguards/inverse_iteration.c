// SPDX-License-Identifier: BSD-3-Clause
// Vector operations of the inverse iteration (inverse_iteration.h).
#include "formulation/safeguards/inverse_iteration.h"

#include <math.h>

static bool is_row_included(const cd_rows* rows, const double* weight, int i)
{
    return !(cd_row_compliance(rows, i) > 0) && weight[i] > 0 && isfinite(weight[i]);
}

static double norm_sq(vec3 a) { return r_value(v3_dot(a, a)); }

void cd_compute_row_weights(const cd_rows* rows, double length, double* weight)
{
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; i < b->nrow; ++i) {
            double size = 0;
            for (int n = 0; n < b->nend; ++n)
                if (b->link[n] >= 0)
                    size += norm_sq(b->G[i * b->nend + n].l) + norm_sq(b->G[i * b->nend + n].a) / (length * length);
            weight[b->row + i] = size > 0 ? 1 / sqrt(size) : 0;
        }
    }
}

void cd_normalize_row_vector(const cd_rows* rows, cd_row_groups groups, const double* weight, double* sum, real* z)
{
    for (int g = 0; g < groups.n; ++g) sum[g] = 0;
    for (int i = 0; i < rows->nrow; ++i) {
        if (!is_row_included(rows, weight, i))
            z[i] = r_const(0);
        else
            sum[groups.group_of_row[i]] += pow(weight[i] * r_value(z[i]), 2);
    }
    for (int g = 0; g < groups.n; ++g) sum[g] = sum[g] > 0 && isfinite(sum[g]) ? 1 / sqrt(sum[g]) : 0;
    for (int i = 0; i < rows->nrow; ++i)
        z[i] = is_row_included(rows, weight, i) ? r_mul(z[i], r_const(sum[groups.group_of_row[i]])) : r_const(0);
}

void cd_inverse_iteration_update(const cd_rows* rows, cd_row_groups groups, const double* weight, const real* lambda,
                                 double* inv_sigma_sq, real* z)
{
    for (int g = 0; g < groups.n; ++g) inv_sigma_sq[g] = 0;
    for (int i = 0; i < rows->nrow; ++i) {
        if (!is_row_included(rows, weight, i)) continue;
        inv_sigma_sq[groups.group_of_row[i]] -= r_value(lambda[i]) * r_value(z[i]);
        z[i] = r_mul(lambda[i], r_const(-1 / (weight[i] * weight[i])));
    }
    for (int g = 0; g < groups.n; ++g)
        if (!(inv_sigma_sq[g] > 0) || !isfinite(inv_sigma_sq[g])) inv_sigma_sq[g] = 0;
}
