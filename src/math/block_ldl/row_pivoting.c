// SPDX-License-Identifier: BSD-3-Clause
// Pivoting inside the rows of one constraint (row_pivoting.h).
//
// The first row whose pivot is at least half of the largest is selected, so that the choice depends on the state and
// not on round-off where several pivots are equal.
#include "math/block_ldl/row_pivoting.h"
#include "math/math_tolerances.h"

#include <math.h>
#include <stddef.h>

static void swap_rows(cd_row_pivoting* p, int a, int b, double* sqrt_roundoff)
{
    if (a == b) return;
    const int    row  = p->permutation[a];
    const double size = p->size[a], roundoff = sqrt_roundoff[a];
    const real   d    = p->A[a][a];
    p->permutation[a] = p->permutation[b], p->permutation[b] = row;
    p->size[a] = p->size[b], p->size[b] = size;
    sqrt_roundoff[a] = sqrt_roundoff[b], sqrt_roundoff[b] = roundoff;
    p->A[a][a] = p->A[b][b], p->A[b][b] = d;
    for (int k = 0; k < p->n; ++k) {
        if (k == a || k == b) continue;
        real*      one = k < a ? &p->A[a][k] : &p->A[k][a];
        real*      two = k < b ? &p->A[b][k] : &p->A[k][b];
        const real x   = *one;
        *one           = *two;
        *two           = x;
    }
}

static int find_row(const cd_row_pivoting* p, int row)
{
    int i = 0;
    while (p->permutation[i] != row) ++i;
    return i;
}

// Return the next pivot row.
static int select_pivot_row(const cd_row_pivoting* p, int at, const double* row_scale)
{
    double most = 0;
    int    next = at, first = p->n;
    for (int i = at; i < p->n; ++i)
        if (!p->forced_null || !p->forced_null[p->permutation[i]])
            most = fmax(most, r_value(p->A[i][i]) / row_scale[p->permutation[i]]);
    for (int i = at; i < p->n; ++i) {
        if (p->forced_null && p->forced_null[p->permutation[i]]) continue;
        if (r_value(p->A[i][i]) >= cd_pivot_candidate_ratio * most * row_scale[p->permutation[i]] &&
            p->permutation[i] < first)
            first = p->permutation[next = i];
    }
    return next;
}

// Return whether pivot j is null. An error e of a pivot changes the rows after it by l^2 e, in addition to their own
// errors: the square roots of both are summed.
static bool is_null_pivot(const cd_row_pivoting* p, int j, cd_pivot_test test, double least, double sqrt_roundoff)
{
    const double d = r_value(p->A[j][j]), size = fabs(d);
    if (p->forced_null) return p->forced_null[p->permutation[j]];
    return size <= least || size <= fmax(test.rel_to_row * p->size[j], sqrt_roundoff * sqrt_roundoff) ||
           (d < 0 && size <= cd_pivot_wrong_sign_tolerance * p->size[j]);
}

// Subtract row j from the rows after it.
static void eliminate(cd_row_pivoting* p, int j, double* sqrt_roundoff)
{
    real l[CD_PIVOTING_MAX_ROWS];
    for (int k = j + 1; k < p->n; ++k) {
        l[k]            = r_mul_inv(p->A[k][j], p->inverse_pivot[j]);
        const real drop = r_mul(p->A[k][j], l[k]);
        p->size[k] += fabs(r_value(drop));
        sqrt_roundoff[k] += fabs(r_value(l[k])) * sqrt_roundoff[j];
        p->A[k][k] = r_sub(p->A[k][k], drop);
        for (int i = k + 1; i < p->n; ++i) p->A[i][k] = r_sub(p->A[i][k], r_mul(p->A[i][j], l[k]));
    }
    for (int k = j + 1; k < p->n; ++k) p->A[k][j] = l[k];
}

static double largest_of(const cd_row_pivoting* p)
{
    double largest = 0;
    for (int i = 0; i < p->n; ++i) largest = fmax(largest, p->size[i]);
    return largest;
}

// Factor once, in the given order or, if NULL, by the largest pivot relative to row_scale. Sets is_bad_order.
static int factor(cd_row_pivoting* p, cd_pivot_test test, const int* order, const double* row_scale, bool* is_bad_order)
{
    const double least             = test.rel_to_constraint * largest_of(p),
                 residue_tolerance = cd_pivoting_residue_tolerance(test);
    double min_pivot_rel = INFINITY, initial_pivot_rel[CD_PIVOTING_MAX_ROWS], sqrt_roundoff[CD_PIVOTING_MAX_ROWS];
    bool   hides_rows    = false;
    for (int j = 0; j < p->n; ++j) {
        p->permutation[j]    = j;
        initial_pivot_rel[j] = r_value(p->A[j][j]) / p->size[j];
        sqrt_roundoff[j]     = sqrt(cd_pivot_roundoff * p->size[j]);
    }
    for (int j = 0; j < p->n; ++j) {
        swap_rows(p, j, order ? find_row(p, order[j]) : select_pivot_row(p, j, row_scale), sqrt_roundoff);
        const double d = r_value(p->A[j][j]), s = p->size[j];
        const bool   is_dependent = is_null_pivot(p, j, test, least, sqrt_roundoff[j]);
        if (is_dependent || d < cd_pivot_suspect_tolerance * s)
            *is_bad_order |= initial_pivot_rel[p->permutation[j]] > cd_pivot_better_factor * min_pivot_rel;
        *is_bad_order |= hides_rows && !is_dependent;
        if (!is_dependent && !(d > 0)) return p->permutation[j];
        if (!is_dependent && d < cd_pivoting_weak_tolerance(test) * s) min_pivot_rel = fmin(min_pivot_rel, d / s);
        hides_rows |= is_dependent && fabs(d) > residue_tolerance * s;
        p->inverse_pivot[j] = is_dependent ? r_const(0) : r_div(r_const(1), p->A[j][j]);
        eliminate(p, j, sqrt_roundoff);
    }
    p->is_permuted = false;
    for (int j = 0; j < p->n; ++j) p->is_permuted |= p->permutation[j] != j;
    return -1;
}

int cd_row_pivoting_factor_complete(cd_row_pivoting* p, cd_pivot_test test)
{
    const double largest = largest_of(p);
    double       row_scale[CD_PIVOTING_MAX_ROWS];
    bool         is_bad_order = false;
    for (int i = 0; i < p->n; ++i)
        row_scale[i] = largest > 0 ? fmax(p->size[i], cd_pivot_small_row_ratio_sq * largest) : 1;
    return factor(p, test, NULL, row_scale, &is_bad_order);
}

int cd_row_pivoting_factor(cd_row_pivoting* p, cd_pivot_test test)
{
    static const int      own[CD_PIVOTING_MAX_ROWS] = {0, 1, 2, 3, 4, 5};
    const cd_row_pivoting given                     = *p;
    bool                  is_bad_order              = false;
    const int bad = factor(p, test, cd_pivoting_may_reorder(test) ? own : given.permutation, NULL, &is_bad_order);
    if (bad < 0 && !is_bad_order) return bad;
    *p = given;
    return cd_row_pivoting_factor_complete(p, test);
}
