// SPDX-License-Identifier: BSD-3-Clause
// Numeric phase of the block LDL', left-looking, by columns of blocks.
//
//   gather      A(i,j) -= Z(i,k) (Z(j,k) d(k)^-1)'      for every column k with an entry in row j, and entries i >= j
//   diagonal    A(j,j) = L d L'                         unit lower L, scalar pivots d; a null pivot has 1/d = 0
//   column      Z(i,j) = A(i,j) L^-T                    L(i,j) = Z(i,j) d^-1 is never formed
//
// A pivot is null if it is a tiny fraction of what was subtracted from its diagonal entry: its row is redundant (paper
// 000, section 5; docs/theory/lagrange.md).
#include "math/block_ldl/block_kernels.h"
#include "math/math_tolerances.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef void product_kernel(real* A, const real* Z, const real* W, int rj, bool first);
typedef void square_kernel(real* A, const real* Z, const real* inverse, real* W, double* subtracted);
typedef void triangle_kernel(const real* L, real* B);

#define CD_DEFINE(r, s)                                                                                                \
    static void product_##r##_##s(real* A, const real* Z, const real* W, int rj, bool first)                           \
    {                                                                                                                  \
        subtract_product(A, Z, W, rj, first, r, s);                                                                    \
    }                                                                                                                  \
    static void square_##r##_##s(real* A, const real* Z, const real* inverse, real* W, double* subtracted)             \
    {                                                                                                                  \
        subtract_symmetric(A, Z, inverse, W, subtracted, r, s);                                                        \
    }                                                                                                                  \
    static void triangle_##r##_##s(const real* L, real* B) { solve_triangle(L, B, r, s); }
CD_FOR_EACH_SIZE_PAIR(CD_DEFINE)
#undef CD_DEFINE

// Indexed by columns, then rows.
static product_kernel* const  product[CD_BLOCK_MAX_ROWS + 1][CD_BLOCK_MAX_ROWS + 1]  = CD_KERNEL_TABLE(product);
static square_kernel* const   square[CD_BLOCK_MAX_ROWS + 1][CD_BLOCK_MAX_ROWS + 1]   = CD_KERNEL_TABLE(square);
static triangle_kernel* const triangle[CD_BLOCK_MAX_ROWS + 1][CD_BLOCK_MAX_ROWS + 1] = CD_KERNEL_TABLE(triangle);

void cd_block_request_reuse(cd_block_ldl* F, int block)
{
    const int k = F->position[block];
    if (F->column[k].first_update == F->column[k + 1].first_update) F->diagonal_state[k] = CD_DIAGONAL_REUSE_REQUESTED;
}

bool cd_block_is_reused(const cd_block_ldl* F, int block)
{
    return F->diagonal_state[F->position[block]] >= CD_DIAGONAL_REUSED;
}

void cd_block_clear(cd_block_ldl* F)
{
    for (int k = 0; k < F->nblock; ++k) {
        if (F->diagonal_state[k] >= CD_DIAGONAL_REUSED) continue;
        for (int i = F->column[k].diagonal_offset; i < F->column[k + 1].diagonal_offset; ++i) F->value[i] = r_const(0);
        for (int i = F->column[k].below_offset; i < F->column[k + 1].below_offset; ++i) F->value[i] = r_const(0);
    }
}

void cd_block_clear_diagonal(cd_block_ldl* F, int k)
{
    for (int i = F->column[k].diagonal_offset;
         F->diagonal_state[k] < CD_DIAGONAL_REUSED && i < F->column[k + 1].diagonal_offset; ++i)
        F->value[i] = r_const(0);
}

void cd_block_clear_below(cd_block_ldl* F, int k)
{
    const cd_block_column* j = &F->column[k];
    if (F->diagonal_state[k] >= CD_DIAGONAL_REUSED) return;
    for (int e = j[0].first_entry; e < j[1].first_entry; ++e) {
        if (F->entry[e].is_overwritten || F->entry[e].is_fill) continue;
        for (int i = F->entry[e].offset; i < F->entry[e + 1].offset; ++i) F->value[i] = r_const(0);
    }
}

// Return the largest diagonal entry of each kind of a body: the first three rows are translations, the others
// rotations.
static void largest_of_kind(const real* A, int s, double largest[2])
{
    largest[0] = largest[1] = 0;
    for (int i = 0; i < s; ++i) largest[i / 3] = cd_max(largest[i / 3], fabs(r_value(A[i * (r_padded_rows(s) + 1)])));
}

// Factor a diagonal block of sign 1. A pivot is null if it fails two tests. The first scale is the largest diagonal
// entry of its kind plus what was subtracted. It is too large where the body has much inertia along one velocity and
// little along another: a straight chain of n parallel revolute joints has a moment of n^3/3 about an axis
// perpendicular to its joints, and of one link about the joint axis. The second scale consists of the terms of the
// pivot alone: elimination does not depend on the scale of a velocity, so that the round-off of a pivot is relative to
// what was added to or subtracted from its own diagonal entry, and to the entries of the body itself (own_largest),
// which rotation of its axes mixes. Round-off accumulates from column to column; ncolumn_before columns precede this
// one.
static int factor_positive_diagonal(const real* A, real* L, real* inverse, int s, const double own_largest[2],
                                    int ncolumn_before, const double* subtracted, bool* null)
{
    const double rounding = cd_max(cd_massless_pivot, DBL_EPSILON * ncolumn_before);
    double       largest[2], min_pivot[CD_BLOCK_MAX_ROWS];
    largest_of_kind(A, s, largest);
    for (int i = 0; i < s; ++i) {
        const double first  = cd_massless_pivot * (largest[i / 3] + subtracted[i]),
                     second = rounding * (own_largest[i / 3] + subtracted[i]);
        min_pivot[i]        = first < second ? first : second;
        null[i]             = false;
    }
#define CD_CASE(n)                                                                                                     \
    case n:                                                                                                            \
        return factor_positive_block(A, L, inverse, min_pivot, n);
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

static int factor_negative_diagonal(const real* A, real* L, real* inverse, int s, cd_pivot_test test,
                                    double* subtracted, bool* null)
{
    double largest = 0;
    for (int i = 0; i < s; ++i) largest = subtracted[i] > largest ? subtracted[i] : largest;
    const double min_pivot = test.rel_to_constraint * largest;
#define CD_CASE(n)                                                                                                     \
    case n:                                                                                                            \
        return factor_negative_block(A, L, inverse, test.rel_to_row, min_pivot, subtracted, null, n);
    switch (s) {
        CD_CASE(1)
        CD_CASE(2)
        CD_CASE(3)
        CD_CASE(4)
        CD_CASE(5)
        CD_CASE(6)
    default:
        return -1; // block without rows
    }
#undef CD_CASE
}

static void apply_updates(cd_block_ldl* F, const cd_block_column* j, cd_block_workspace* workspace)
{
    real  W[CD_BLOCK_MAX_ROWS * CD_BLOCK_MAX_ROWS];
    real* value = F->value;
    for (int n = j[0].first_update; n < j[1].first_update; ++n) {
        const cd_block_update*       g      = &F->update[n];
        const cd_block_column*       k      = &F->column[g->column];
        const int*                   target = F->update_target + g->first_target;
        product_kernel* const* const times  = product[k->size];
        const real*                  Z      = value + g->offset;
        square[k->size][j->size](workspace->D, Z, F->inverse_pivot + k->padded_offset, W, workspace->subtracted);
        for (int i = g->entry + 1; i < k[1].first_entry; ++i) {
            const int at = *++target;
            times[F->entry[i].nrow](value + (at < 0 ? ~at : at), value + F->entry[i].offset, W, j->size, at < 0);
        }
    }
}

static bool is_identity(const real* L, int n)
{
    for (int i = 0; i < n; ++i)
        if (!r_is_zero(L[i])) return false;
    return true;
}

// Add pivots of sign -1 and their growth to the statistics. Returns false, with unchanged statistics, if their order
// may be a bad one.
static inline bool update_stats_unless_bad(const cd_block_ldl* F, const cd_block_column* j, cd_pivot_test test,
                                           const double* subtracted, cd_block_stats* stats)
{
    const double   suspect  = 1 / cd_pivoting_weak_tolerance(test);
    cd_block_stats updated  = *stats;
    bool           has_weak = false, null = false;
    for (int i = 0; i < j->size; ++i) {
        const int row = j->scalar + i;
        if (F->is_null[row]) {
            if (has_weak) return false;
            null = true;
            ++updated.nnull;
            continue;
        }
        const double growth = fabs(r_value(F->inverse_pivot[j->padded_offset + i])) * subtracted[i];
        if (null) return false;
        if (growth > suspect) {
            if (has_weak && growth * cd_pivot_suspect_tolerance > 1) return false;
            has_weak = true;
        }
        if (!(growth > updated.max_growth || (growth == updated.max_growth && row < updated.max_growth_scalar)))
            continue;
        updated.max_growth        = growth;
        updated.max_growth_scalar = row;
    }
    *stats = updated;
    return true;
}

// Subtract the diagonal shift, relative to what was subtracted before.
static void add_diagonal_shift(const cd_block_ldl* F, int size, cd_block_workspace* workspace)
{
    const int n = r_padded_rows(size) + 1;
    for (int i = 0; i < size; ++i)
        workspace->D[i * n] = r_sub(workspace->D[i * n], r_const(F->diagonal_shift * workspace->subtracted[i]));
}

static bool has_null_pivot(const cd_block_ldl* F, const cd_block_column* j)
{
    bool found = false;
    for (int i = 0; i < j->size; ++i) found |= F->is_null[j->scalar + i];
    return found;
}

static int factor_constraint_diagonal(cd_block_ldl* F, int at, cd_pivot_test test, cd_block_workspace* workspace,
                                      cd_block_stats* stats)
{
    const cd_block_column* j = &F->column[at];
    if (F->diagonal_shift > 0) add_diagonal_shift(F, j->size, workspace);
    if (F->forced_null || (F->freeze_null && has_null_pivot(F, j)))
        return cd_block_pivot_forced(F, at, test, workspace, stats);
    if (is_permuted(F, at) && !cd_pivoting_may_reorder(test))
        return cd_block_pivot_as_before(F, at, test, workspace, stats);
    const int bad =
        factor_negative_diagonal(workspace->D, F->lower + j->lower_offset, F->inverse_pivot + j->padded_offset, j->size,
                                 test, workspace->subtracted, F->is_null + j->scalar);
    F->diagonal_state[at] = 0;
    return bad < 0 && update_stats_unless_bad(F, j, test, workspace->subtracted, stats)
               ? -1
               : cd_block_pivot_if_needed(F, at, test, workspace, bad, stats);
}

void cd_block_eliminate_column(cd_block_ldl* F, int at, int sign, cd_pivot_test test, cd_block_workspace* workspace,
                               cd_block_stats* stats)
{
    const cd_block_column* j = &F->column[at];
    real*                  L = F->lower + j->lower_offset;
    if (at + CD_BLOCK_PREFETCH_DISTANCE < F->nprefetch) prefetch_column(F, at + CD_BLOCK_PREFETCH_DISTANCE);
    if (F->diagonal_state[at] < CD_DIAGONAL_REUSED) {
        double own[2] = {0, 0};
        for (int i = 0; i < CD_BLOCK_MAX_ROWS; ++i) workspace->subtracted[i] = 0;
        if (sign > 0) largest_of_kind(workspace->D, j->size, own);
        apply_updates(F, j, workspace);
        const int bad = sign > 0
                            ? factor_positive_diagonal(workspace->D, L, F->inverse_pivot + j->padded_offset, j->size,
                                                       own, at, workspace->subtracted, F->is_null + j->scalar)
                            : factor_constraint_diagonal(F, at, test, workspace, stats);
        if (bad >= 0) {
            stats->bad_pivot = j->scalar + bad;
            return;
        }
        if (F->diagonal_state[at] == CD_DIAGONAL_REUSE_REQUESTED)
            F->diagonal_state[at] =
                is_identity(L, j->size * (j->size - 1) / 2) ? CD_DIAGONAL_REUSED_UNIT_L : CD_DIAGONAL_REUSED;
    }
    if (F->diagonal_state[at] == CD_DIAGONAL_REUSED_UNIT_L) return;
    if (is_permuted(F, at)) cd_block_permute_below(F, at);
    for (int i = j[0].first_entry; i < j[1].first_entry; ++i)
        triangle[j->size][F->entry[i].nrow](L, F->value + F->entry[i].offset);
}

typedef struct factor_context {
    cd_block_ldl*      F;
    const signed char* sign;
    cd_pivot_test      test;
} factor_context;

static void factor_column(void* context, int k, cd_block_stats* stats)
{
    const factor_context* f = context;
    const cd_block_ldl*   F = f->F;
    if (k + CD_BLOCK_PREFETCH_DISTANCE < F->nprefetch) {
        __builtin_prefetch(F->value + F->column[k + CD_BLOCK_PREFETCH_DISTANCE].diagonal_offset);
        __builtin_prefetch(F->subtracted + F->column[k + CD_BLOCK_PREFETCH_DISTANCE].scalar);
    }
    const cd_block_column* j         = &F->column[k];
    cd_block_workspace     workspace = {.D = F->value + j->diagonal_offset};
    cd_block_eliminate_column(f->F, k, f->sign[j->block], f->test, &workspace, stats);
    for (int i = 0; i < j->size; ++i) F->subtracted[j->scalar + i] = workspace.subtracted[i];
}

int cd_block_factor(cd_block_ldl* F, const signed char* sign, cd_pivot_test test, cd_threads* threads)
{
    factor_context f = {F, sign, test};
    return cd_block_factor_with(F, factor_column, &f, threads);
}

double cd_block_pivot_ratio(const cd_block_ldl* F)
{
    double max_inverse = 0, min_inverse = 0; // of 1/d
    for (int k = 0; k < F->nblock; ++k) {
        const cd_block_column* c = &F->column[k];
        for (int i = 0; i < c->size; ++i) {
            const double inverse = fabs(r_value(F->inverse_pivot[c->padded_offset + i]));
            if (inverse == 0) continue;
            max_inverse = fmax(max_inverse, inverse);
            min_inverse = min_inverse > 0 ? fmin(min_inverse, inverse) : inverse;
        }
    }
    return min_inverse > 0 ? max_inverse / min_inverse : 1;
}
