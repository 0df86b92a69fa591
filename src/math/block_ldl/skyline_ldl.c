// SPDX-License-Identifier: BSD-3-Clause
// Skyline LDL' row by row:
//
//   z(j) = N(i,j) - sum over k < j of z(k) L(j,k),   L(i,j) = z(j) / d(j),
//   d(i) = N(i,i) - sum over j < i of z(j) L(i,j)
//
// where sums begin at the later first column of the two rows: entries before it are zero and remain so. Rows of a group
// are eliminated against those before it in this way; the remaining Schur complement of the group is factored
// separately (row_pivoting.h), and if its pivots are not in row order, its rows are permuted.
#include "math/block_ldl/skyline_ldl.h"

#include <math.h>

void cd_skyline_set_offsets(cd_skyline* N)
{
    N->nentry = 0;
    for (int i = 0; i < N->n; ++i) {
        N->row_offset[i] = N->nentry;
        N->nentry += (size_t)(i - N->first_column[i] + 1);
    }
}

void cd_skyline_layout(cd_skyline* N, cd_arena* arena)
{
    CD_ARENA_ARRAY(arena, N->entry, N->nentry);
    CD_ARENA_ARRAY(arena, N->z, N->n);
    CD_ARENA_ARRAY(arena, N->diagonal, N->n);
    CD_ARENA_ARRAY(arena, N->permutation, N->n);
    for (int i = 0; N->permutation && i < N->n; ++i) N->permutation[i] = i;
}

void cd_skyline_clear(cd_skyline* N)
{
    for (size_t i = 0; i < N->nentry; ++i) N->entry[i] = r_const(0);
}

static inline int max_int(int a, int b) { return a > b ? a : b; }

// Eliminate the columns of row i from its first up to `end` - 1.
static void eliminate_previous(cd_skyline* N, int i, int end)
{
    real* row = cd_skyline_at(N, i, N->first_column[i]) - N->first_column[i];
    for (int j = N->first_column[i]; j < end; ++j) {
        const real* other = cd_skyline_at(N, j, N->first_column[j]) - N->first_column[j];
        real        z     = row[j];
        for (int k = max_int(N->first_column[i], N->first_column[j]); k < j; ++k)
            z = r_sub(z, r_mul(N->z[k], other[k]));
        N->z[j] = z;
        row[j]  = r_mul_inv(z, other[j]);
        row[i]  = r_sub(row[i], r_mul(z, row[j]));
    }
}

// Store the inverse pivot of row i, or 0 for a null pivot, and update the statistics.
static void store_pivot(cd_skyline* N, int i, double pivot_rel, real inverse)
{
    N->nnull += r_is_zero(inverse);
    if (!r_is_zero(inverse) && pivot_rel < N->min_pivot_rel) {
        N->min_pivot_rel = pivot_rel;
        N->min_pivot_row = N->permutation[i];
    }
    *cd_skyline_at(N, i, i) = inverse;
}

void cd_skyline_factor_begin(cd_skyline* N)
{
    N->min_pivot_rel = 1;
    N->min_pivot_row = -1;
    N->nnull         = 0;
    N->is_permuted   = false;
}

int cd_skyline_factor(cd_skyline* N, double tolerance)
{
    cd_skyline_factor_begin(N);
    for (int i = 0; i < N->n; ++i) {
        const double diagonal = N->diagonal[i] = r_value(*cd_skyline_at(N, i, i));
        eliminate_previous(N, i, i);
        const real   pivot = *cd_skyline_at(N, i, i);
        const double d     = r_value(pivot);
        const bool   null  = fabs(d) <= tolerance * diagonal;
        if (!null && !(d > 0)) return i;
        store_pivot(N, i, d / diagonal, null ? r_const(0) : r_div(r_const(1), pivot));
    }
    return -1;
}

// ---- groups

// Permute n numbers of a row or of a vector to pivot order.
static void permute(const cd_row_pivoting* p, real* x)
{
    real y[CD_PIVOTING_MAX_ROWS];
    for (int i = 0; i < p->n; ++i) y[i] = x[i];
    for (int i = 0; i < p->n; ++i) x[i] = y[p->permutation[i]];
}

// Permute the rows of the group, and its columns in the rows after it, which are not factored yet.
static void permute_group(cd_skyline* N, int row, const cd_row_pivoting* p)
{
    N->is_permuted = true;
    for (int j = N->first_column[row]; j < row; ++j) {
        real x[CD_PIVOTING_MAX_ROWS];
        for (int i = 0; i < p->n; ++i) x[i] = *cd_skyline_at(N, row + i, j);
        permute(p, x);
        for (int i = 0; i < p->n; ++i) *cd_skyline_at(N, row + i, j) = x[i];
    }
    for (int i = row + p->n; i < N->n; ++i)
        if (N->first_column[i] <= row) permute(p, cd_skyline_at(N, i, row));
}

// Form the Schur complement of the group with respect to the rows before it.
static void form_group(cd_skyline* N, int row, cd_row_pivoting* p)
{
    for (int i = 0; i < p->n; ++i) {
        real* at   = cd_skyline_at(N, row + i, N->first_column[row]) - N->first_column[row];
        p->size[i] = fabs(r_value(at[row + i]));
        eliminate_previous(N, row + i, row);
        p->A[i][i] = at[row + i];
        for (int j = 0; j < i; ++j) {
            const real* other = cd_skyline_at(N, row + j, N->first_column[row]) - N->first_column[row];
            real        z     = at[row + j];
            for (int k = N->first_column[row]; k < row; ++k) z = r_sub(z, r_mul(N->z[k], other[k]));
            p->A[i][j] = z;
        }
    }
}

int cd_skyline_factor_group(cd_skyline* N, int row, int nrow, cd_pivot_test test)
{
    cd_row_pivoting p    = {.n = nrow};
    double* const   size = N->diagonal + row;
    form_group(N, row, &p);
    for (int i = 0; i < nrow; ++i) {
        size[i]          = p.size[i];
        p.permutation[i] = N->permutation[row + i] - row;
    }
    const int bad = cd_row_pivoting_factor(&p, test);
    if (bad >= 0) return row + bad;
    if (p.is_permuted) permute_group(N, row, &p);
    for (int i = 0; i < nrow; ++i) {
        N->permutation[row + i] = row + p.permutation[i];
        for (int j = 0; j < i; ++j) *cd_skyline_at(N, row + i, row + j) = p.A[i][j];
        store_pivot(N, row + i, r_value(p.A[i][i]) / size[p.permutation[i]], p.inverse_pivot[i]);
    }
    return -1;
}

void cd_skyline_forward(const cd_skyline* N, real* x)
{
    for (int i = 0; i < N->n; ++i) {
        const real* row = cd_skyline_at(N, i, N->first_column[i]) - N->first_column[i];
        for (int j = N->first_column[i]; j < i; ++j) x[i] = r_sub(x[i], r_mul(row[j], x[j]));
    }
}

void cd_skyline_backward(const cd_skyline* N, real* x)
{
    for (int i = N->n - 1; i >= 0; --i) {
        const real* row = cd_skyline_at(N, i, N->first_column[i]) - N->first_column[i];
        for (int j = N->first_column[i]; j < i; ++j) x[j] = r_sub(x[j], r_mul(row[j], x[i]));
    }
}

void cd_skyline_solve(const cd_skyline* N, real* x)
{
    for (int i = 0; N->is_permuted && i < N->n; ++i) N->z[i] = x[i];
    for (int i = 0; N->is_permuted && i < N->n; ++i) x[i] = N->z[N->permutation[i]];
    cd_skyline_forward(N, x);
    for (int i = N->n - 1; i >= 0; --i) x[i] = r_mul_inv(x[i], *cd_skyline_at(N, i, i));
    cd_skyline_backward(N, x);
    for (int i = 0; N->is_permuted && i < N->n; ++i) N->z[i] = x[i];
    for (int i = 0; N->is_permuted && i < N->n; ++i) x[N->permutation[i]] = N->z[i];
}

double cd_skyline_largest_diagonal_term(const cd_skyline* N, const real* x)
{
    double largest = 0;
    for (int i = 0; i < N->n; ++i) largest = fmax(largest, N->diagonal[i] * fabs(r_value(x[i])));
    return largest;
}
