// SPDX-License-Identifier: BSD-3-Clause
// What a solution leaves of equations whose matrix is still in the factor: where nothing was subtracted from a block of
// column k,
//
//   Z(i,k) = A(i,k) L(k)^-T,    A(i,k) x(k) = Z(i,k) (L(k)'x(k)),    A(i,k)'x(i) = L(k) (Z(i,k)'x(i)).
//
// On the way up Z and x are at hand, which the matrix is not any more.
#include "formulation/block_kernels.h"
#include "math/largest.h"

// y = L'y
CD_KERNEL void times_upper(const real* L, real* y, int s)
{
    CD_UNROLL for (int j = 0; j < s; ++j) CD_UNROLL for (int i = j + 1; i < s; ++i) y[j] =
        r_add(y[j], r_mul(L[lower_at(i, j, s)], y[i]));
}

// y = L y
CD_KERNEL void times_lower(const real* L, real* y, int s)
{
    CD_UNROLL for (int i = s - 1; i > 0; --i) CD_UNROLL for (int j = 0; j < i; ++j) y[i] =
        r_add(y[i], r_mul(L[lower_at(i, j, s)], y[j]));
}

// Entries below, and the sizes of what they take, row by row.
CD_KERNEL void leave_below(const real* Z, const real* u, real* y, strip* size, int r, int s)
{
    const int n = r_lanes(r);
    strip     z, sum, rest;
    strip_read(&z, Z, r);
    strip_times(&sum, &z, u[0], r);
    CD_UNROLL for (int c = 1; c < s; ++c)
    {
        strip_read(&z, Z + c * n, r);
        strip_lift(&sum, &z, u[c], r);
    }
    strip_read(&rest, y, r);
    strip_subtract(&rest, &sum, r);
    strip_write(&rest, y, r);
    strip_largest(size, &sum, r);
}

CD_KERNEL double leave_column(const cd_block_ldl* F, int k, real* y, int s)
{
    const cd_block_column* j       = &F->column[k];
    const bool             gathers = j[0].gather < j[1].gather;
    const real *           x = F->t + j->slot, *L = F->lower + j->lower;
    strip                  size;
    sum_apart              sum[CD_BLOCK_SIDES][CD_BLOCK_MOST];
    double                 largest = 0;
    real                   u[CD_BLOCK_MOST], above[CD_BLOCK_MOST];
    strip_clear(&size);
    CD_UNROLL for (int c = 0; c < s; ++c) u[c] = x[c];
    if (s > 1 && is_turned(F, k)) cd_block_to_pivots(F, k, u);
    if (s > 1 && F->held[k] != CD_BLOCK_PLAIN) times_upper(L, u, s);
    CD_UNROLL for (int c = 0; c < s; ++c) sum_clear(&sum[0][c]);
    for (int i = j[0].entry; i < j[1].entry; ++i) {
        const cd_block_below* here = &F->below[i];
        if (!here->covered) continue;
        const real* Z    = F->value + here->at;
        const int   slot = here->slot, r = here->rows;
#define CD_BELOW(r) leave_below(Z, u, y + slot, &size, r, s)
#define CD_ABOVE(r) solve_up(sum, Z, F->t + slot, 0, 1, r, s)
        CD_EVERY_SIZE(r, CD_BELOW)
        if (gathers) {
            CD_EVERY_SIZE(r, CD_ABOVE)
        }
#undef CD_BELOW
#undef CD_ABOVE
    }
    if (gathers) {
        strip total;
        sum_totals(&total, sum[0], s);
        strip_part(&total, above, s);
        times_lower(L, above, s);
        if (s > 1 && is_turned(F, k)) cd_block_to_rows(F, k, above);
        CD_UNROLL for (int c = 0; c < s; ++c) y[j->slot + c] = r_sub(y[j->slot + c], above[c]);
    }
    strip_part(&size, above, CD_BLOCK_MOST);
    for (int i = 0; i < CD_BLOCK_MOST; ++i) largest = cd_larger(largest, r_value(above[i]));
    return largest;
}

double cd_block_leave(const cd_block_ldl* F, int k, real* y)
{
    double size = 0;
#define CD_COLUMN(s) size = leave_column(F, k, y, s)
    CD_EVERY_SIZE(F->column[k].size, CD_COLUMN)
#undef CD_COLUMN
    return size;
}
