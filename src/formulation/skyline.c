// SPDX-License-Identifier: BSD-3-Clause
// Row by row:
//
//   z(j) = N(i,j) - sum over k < j of z(k) L(j,k),   L(i,j) = z(j) / d(j),   d(i) = N(i,i) - sum over j < i of z(j) L(i,j)
//
// where sums begin at the later first column of the two rows: what lies before is zero and stays so. Rows of a group
// meet those before it in this way; what is left of the group is factored by itself (row_pivots.h), and if it is not in
// its own order then, its rows change places.
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
    CD_TAKE(arena, N->size, N->n);
    CD_TAKE(arena, N->turn, N->n);
    for (int i = 0; N->turn && i < N->n; ++i) N->turn[i] = i;
}

void cd_skyline_clear(cd_skyline* N)
{
    for (size_t i = 0; i < N->nentry; ++i) N->entry[i] = r_lift(0);
}

static inline int later(int a, int b) { return a > b ? a : b; }

// Row i against columns from its first to the one before `end`.
static void meet_rows(cd_skyline* N, int i, int end)
{
    real* row = cd_skyline_at(N, i, N->first[i]) - N->first[i];
    for (int j = N->first[i]; j < end; ++j) {
        const real* other = cd_skyline_at(N, j, N->first[j]) - N->first[j];
        real        z     = row[j];
        for (int k = later(N->first[i], N->first[j]); k < j; ++k) z = r_sub(z, r_mul(N->z[k], other[k]));
        N->z[j] = z;
        row[j]  = r_over(z, other[j]);
        row[i]  = r_sub(row[i], r_mul(z, row[j]));
    }
}

// The pivot of row i, or what is to be in its place.
static void take_pivot(cd_skyline* N, int i, double part, real inverse)
{
    N->null += r_vanishes(inverse);
    if (!r_vanishes(inverse) && part < N->weakest) {
        N->weakest     = part;
        N->weakest_row = N->turn[i];
    }
    *cd_skyline_at(N, i, i) = inverse;
}

void cd_skyline_begin(cd_skyline* N)
{
    N->weakest     = 1;
    N->weakest_row = -1;
    N->null        = 0;
    N->turned      = false;
}

int cd_skyline_factor(cd_skyline* N, double tolerance)
{
    cd_skyline_begin(N);
    for (int i = 0; i < N->n; ++i) {
        const double diagonal = N->size[i] = r_value(*cd_skyline_at(N, i, i));
        meet_rows(N, i, i);
        const real   pivot = *cd_skyline_at(N, i, i);
        const double d     = r_value(pivot);
        const bool   null  = fabs(d) <= tolerance * diagonal;
        if (!null && !(d > 0)) return i;
        take_pivot(N, i, d / diagonal, null ? r_lift(0) : r_div(r_lift(1), pivot));
    }
    return -1;
}

// ---- groups

// Numbers at..at + n of a row, or of a vector, to the order of pivots.
static void turn(const cd_row_pivots* p, real* x)
{
    real y[CD_PIVOTS_MOST];
    for (int i = 0; i < p->n; ++i) y[i] = x[i];
    for (int i = 0; i < p->n; ++i) x[i] = y[p->turn[i]];
}

// Rows of the group change places, and its columns in the rows after it, which are not factored yet.
static void turn_group(cd_skyline* N, int row, const cd_row_pivots* p)
{
    N->turned = true;
    for (int j = N->first[row]; j < row; ++j) {
        real x[CD_PIVOTS_MOST];
        for (int i = 0; i < p->n; ++i) x[i] = *cd_skyline_at(N, row + i, j);
        turn(p, x);
        for (int i = 0; i < p->n; ++i) *cd_skyline_at(N, row + i, j) = x[i];
    }
    for (int i = row + p->n; i < N->n; ++i)
        if (N->first[i] <= row) turn(p, cd_skyline_at(N, i, row));
}

// What rows before the group leave of it.
static void meet_group(cd_skyline* N, int row, cd_row_pivots* p)
{
    for (int i = 0; i < p->n; ++i) {
        real* at   = cd_skyline_at(N, row + i, N->first[row]) - N->first[row];
        p->size[i] = fabs(r_value(at[row + i]));
        meet_rows(N, row + i, row);
        p->A[i][i] = at[row + i];
        for (int j = 0; j < i; ++j) {
            const real* other = cd_skyline_at(N, row + j, N->first[row]) - N->first[row];
            real        z     = at[row + j];
            for (int k = N->first[row]; k < row; ++k) z = r_sub(z, r_mul(N->z[k], other[k]));
            p->A[i][j] = z;
        }
    }
}

int cd_skyline_eliminate(cd_skyline* N, int row, int nrow, cd_null_test test)
{
    cd_row_pivots p    = {.n = nrow};
    double* const size = N->size + row;
    meet_group(N, row, &p);
    for (int i = 0; i < nrow; ++i) {
        size[i]   = p.size[i];
        p.turn[i] = N->turn[row + i] - row;
    }
    const int bad = cd_row_pivots_factor(&p, test);
    if (bad >= 0) return row + bad;
    if (p.turned) turn_group(N, row, &p);
    for (int i = 0; i < nrow; ++i) {
        N->turn[row + i] = row + p.turn[i];
        for (int j = 0; j < i; ++j) *cd_skyline_at(N, row + i, row + j) = p.A[i][j];
        take_pivot(N, row + i, r_value(p.A[i][i]) / size[p.turn[i]], p.inverse[i]);
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
    for (int i = 0; N->turned && i < N->n; ++i) N->z[i] = x[i];
    for (int i = 0; N->turned && i < N->n; ++i) x[i] = N->z[N->turn[i]];
    cd_skyline_down(N, x);
    for (int i = N->n - 1; i >= 0; --i) x[i] = r_over(x[i], *cd_skyline_at(N, i, i));
    cd_skyline_up(N, x);
    for (int i = 0; N->turned && i < N->n; ++i) N->z[i] = x[i];
    for (int i = 0; N->turned && i < N->n; ++i) x[N->turn[i]] = N->z[i];
}

double cd_skyline_largest(const cd_skyline* N, const real* x)
{
    double largest = 0;
    for (int i = 0; i < N->n; ++i) largest = fmax(largest, N->size[i] * fabs(r_value(x[i])));
    return largest;
}
