// SPDX-License-Identifier: BSD-3-Clause
// Columns of the block LDL' with permuted pivots: in the order of the last factorization, or in one chosen because the
// row order is bad.
#include "math/block_ldl/block_kernels.h"

// Compute the sums subtracted from the diagonal before the first attempt added l(i,j)^2 d(j) for its pivots j.
static void restore_subtracted(const cd_block_ldl* F, const cd_block_column* j, int pivots, double* size)
{
    const real *L = F->lower + j->lower_offset, *inverse = F->inverse_pivot + j->padded_offset;
    for (int i = 0; i < j->size; ++i)
        for (int k = 0; k < i && k < pivots; ++k) {
            const double l = r_value(L[lower_index(i, k, j->size)]), over = fabs(r_value(inverse[k]));
            if (over > 0) size[i] = fmax(size[i] - l * l / over, 0);
        }
}

static void read_block(const cd_block_ldl* F, const cd_block_column* j, const cd_block_workspace* workspace,
                       cd_row_pivoting* p)
{
    const int n    = r_padded_rows(j->size);
    p->n           = j->size;
    p->forced_null = F->forced_null ? F->forced_null + j->scalar : F->freeze_null ? F->is_null + j->scalar : NULL;
    for (int i = 0; i < p->n; ++i) {
        p->size[i]        = workspace->subtracted[i];
        p->permutation[i] = F->permutation[j->scalar + i];
        for (int k = 0; k <= i; ++k) p->A[i][k] = r_neg(workspace->D[k * n + i]);
    }
}

static void write_block(cd_block_ldl* F, int at, cd_block_workspace* workspace, const cd_row_pivoting* p)
{
    const cd_block_column* j = &F->column[at];
    for (int i = 0; i < p->n; ++i) {
        const int row                            = j->scalar + p->permutation[i];
        F->inverse_pivot[j->padded_offset + i]   = r_neg(p->inverse_pivot[i]);
        workspace->subtracted[p->permutation[i]] = p->size[i];
        F->is_null[row]                          = r_is_zero(p->inverse_pivot[i]);
        F->permutation[j->scalar + i]            = (signed char)p->permutation[i];
        for (int k = 0; k < i; ++k) F->lower[j->lower_offset + lower_index(i, k, p->n)] = p->A[i][k];
    }
    F->diagonal_state[at] = p->is_permuted ? CD_DIAGONAL_PERMUTED : 0;
}

static void update_stats(const cd_block_ldl* F, int at, const double* subtracted, cd_block_stats* stats)
{
    const cd_block_column* j = &F->column[at];
    for (int i = 0; i < j->size; ++i) {
        const int    pivot_row = is_permuted(F, at) ? F->permutation[j->scalar + i] : i, row = j->scalar + pivot_row;
        const double growth = fabs(r_value(F->inverse_pivot[j->padded_offset + i])) * subtracted[pivot_row];
        stats->nnull += F->is_null[row];
        if (!(growth > stats->max_growth || (growth == stats->max_growth && row < stats->max_growth_scalar))) continue;
        stats->max_growth        = growth;
        stats->max_growth_scalar = row;
    }
}

// Test the result of the first attempt for a bad order; size: of the rows before it.
static bool is_bad_order(const cd_block_ldl* F, const cd_block_column* j, cd_pivot_test test,
                         const cd_block_workspace* workspace, const double* size)
{
    const real* L             = F->lower + j->lower_offset;
    double      weakest_pivot = INFINITY;
    bool        hides_rows    = false;
    for (int i = 0; i < j->size; ++i) {
        const double first = fabs(r_value(workspace->D[i * (r_padded_rows(j->size) + 1)])),
                     s     = workspace->subtracted[i];
        double d           = fabs(r_value(F->inverse_pivot[j->padded_offset + i]));
        if (F->is_null[j->scalar + i]) {
            d = first;
            for (int k = 0; k < i; ++k) {
                const double l    = r_value(L[lower_index(i, k, j->size)]),
                             over = fabs(r_value(F->inverse_pivot[j->padded_offset + k]));
                if (over > 0) d -= l * l / over;
            }
            hides_rows |= fabs(d) > cd_pivoting_residue_tolerance(test) * s;
            if (first > cd_pivot_better_factor * weakest_pivot * size[i]) return true;
            continue;
        }
        d = 1 / d;
        if (hides_rows ||
            (d < cd_pivot_suspect_tolerance * s && first > cd_pivot_better_factor * weakest_pivot * size[i]))
            return true;
        if (d < cd_pivoting_weak_tolerance(test) * s) weakest_pivot = fmin(weakest_pivot, d / s);
    }
    return false;
}

int cd_block_pivot_if_needed(cd_block_ldl* F, int at, cd_pivot_test test, cd_block_workspace* workspace, int bad,
                             cd_block_stats* stats)
{
    const cd_block_column* j = &F->column[at];
    cd_row_pivoting        p;
    read_block(F, j, workspace, &p);
    restore_subtracted(F, j, bad < 0 ? j->size : bad, p.size);
    if (bad >= 0 || is_bad_order(F, j, test, workspace, p.size)) {
        bad = cd_row_pivoting_factor_complete(&p, test);
        if (bad >= 0) return bad;
        write_block(F, at, workspace, &p);
    }
    update_stats(F, at, workspace->subtracted, stats);
    return -1;
}

static int repivot(cd_block_ldl* F, int at, cd_pivot_test test, cd_block_workspace* workspace, cd_block_stats* stats,
                   int (*factor)(cd_row_pivoting* p, cd_pivot_test test))
{
    cd_row_pivoting p;
    read_block(F, &F->column[at], workspace, &p);
    const int bad = factor(&p, test);
    if (bad >= 0) return bad;
    write_block(F, at, workspace, &p);
    update_stats(F, at, workspace->subtracted, stats);
    return -1;
}

void cd_block_reset_pivots(cd_block_ldl* F)
{
    for (int k = 0; k < F->nblock; ++k)
        if (is_permuted(F, k)) F->diagonal_state[k] = 0;
    for (int i = 0; i < F->nscalar; ++i) {
        F->is_null[i]     = false;
        F->permutation[i] = 0;
    }
    F->forced_null = NULL;
    F->freeze_null = false;
}

int cd_block_pivot_as_before(cd_block_ldl* F, int at, cd_pivot_test test, cd_block_workspace* workspace,
                             cd_block_stats* stats)
{
    return repivot(F, at, test, workspace, stats, cd_row_pivoting_factor);
}

int cd_block_pivot_forced(cd_block_ldl* F, int at, cd_pivot_test test, cd_block_workspace* workspace,
                          cd_block_stats* stats)
{
    return repivot(F, at, test, workspace, stats, cd_row_pivoting_factor_complete);
}

void cd_block_to_pivot_order(const cd_block_ldl* F, int k, real* x)
{
    const cd_block_column* j = &F->column[k];
    real                   y[CD_BLOCK_MAX_ROWS];
    for (int i = 0; i < j->size; ++i) y[i] = x[i];
    for (int i = 0; i < j->size; ++i) x[i] = y[F->permutation[j->scalar + i]];
}

void cd_block_to_row_order(const cd_block_ldl* F, int k, real* x)
{
    const cd_block_column* j = &F->column[k];
    real                   y[CD_BLOCK_MAX_ROWS];
    for (int i = 0; i < j->size; ++i) y[i] = x[i];
    for (int i = 0; i < j->size; ++i) x[F->permutation[j->scalar + i]] = y[i];
}

void cd_block_permute_below(cd_block_ldl* F, int at)
{
    const cd_block_column* j = &F->column[at];
    for (int e = j[0].first_entry; e < j[1].first_entry; ++e) {
        real*     B = F->value + F->entry[e].offset;
        const int r = F->entry[e].nrow, n = r_padded_rows(r);
        for (int i = 0; i < r; ++i) {
            real x[CD_BLOCK_MAX_ROWS];
            for (int k = 0; k < j->size; ++k) x[k] = B[k * n + i];
            cd_block_to_pivot_order(F, at, x);
            for (int k = 0; k < j->size; ++k) B[k * n + i] = x[k];
        }
    }
}
