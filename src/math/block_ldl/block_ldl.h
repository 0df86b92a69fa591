// SPDX-License-Identifier: BSD-3-Clause
// Block-sparse LDL' of a symmetric matrix: symbolic phase once, numeric phase on static arrays. Blocks have 0 to 6
// rows. The caller supplies the order of blocks, which must be safe: every pivot exists or is truly null. There is no
// pivot search, except inside blocks of sign -1 that show weak pivots before null ones (row_pivoting.h): there Z and
// 1/d are in pivot order, everything else in row order.
//
// Left-looking: a column gathers the updates of its descendants in a fixed order and writes only itself. Independent
// subtrees can therefore be eliminated in parallel, with bitwise the same result as sequentially.
#pragma once

#include "math/block_ldl/pivot_test.h"
#include "core/memory.h"
#include "core/threads.h"
#include "math/block_ldl/block_pattern.h"
#include "math/number.h"

#include <stdbool.h>
#include <stddef.h>

enum { CD_BLOCK_MAX_ROWS = 6 };          // maximum of rows of a block
enum { CD_BLOCK_PREFETCH_DISTANCE = 8 }; // columns by which memory is prefetched
// States of a diagonal block (cd_block_ldl.diagonal_state); 0: recomputed, pivots in row order.
enum { CD_DIAGONAL_PERMUTED = -1, CD_DIAGONAL_REUSE_REQUESTED = 1, CD_DIAGONAL_REUSED, CD_DIAGONAL_REUSED_UNIT_L };

// A column of blocks, in elimination order. A block is stored by columns of r_padded_rows(rows) numbers each. Blocks
// below the diagonal are stored in elimination order, which the solve follows; diagonal blocks, which the solve does
// not read, follow after all of them.
typedef struct cd_block_column {
    int block, size;
    int diagonal_offset; // offset of the diagonal block in value
    int below_offset;    // offset of the blocks below it in value
    int first_entry;     // first entry below it; those of the next column follow
    int first_update;    // first update from its descendants
    int scalar;          // first row in vectors
    int padded_offset;   // first row in vectors in elimination order, where a block takes r_padded_rows(size)
    int lower_offset;    // offset of its triangle L in lower
} cd_block_column;

// A block below the diagonal.
typedef struct cd_block_entry {
    int         row, padded_offset; // position of its block row, and offset of that in padded vectors
    int         offset;             // in value
    signed char nrow;
    bool        is_overwritten; // written completely before every factorization, and therefore never cleared
    bool        is_updated;     // some update is subtracted from it
    bool        is_fill;        // fill-in: the first update is written instead of subtracted
} cd_block_entry;

// Update of a column by column `column`: the entries of that column from `entry` on, times its entry `entry`.
typedef struct cd_block_update {
    int column, entry;
    int offset;       // of that entry in value
    int first_target; // first target from which products are subtracted; ~offset: the first product is written there
} cd_block_update;

// Complete subtrees of the elimination tree: columns first .. last - 1 depend only on each other.
typedef struct cd_block_task {
    int first, last;
} cd_block_task;

// Statistics of an elimination.
typedef struct cd_block_stats {
    int    bad_pivot;  // row in vectors of an invalid pivot, or -1
    int    nnull;      // number of null pivots
    double max_growth; // largest s/d of the other pivots of sign -1, s subtracted from the diagonal entry; at least 1
    int    max_growth_scalar; // its row, or -1
} cd_block_stats;

typedef struct cd_block_ldl {
    // symbolic
    int              nblock, nscalar, nvalue, npadded, nlower;
    int*             size;     // (nblock)
    int*             scalar;   // (nblock) first row of a block in vectors
    int*             position; // (nblock) position of a block in the elimination order
    cd_block_column* column;   // (nblock + 1)
    cd_block_entry*  entry;    // (entries + 1) column by column, rows ascending
    cd_block_update* update;
    int*             update_target;
    cd_block_task*   task;               // (ntask) subtrees large enough for a thread
    int*             column_above_tasks; // (nabove) columns in no task, ascending
    int              ntask, nabove;
    double           multiplications; // of a factorization
    // Multiple of `subtracted` that is also subtracted from a diagonal entry of sign -1; default 0
    // (kkt_quasidefinite.c).
    double diagonal_shift;
    int    nprefetch; // nblock if the numbers exceed the processor cache, else 0

    // numeric
    real*       value;         // the matrix; below the diagonal after the factorization Z
    real*       inverse_pivot; // (npadded) 1/d of the pivots, 0 for null pivots
    real*       lower;         // (nlower) triangles L of diagonal blocks, by columns, without diagonal
    real*       rhs;           // (2 npadded) right sides during the solve
    double*     subtracted;    // (nscalar) sum subtracted from each diagonal entry, by cd_block_factor
    bool*       is_null;       // (nscalar) null pivots
    bool        freeze_null;   // null pivots of sign -1 remain null
    const bool* forced_null;   // (nscalar) those of sign -1 that are null, and no others; NULL: decided by pivots
    // (nblock) CD_DIAGONAL_...: factor of the diagonal block to be reused, reused, reused with L = 1; pivots not in row
    // order
    signed char*    diagonal_state;
    signed char*    permutation; // (nscalar) for permuted blocks: row of the block that each pivot belongs to
    cd_block_stats* stats;       // (ntask + 1) of the columns above all tasks, then of each task
    int             nstats;      // number of stats of the last factorization
} cd_block_ldl;

// Symbolic phase; allocates its memory once. Replaces the order by its equivalent postorder. Returns false without
// memory.
bool cd_block_analyse(cd_block_ldl* F, const cd_block_pattern* pattern, const int* order);
void cd_block_release(cd_block_ldl* F);

// Lay out the numeric memory.
void cd_block_layout(cd_block_ldl* F, cd_arena* arena);

// Address of block (a, b) in value: entry (i, j) at offset + i row_stride + j column_stride. a = b: the diagonal, of
// which both triangles are written and the lower one is read. offset < 0: the block does not exist.
typedef struct cd_block_address {
    int offset, row_stride, column_stride;
} cd_block_address;

cd_block_address cd_block_find(const cd_block_ldl* F, int a, int b);
void             cd_block_clear(cd_block_ldl* F);

// Declare that the diagonal block is constant and that all its entries are written before every factorization: if it
// receives no updates, its factor is reused from the first factorization on. Call after the layout.
void cd_block_request_reuse(cd_block_ldl* F, int block);
// Return whether the factor is reused: then the diagonal must not be written, and the blocks below need not be cleared.
bool cd_block_is_reused(const cd_block_ldl* F, int block);

// Discard the pivot orders and null pivots of the last factorization, which the next one may keep.
void cd_block_reset_pivots(cd_block_ldl* F);

// Factor. `sign` (+1, -1) is the sign of the pivots of each block; a pivot of sign -1 may be null according to `test`.
// Returns the scalar row of an invalid pivot, or -1. Threads may be NULL.
int cd_block_factor(cd_block_ldl* F, const signed char* sign, cd_pivot_test test, cd_threads* threads);

// Solve in place. Two right sides at once hide memory and instruction latency; y may be NULL.
void cd_block_solve(const cd_block_ldl* F, real* x, cd_threads* threads);
void cd_block_solve_two(const cd_block_ldl* F, real* x, real* y, cd_threads* threads);

// ---- column by column, for callers that process a column while it is in cache

// Declare that block (a, b) is written completely before every factorization. Return whether, in addition, nothing is
// subtracted from it, so that A = Z L' can be recovered after the factorization.
void cd_block_mark_overwritten(cd_block_ldl* F, int a, int b);
bool cd_block_is_recoverable(const cd_block_ldl* F, int a, int b);
// Workspace of the column being eliminated: its diagonal block, in the matrix or in memory of a caller that writes
// columns during the elimination (it is not read afterwards, and large systems are limited by memory bandwidth); and
// the sum subtracted from each of its diagonal entries.
typedef struct cd_block_workspace {
    real*  D;
    double subtracted[CD_BLOCK_MAX_ROWS];
} cd_block_workspace;

// Clear the blocks of column k below its diagonal that are not overwritten, or its diagonal; no effect if reused.
void cd_block_clear_below(cd_block_ldl* F, int k);
void cd_block_clear_diagonal(cd_block_ldl* F, int k);

// Visit columns such that each follows its descendants (inward) or precedes them (outward); subtrees in parallel.
typedef void cd_block_visit(void* context, int k, cd_block_stats* stats);
void         cd_block_sweep_inward(const cd_block_ldl* F, cd_block_visit* visit, void* context, cd_threads* threads);
void         cd_block_sweep_outward(const cd_block_ldl* F, cd_block_visit* visit, void* context, cd_threads* threads);
// Inward sweep that eliminates columns: visits update the statistics, and an invalid pivot ends the sweep. Returns the
// same as cd_block_factor.
int cd_block_factor_with(cd_block_ldl* F, cd_block_visit* visit, void* context, cd_threads* threads);

// Eliminate column k; forward and backward substitution of column k. b are the parts of one or two right sides that
// belong to the column; x those of the solution, of which the second may be NULL.
void cd_block_eliminate_column(cd_block_ldl* F, int k, int sign, cd_pivot_test test, cd_block_workspace* workspace,
                               cd_block_stats* stats);
// Pivots of a column of sign -1. cd_block_pivot_if_needed follows a first attempt in row order, which ended with a bad
// pivot or not (-1): it keeps that order if it is not bad (row_pivoting.h), else it chooses pivots.
// cd_block_pivot_forced uses forced null pivots, cd_block_pivot_as_before the order of the last factorization, both
// without a first attempt. Return the row of an invalid pivot, or -1.
int cd_block_pivot_if_needed(cd_block_ldl* F, int k, cd_pivot_test test, cd_block_workspace* workspace, int bad,
                             cd_block_stats* stats);
int cd_block_pivot_forced(cd_block_ldl* F, int k, cd_pivot_test test, cd_block_workspace* workspace,
                          cd_block_stats* stats);
int cd_block_pivot_as_before(cd_block_ldl* F, int k, cd_pivot_test test, cd_block_workspace* workspace,
                             cd_block_stats* stats);
// For a column with permuted pivots: permute the blocks below it to pivot order; permute a vector to pivot order, and
// back.
void cd_block_permute_below(cd_block_ldl* F, int k);
void cd_block_to_pivot_order(const cd_block_ldl* F, int k, real* x);
void cd_block_to_row_order(const cd_block_ldl* F, int k, real* x);

void cd_block_forward_column(const cd_block_ldl* F, int k, int nrhs, const real* const b[2]);
void cd_block_backward_column(const cd_block_ldl* F, int k, int nrhs, real* const x[2]);

// Subtract the overwritten blocks of column k, all of which must be recoverable, from residuals y (npadded) with the
// current solution x: y(i) -= A(i,k) x(k) and, if the column has updates, y(k) -= A(i,k)'x(i); otherwise x(k) was
// computed from exactly that equation. Returns the largest term of the former.
double cd_block_residual_column(const cd_block_ldl* F, int k, real* y);

// Return 1/d of pivot i of a block of sign 1.
static inline real cd_block_inverse_pivot(const cd_block_ldl* F, int block, int i)
{
    return F->inverse_pivot[F->column[F->position[block]].padded_offset + i];
}

// Return the statistics of the last factorization over all tasks.
cd_block_stats cd_block_stats_total(const cd_block_ldl* F);

// Return the ratio of the largest to the smallest non-null pivot, in magnitude.
double cd_block_pivot_ratio(const cd_block_ldl* F);
