// SPDX-License-Identifier: BSD-3-Clause
// Numeric phase of the block LDL', left-looking, by columns of blocks.
//
//   gather      A(i,j) -= Z(i,k) (Z(j,k) d(k)^-1)'      for every column k with an entry in row j, and entries i >= j
//   diagonal    A(j,j) = L d L'                         unit lower L, scalar pivots d; a null pivot has 1/d = 0
//   column      Z(i,j) = A(i,j) L^-T                    L(i,j) = Z(i,j) d^-1 is never formed
//
// A pivot is null if it is a tiny part of what was subtracted from its diagonal entry: a row that repeats others (paper
// 000, section 5; docs/theory/lagrange.md).
#include "formulation/block_kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double null_motion = 1e-13; // of a positive pivot

typedef void product_kernel(real* A, const real* Z, const real* W, int rj, bool first);
typedef void square_kernel(real* A, const real* Z, const real* inverse, real* W, double* taken);
typedef void triangle_kernel(const real* L, real* B);

#define CD_DEFINE(r, s)                                                                                                \
    static void product_##r##_##s(real* A, const real* Z, const real* W, int rj, bool first)                           \
    {                                                                                                                  \
        subtract_product(A, Z, W, rj, first, r, s);                                                                    \
    }                                                                                                                  \
    static void square_##r##_##s(real* A, const real* Z, const real* inverse, real* W, double* taken)                  \
    {                                                                                                                  \
        subtract_square(A, Z, inverse, W, taken, r, s);                                                                \
    }                                                                                                                  \
    static void triangle_##r##_##s(const real* L, real* B) { divide_triangle(L, B, r, s); }
CD_PAIRS(CD_DEFINE)
#undef CD_DEFINE

// By columns, then rows.
static product_kernel* const  product[CD_BLOCK_MOST + 1][CD_BLOCK_MOST + 1]  = CD_TABLE_OF(product);
static square_kernel* const   square[CD_BLOCK_MOST + 1][CD_BLOCK_MOST + 1]   = CD_TABLE_OF(square);
static triangle_kernel* const triangle[CD_BLOCK_MOST + 1][CD_BLOCK_MOST + 1] = CD_TABLE_OF(triangle);

void cd_block_hold(cd_block_ldl* F, int block)
{
    const int k = F->position[block];
    if (F->column[k].gather == F->column[k + 1].gather) F->held[k] = CD_BLOCK_WANTED;
}

bool cd_block_holds(const cd_block_ldl* F, int block) { return F->held[F->position[block]] >= CD_BLOCK_HELD; }

void cd_block_clear(cd_block_ldl* F)
{
    for (int k = 0; k < F->nblock; ++k) {
        if (F->held[k] >= CD_BLOCK_HELD) continue;
        for (int i = F->column[k].at; i < F->column[k + 1].at; ++i) F->value[i] = r_lift(0);
        for (int i = F->column[k].first; i < F->column[k + 1].first; ++i) F->value[i] = r_lift(0);
    }
}

void cd_block_clear_diagonal(cd_block_ldl* F, int k)
{
    for (int i = F->column[k].at; F->held[k] < CD_BLOCK_HELD && i < F->column[k + 1].at; ++i) F->value[i] = r_lift(0);
}

void cd_block_clear_below(cd_block_ldl* F, int k)
{
    const cd_block_column* j = &F->column[k];
    if (F->held[k] >= CD_BLOCK_HELD) return;
    for (int e = j[0].entry; e < j[1].entry; ++e) {
        if (F->below[e].covered || F->below[e].fill) continue;
        for (int i = F->below[e].at; i < F->below[e + 1].at; ++i) F->value[i] = r_lift(0);
    }
}

// The largest diagonal entry of each kind of a body: the first three rows move, the others turn.
static void largest_of_kind(const real* A, int s, double largest[2])
{
    largest[0] = largest[1] = 0;
    for (int i = 0; i < s; ++i) largest[i / 3] = cd_larger(largest[i / 3], fabs(r_value(A[i * (r_lanes(s) + 1)])));
}

// A positive pivot is null by two measures. The first is the largest diagonal entry of its kind, and what was
// subtracted. It is too wide where the body gathers much along one velocity and little along another: a straight chain
// of n parallel hinges has a moment of n^3/3 about an axis that its hinges hold, and of one link about its own axis. The
// second measure is the size of the terms of the pivot alone: elimination does not depend on the scale of a velocity,
// so rounding of a pivot is a part of what was added to or subtracted from its own diagonal entry, and of the own entries
// of the body (own), which its axes mix. Rounding adds up from column to column; `at` columns are before this one.
static int bodies_pivots(const real* A, real* L, real* inverse, int s, const double own[2], int at, const double* taken,
                         bool* null)
{
    const double rounding = cd_larger(null_motion, DBL_EPSILON * at);
    double       wide[2], least[CD_BLOCK_MOST];
    largest_of_kind(A, s, wide);
    for (int i = 0; i < s; ++i) {
        const double first = null_motion * (wide[i / 3] + taken[i]), second = rounding * (own[i / 3] + taken[i]);
        least[i] = first < second ? first : second;
        null[i]  = false;
    }
#define CD_CASE(n)                                                                                                     \
    case n:                                                                                                            \
        return factor_body(A, L, inverse, least, n);
    switch (s) {
        CD_CASE(1)
        CD_CASE(2)
        CD_CASE(3)
        CD_CASE(4)
        CD_CASE(5)
        CD_CASE(6)
    default:
        return -1;
    }
#undef CD_CASE
}

static int joints_pivots(const real* A, real* L, real* inverse, int s, cd_null_test test, double* taken, bool* null)
{
    double largest = 0;
    for (int i = 0; i < s; ++i) largest = taken[i] > largest ? taken[i] : largest;
    const double least = test.beside * largest;
#define CD_CASE(n)                                                                                                     \
    case n:                                                                                                            \
        return factor_joint(A, L, inverse, test.own, least, taken, null, n);
    switch (s) {
        CD_CASE(1)
        CD_CASE(2)
        CD_CASE(3)
        CD_CASE(4)
        CD_CASE(5)
        CD_CASE(6)
    default:
        return -1; // a joint that holds nothing
    }
#undef CD_CASE
}

static void gather_column(cd_block_ldl* F, const cd_block_column* j, cd_block_desk* desk)
{
    real  W[CD_BLOCK_MOST * CD_BLOCK_MOST];
    real* value = F->value;
    for (int n = j[0].gather; n < j[1].gather; ++n) {
        const cd_block_gather*       g      = &F->gather[n];
        const cd_block_column*       k      = &F->column[g->column];
        const int*                   target = F->target + g->target;
        product_kernel* const* const times  = product[k->size];
        const real*                  Z      = value + g->at;
        square[k->size][j->size](desk->D, Z, F->inverse + k->slot, W, desk->taken);
        for (int i = g->entry + 1; i < k[1].entry; ++i) {
            const int at = *++target;
            times[F->below[i].rows](value + (at < 0 ? ~at : at), value + F->below[i].at, W, j->size, at < 0);
        }
    }
}

static bool is_one(const real* L, int n)
{
    for (int i = 0; i < n; ++i)
        if (!r_vanishes(L[i])) return false;
    return true;
}

// Pivots of sign -1 against what was taken from them, while they are at hand. False: their order may be a bad one, and
// nothing is told of them.
static inline bool meet_pivots(const cd_block_ldl* F, const cd_block_column* j, cd_null_test test, const double* taken,
                               cd_block_met* met)
{
    const double suspect = 1 / cd_pivots_weak(test);
    cd_block_met here    = *met;
    bool         weak = false, null = false;
    for (int i = 0; i < j->size; ++i) {
        const int row = j->scalar + i;
        if (F->null[row]) {
            if (weak) return false;
            null = true;
            ++here.null;
            continue;
        }
        const double part = fabs(r_value(F->inverse[j->slot + i])) * taken[i];
        if (null) return false;
        if (part > suspect) {
            if (weak && part * cd_pivot_suspect > 1) return false;
            weak = true;
        }
        if (!(part > here.most || (part == here.most && row < here.scalar))) continue;
        here.most   = part;
        here.scalar = row;
    }
    *met = here;
    return true;
}

// Rows that yield a little beside what was taken from them.
static void soften(const cd_block_ldl* F, int size, cd_block_desk* desk)
{
    const int n = r_lanes(size) + 1;
    for (int i = 0; i < size; ++i) desk->D[i * n] = r_sub(desk->D[i * n], r_lift(F->yields * desk->taken[i]));
}

static bool some_null(const cd_block_ldl* F, const cd_block_column* j)
{
    bool some = false;
    for (int i = 0; i < j->size; ++i) some |= F->null[j->scalar + i];
    return some;
}

static int constraint_pivots(cd_block_ldl* F, int at, cd_null_test test, cd_block_desk* desk, cd_block_met* met)
{
    const cd_block_column* j = &F->column[at];
    if (F->yields > 0) soften(F, j->size, desk);
    if (F->ruled || (F->keeps && some_null(F, j))) return cd_block_choose_ruled(F, at, test, desk, met);
    if (is_turned(F, at) && !cd_pivots_anew(test)) return cd_block_choose_again(F, at, test, desk, met);
    const int bad = joints_pivots(desk->D, F->lower + j->lower, F->inverse + j->slot, j->size, test, desk->taken,
                                  F->null + j->scalar);
    F->held[at]   = 0;
    return bad < 0 && meet_pivots(F, j, test, desk->taken, met) ? -1 : cd_block_choose(F, at, test, desk, bad, met);
}

void cd_block_eliminate(cd_block_ldl* F, int at, int sign, cd_null_test test, cd_block_desk* desk, cd_block_met* met)
{
    const cd_block_column* j = &F->column[at];
    real*                  L = F->lower + j->lower;
    if (at + CD_BLOCK_AHEAD < F->fetched) fetch_column(F, at + CD_BLOCK_AHEAD);
    if (F->held[at] < CD_BLOCK_HELD) {
        double own[2] = {0, 0};
        for (int i = 0; i < CD_BLOCK_MOST; ++i) desk->taken[i] = 0;
        if (sign > 0) largest_of_kind(desk->D, j->size, own);
        gather_column(F, j, desk);
        const int bad = sign > 0 ? bodies_pivots(desk->D, L, F->inverse + j->slot, j->size, own, at, desk->taken,
                                                 F->null + j->scalar)
                                 : constraint_pivots(F, at, test, desk, met);
        if (bad >= 0) {
            met->bad = j->scalar + bad;
            return;
        }
        if (F->held[at] == CD_BLOCK_WANTED)
            F->held[at] = is_one(L, j->size * (j->size - 1) / 2) ? CD_BLOCK_PLAIN : CD_BLOCK_HELD;
    }
    if (F->held[at] == CD_BLOCK_PLAIN) return;
    if (is_turned(F, at)) cd_block_turn_below(F, at);
    for (int i = j[0].entry; i < j[1].entry; ++i) triangle[j->size][F->below[i].rows](L, F->value + F->below[i].at);
}

typedef struct factoring {
    cd_block_ldl*      F;
    const signed char* sign;
    cd_null_test       test;
} factoring;

static void factor_column(void* context, int k, cd_block_met* met)
{
    const factoring*    f = context;
    const cd_block_ldl* F = f->F;
    if (k + CD_BLOCK_AHEAD < F->fetched) {
        __builtin_prefetch(F->value + F->column[k + CD_BLOCK_AHEAD].at);
        __builtin_prefetch(F->taken + F->column[k + CD_BLOCK_AHEAD].scalar);
    }
    const cd_block_column* j    = &F->column[k];
    cd_block_desk          desk = {.D = F->value + j->at};
    cd_block_eliminate(f->F, k, f->sign[j->block], f->test, &desk, met);
    for (int i = 0; i < j->size; ++i) F->taken[j->scalar + i] = desk.taken[i];
}

int cd_block_factor(cd_block_ldl* F, const signed char* sign, cd_null_test test, cd_threads* threads)
{
    factoring f = {F, sign, test};
    return cd_block_factor_by(F, factor_column, &f, threads);
}

double cd_block_ratio(const cd_block_ldl* F)
{
    double most = 0, least = 0; // of 1/d
    for (int k = 0; k < F->nblock; ++k) {
        const cd_block_column* c = &F->column[k];
        for (int i = 0; i < c->size; ++i) {
            const double inverse = fabs(r_value(F->inverse[c->slot + i]));
            if (inverse == 0) continue;
            most  = fmax(most, inverse);
            least = least > 0 ? fmin(least, inverse) : inverse;
        }
    }
    return least > 0 ? most / least : 1;
}
