// SPDX-License-Identifier: BSD-3-Clause
// Row by row:
//
//   z(j) = N(i,j) - sum over k < j of z(k) L(j,k),   L(i,j) = z(j) / d(j),   d(i) = N(i,i) - sum over j < i of z(j) L(i,j)
//
// where sums begin at the later first column of the two rows: what lies before is zero and stays so.
#include "formulation/skyline.h"

#include <math.h>

void cd_skyline_place(cd_skyline* N)
{
    N->nentry = 0;
    for (int i = 0; i < N->n; ++i) {
        N->row[i] = N->nentry;
        N->nentry += (size_t)(i - N->first[i] + 1);
    }
}

void cd_skyline_layout(cd_skyline* N, cd_arena* arena)
{
    CD_TAKE(arena, N->entry, N->nentry);
    CD_TAKE(arena, N->z, N->n);
    CD_TAKE(arena, N->least, N->n);
}

void cd_skyline_clear(cd_skyline* N)
{
    for (size_t i = 0; i < N->nentry; ++i) N->entry[i] = r_lift(0);
}

static inline int later(int a, int b) { return a > b ? a : b; }

int cd_skyline_factor(cd_skyline* N, double tolerance)
{
    N->weakest     = 1;
    N->weakest_row = -1;
    N->null        = 0;
    for (int i = 0; i < N->n; ++i) {
        real*        row      = cd_skyline_at(N, i, N->first[i]) - N->first[i];
        const double diagonal = r_value(row[i]);
        for (int j = N->first[i]; j < i; ++j) {
            const real* other = cd_skyline_at(N, j, N->first[j]) - N->first[j];
            real        z     = row[j];
            for (int k = later(N->first[i], N->first[j]); k < j; ++k) z = r_sub(z, r_mul(N->z[k], other[k]));
            N->z[j] = z;
            row[j]  = r_over(z, other[j]);
            row[i]  = r_sub(row[i], r_mul(z, row[j]));
        }
        const double d    = r_value(row[i]);
        const bool   null = fabs(d) <= tolerance * diagonal || fabs(d) <= N->least[i];
        if (!null && !(d > 0)) return i;
        N->null += null;
        if (!null && d < N->weakest * diagonal) {
            N->weakest     = d / diagonal;
            N->weakest_row = i;
        }
        row[i] = null ? r_lift(0) : r_div(r_lift(1), row[i]);
    }
    return -1;
}

void cd_skyline_down(const cd_skyline* N, real* x)
{
    for (int i = 0; i < N->n; ++i) {
        const real* row = cd_skyline_at(N, i, N->first[i]) - N->first[i];
        for (int j = N->first[i]; j < i; ++j) x[i] = r_sub(x[i], r_mul(row[j], x[j]));
    }
}

void cd_skyline_up(const cd_skyline* N, real* x)
{
    for (int i = N->n - 1; i >= 0; --i) {
        const real* row = cd_skyline_at(N, i, N->first[i]) - N->first[i];
        for (int j = N->first[i]; j < i; ++j) x[j] = r_sub(x[j], r_mul(row[j], x[i]));
    }
}

void cd_skyline_solve(const cd_skyline* N, real* x)
{
    cd_skyline_down(N, x);
    for (int i = N->n - 1; i >= 0; --i) x[i] = r_over(x[i], *cd_skyline_at(N, i, i));
    cd_skyline_up(N, x);
}
