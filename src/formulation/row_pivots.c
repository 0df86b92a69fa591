// SPDX-License-Identifier: BSD-3-Clause
// Pivots of the rows of one constraint; row_pivots.h says what for.
//
// The first row is taken whose pivot is a good part of the largest, so that the choice follows from the state, and not
// from rounding where several are alike.
#include "formulation/row_pivots.h"

#include <math.h>
#include <stddef.h>

static const double good_part = 0.5;  // of the largest pivot
static const double vanishing = 1e-6; // of the largest row: smaller ones are about to vanish, and measured by this

static void exchange_rows(cd_row_pivots* p, int a, int b, double* root)
{
    if (a == b) return;
    const int    turn = p->turn[a];
    const double size = p->size[a], noise = root[a];
    const real   d = p->A[a][a];
    p->turn[a] = p->turn[b], p->turn[b] = turn;
    p->size[a] = p->size[b], p->size[b] = size;
    root[a] = root[b], root[b] = noise;
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

static int place_of(const cd_row_pivots* p, int row)
{
    int i = 0;
    while (p->turn[i] != row) ++i;
    return i;
}

// The row whose pivot comes next.
static int next_row(const cd_row_pivots* p, int at, const double* measure)
{
    double most = 0;
    int    next = at, first = p->n;
    for (int i = at; i < p->n; ++i)
        if (!p->ruled || !p->ruled[p->turn[i]]) most = fmax(most, r_value(p->A[i][i]) / measure[p->turn[i]]);
    for (int i = at; i < p->n; ++i) {
        if (p->ruled && p->ruled[p->turn[i]]) continue;
        if (r_value(p->A[i][i]) >= good_part * most * measure[p->turn[i]] && p->turn[i] < first)
            first = p->turn[next = i];
    }
    return next;
}

// A pivot e off has rows after it off by l^2 e, besides what they are off themselves: roots of both are summed.
static bool is_null(const cd_row_pivots* p, int j, cd_null_test test, double least, double root)
{
    const double d = r_value(p->A[j][j]), size = fabs(d);
    if (p->ruled) return p->ruled[p->turn[j]];
    return size <= least || size <= fmax(test.own * p->size[j], root * root) ||
           (d < 0 && size <= cd_pivot_wrong * p->size[j]);
}

// Takes what pivot j says off the rows after it.
static void eliminate(cd_row_pivots* p, int j, double* root)
{
    real l[CD_PIVOTS_MOST];
    for (int k = j + 1; k < p->n; ++k) {
        l[k]            = r_over(p->A[k][j], p->inverse[j]);
        const real drop = r_mul(p->A[k][j], l[k]);
        p->size[k] += fabs(r_value(drop));
        root[k] += fabs(r_value(l[k])) * root[j];
        p->A[k][k] = r_sub(p->A[k][k], drop);
        for (int i = k + 1; i < p->n; ++i) p->A[i][k] = r_sub(p->A[i][k], r_mul(p->A[i][j], l[k]));
    }
    for (int k = j + 1; k < p->n; ++k) p->A[k][j] = l[k];
}

static double largest_of(const cd_row_pivots* p)
{
    double largest = 0;
    for (int i = 0; i < p->n; ++i) largest = fmax(largest, p->size[i]);
    return largest;
}

// One pass, by an order or, NULL, by measure. doubt: the order was a bad one.
static int factor(cd_row_pivots* p, cd_null_test test, const int* order, const double* measure, bool* doubt)
{
    const double least = test.beside * largest_of(p), dust = cd_pivots_dust(test);
    double       worst = INFINITY, first[CD_PIVOTS_MOST], root[CD_PIVOTS_MOST];
    bool         hides = false;
    for (int j = 0; j < p->n; ++j) {
        p->turn[j] = j;
        first[j]   = r_value(p->A[j][j]) / p->size[j];
        root[j]    = sqrt(cd_pivot_noise * p->size[j]);
    }
    for (int j = 0; j < p->n; ++j) {
        exchange_rows(p, j, order ? place_of(p, order[j]) : next_row(p, j, measure), root);
        const double d = r_value(p->A[j][j]), s = p->size[j];
        const bool   none = is_null(p, j, test, least, root[j]);
        if (none || d < cd_pivot_suspect * s) *doubt |= first[p->turn[j]] > cd_pivot_better * worst;
        *doubt |= hides && !none;
        if (!none && !(d > 0)) return p->turn[j];
        if (!none && d < cd_pivots_weak(test) * s) worst = fmin(worst, d / s);
        hides |= none && fabs(d) > dust * s;
        p->inverse[j] = none ? r_lift(0) : r_div(r_lift(1), p->A[j][j]);
        eliminate(p, j, root);
    }
    p->turned = false;
    for (int j = 0; j < p->n; ++j) p->turned |= p->turn[j] != j;
    return -1;
}

int cd_row_pivots_choose(cd_row_pivots* p, cd_null_test test)
{
    const double largest = largest_of(p);
    double       measure[CD_PIVOTS_MOST];
    bool         doubt = false;
    for (int i = 0; i < p->n; ++i) measure[i] = largest > 0 ? fmax(p->size[i], vanishing * largest) : 1;
    return factor(p, test, NULL, measure, &doubt);
}

int cd_row_pivots_factor(cd_row_pivots* p, cd_null_test test)
{
    static const int    own[CD_PIVOTS_MOST] = {0, 1, 2, 3, 4, 5};
    const cd_row_pivots given               = *p;
    bool                doubt               = false;
    const int           bad                 = factor(p, test, cd_pivots_anew(test) ? own : given.turn, NULL, &doubt);
    if (bad < 0 && !doubt) return bad;
    *p = given;
    return cd_row_pivots_choose(p, test);
}
