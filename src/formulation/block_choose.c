// SPDX-License-Identifier: BSD-3-Clause
// A column of the block LDL' whose pivots have an order of their own: that of the last time, or one that is chosen
// because the order of its rows was a bad one.
#include "formulation/block_kernels.h"

// What was taken from the diagonal before the first attempt took its own part: l(i,j)^2 d(j), for its pivots j.
static void take_back(const cd_block_ldl* F, const cd_block_column* j, int pivots, double* size)
{
    const real *L = F->lower + j->lower, *inverse = F->inverse + j->slot;
    for (int i = 0; i < j->size; ++i)
        for (int k = 0; k < i && k < pivots; ++k) {
            const double l = r_value(L[lower_at(i, k, j->size)]), over = fabs(r_value(inverse[k]));
            if (over > 0) size[i] = fmax(size[i] - l * l / over, 0);
        }
}

static void read_block(const cd_block_ldl* F, const cd_block_column* j, const cd_block_desk* desk, cd_row_pivots* p)
{
    const int n = r_lanes(j->size);
    p->n        = j->size;
    p->ruled    = F->ruled ? F->ruled + j->scalar : F->keeps ? F->null + j->scalar : NULL;
    for (int i = 0; i < p->n; ++i) {
        p->size[i] = desk->taken[i];
        p->turn[i] = F->turn[j->scalar + i];
        for (int k = 0; k <= i; ++k) p->A[i][k] = r_neg(desk->D[k * n + i]);
    }
}

static void write_block(cd_block_ldl* F, int at, cd_block_desk* desk, const cd_row_pivots* p)
{
    const cd_block_column* j = &F->column[at];
    for (int i = 0; i < p->n; ++i) {
        const int row           = j->scalar + p->turn[i];
        F->inverse[j->slot + i] = r_neg(p->inverse[i]);
        desk->taken[p->turn[i]] = p->size[i];
        F->null[row]            = r_vanishes(p->inverse[i]);
        F->turn[j->scalar + i]  = (signed char)p->turn[i];
        for (int k = 0; k < i; ++k) F->lower[j->lower + lower_at(i, k, p->n)] = p->A[i][k];
    }
    F->held[at] = p->turned ? CD_BLOCK_TURNED : 0;
}

static void meet(const cd_block_ldl* F, int at, const double* taken, cd_block_met* met)
{
    const cd_block_column* j = &F->column[at];
    for (int i = 0; i < j->size; ++i) {
        const int    here = is_turned(F, at) ? F->turn[j->scalar + i] : i, row = j->scalar + here;
        const double part = fabs(r_value(F->inverse[j->slot + i])) * taken[here];
        met->null += F->null[row];
        if (!(part > met->most || (part == met->most && row < met->scalar))) continue;
        met->most   = part;
        met->scalar = row;
    }
}

// What the first attempt found, against the marks of a bad order; size: of the rows before it.
static bool is_bad(const cd_block_ldl* F, const cd_block_column* j, cd_null_test test, const cd_block_desk* desk,
                   const double* size)
{
    const real* L     = F->lower + j->lower;
    double      worst = INFINITY;
    bool        hides = false;
    for (int i = 0; i < j->size; ++i) {
        const double first = fabs(r_value(desk->D[i * (r_lanes(j->size) + 1)])), s = desk->taken[i];
        double       d = fabs(r_value(F->inverse[j->slot + i]));
        if (F->null[j->scalar + i]) {
            d = first;
            for (int k = 0; k < i; ++k) {
                const double l = r_value(L[lower_at(i, k, j->size)]), over = fabs(r_value(F->inverse[j->slot + k]));
                if (over > 0) d -= l * l / over;
            }
            hides |= fabs(d) > cd_pivots_dust(test) * s;
            if (first > cd_pivot_better * worst * size[i]) return true;
            continue;
        }
        d = 1 / d;
        if (hides || (d < cd_pivot_suspect * s && first > cd_pivot_better * worst * size[i])) return true;
        if (d < cd_pivots_weak(test) * s) worst = fmin(worst, d / s);
    }
    return false;
}

int cd_block_choose(cd_block_ldl* F, int at, cd_null_test test, cd_block_desk* desk, int bad, cd_block_met* met)
{
    const cd_block_column* j = &F->column[at];
    cd_row_pivots          p;
    read_block(F, j, desk, &p);
    take_back(F, j, bad < 0 ? j->size : bad, p.size);
    if (bad >= 0 || is_bad(F, j, test, desk, p.size)) {
        bad = cd_row_pivots_choose(&p, test);
        if (bad >= 0) return bad;
        write_block(F, at, desk, &p);
    }
    meet(F, at, desk->taken, met);
    return -1;
}

static int choose_anew(cd_block_ldl* F, int at, cd_null_test test, cd_block_desk* desk, cd_block_met* met,
                       int (*way)(cd_row_pivots* p, cd_null_test test))
{
    cd_row_pivots p;
    read_block(F, &F->column[at], desk, &p);
    const int bad = way(&p, test);
    if (bad >= 0) return bad;
    write_block(F, at, desk, &p);
    meet(F, at, desk->taken, met);
    return -1;
}

int cd_block_choose_again(cd_block_ldl* F, int at, cd_null_test test, cd_block_desk* desk, cd_block_met* met)
{
    return choose_anew(F, at, test, desk, met, cd_row_pivots_factor);
}

int cd_block_choose_ruled(cd_block_ldl* F, int at, cd_null_test test, cd_block_desk* desk, cd_block_met* met)
{
    return choose_anew(F, at, test, desk, met, cd_row_pivots_choose);
}

void cd_block_to_pivots(const cd_block_ldl* F, int k, real* x)
{
    const cd_block_column* j = &F->column[k];
    real                   y[CD_BLOCK_MOST];
    for (int i = 0; i < j->size; ++i) y[i] = x[i];
    for (int i = 0; i < j->size; ++i) x[i] = y[F->turn[j->scalar + i]];
}

void cd_block_to_rows(const cd_block_ldl* F, int k, real* x)
{
    const cd_block_column* j = &F->column[k];
    real                   y[CD_BLOCK_MOST];
    for (int i = 0; i < j->size; ++i) y[i] = x[i];
    for (int i = 0; i < j->size; ++i) x[F->turn[j->scalar + i]] = y[i];
}

void cd_block_turn_below(cd_block_ldl* F, int at)
{
    const cd_block_column* j = &F->column[at];
    for (int e = j[0].entry; e < j[1].entry; ++e) {
        real*     B = F->value + F->below[e].at;
        const int r = F->below[e].rows, n = r_lanes(r);
        for (int i = 0; i < r; ++i) {
            real x[CD_BLOCK_MOST];
            for (int k = 0; k < j->size; ++k) x[k] = B[k * n + i];
            cd_block_to_pivots(F, at, x);
            for (int k = 0; k < j->size; ++k) B[k * n + i] = x[k];
        }
    }
}
