// SPDX-License-Identifier: BSD-3-Clause
// Block-sparse LDL' of a symmetric matrix: symbolic phase once, numeric phase on static arrays.
// Blocks are small (0 to 6 rows). The order of blocks is the caller's and must be safe: with it every pivot exists or
// is truly null. There is no pivot search, but inside blocks of sign -1 that show weak pivots before null ones
// (row_pivoting.h): there Z and 1/d stand in the order of pivots, all else by rows.
//
// Left-looking: a column gathers what its descendants subtract from it, in a fixed order, and writes nothing but
// itself. So independent subtrees may be eliminated at the same time, with the same bits as one after the other.
#pragma once

#include "math/block_ldl/pivot_test.h"
#include "core/memory.h"
#include "core/threads.h"
#include "math/block_ldl/block_pattern.h"
#include "math/number.h"

#include <stdbool.h>
#include <stddef.h>

enum { CD_BLOCK_MAX_ROWS = 6 };          // rows of a block
enum { CD_BLOCK_PREFETCH_DISTANCE = 8 }; // columns by which memory is asked for before it is wanted
enum { CD_DIAGONAL_PERMUTED = -1, CD_DIAGONAL_REUSE_REQUESTED = 1, CD_DIAGONAL_REUSED, CD_DIAGONAL_REUSED_UNIT_L };

// Below so many multiplications of the factorization one thread is faster than waking others.
static const double cd_block_min_work_for_threads = 4e5;

// A column of blocks, in elimination order. Numbers of a block stand by columns of r_lanes(rows) each. Entries below
// the diagonal stand in the order of elimination, in which solving passes over them; diagonal blocks, which it does not
// read, behind all of them.
typedef struct cd_block_column {
    int block, size;
    int diagonal_offset; // of the diagonal block in value
    int below_offset;    // and of what stands below it
    int first_entry;     // first entry below it; those of the next column follow
    int first_update;    // first of its descendants
    int scalar;          // first row in vectors
    int padded_offset;   // first row in vectors by order of elimination, in which a block takes r_lanes(size)
    int lower_offset;    // its triangle L
} cd_block_column;

// A block below the diagonal.
typedef struct cd_block_entry {
    int         row, padded_offset; // position of its row, whose vectors stand there
    int         offset;             // in value
    signed char nrow;
    bool        is_overwritten; // written whole before every factorization, and so never cleared
    bool        is_updated;     // something is subtracted from it
    bool        is_fill;        // the matrix has no such block: what is subtracted first is written there
} cd_block_entry;

// What column `column` subtracts from this one: its entries from `entry` on, times its entry `entry`.
typedef struct cd_block_update {
    int column, entry;
    int offset;       // of that entry in value
    int first_target; // first of the places from which products are subtracted; ~place: where the first one is written
} cd_block_update;

// Whole subtrees of the elimination tree: columns first .. last - 1 gather from each other only.
typedef struct cd_block_task {
    int first, last;
} cd_block_task;

// What elimination meets on its way.
typedef struct cd_block_stats {
    int bad_pivot; // row of vectors whose pivot is not what it should be, or -1
    int nnull;     // pivots that are null
    double
        max_growth; // largest s/d of the others of sign -1, s what was subtracted from the diagonal entry, and 1 at least
    int max_growth_scalar; // its row, or -1
} cd_block_stats;

typedef struct cd_block_ldl {
    // symbolic
    int              nblock, nscalar, nvalue, npadded, nlower;
    int*             size;     // (nblock)
    int*             scalar;   // (nblock) first row of a block in vectors
    int*             position; // (nblock) when a block is eliminated
    cd_block_column* column;   // (nblock + 1)
    cd_block_entry*  entry;    // (entries + 1) column after column, rows ascending
    cd_block_update* update;
    int*             update_target;
    cd_block_task*   task;               // (ntask) subtrees worth a thread
    int*             column_above_tasks; // (nabove) columns in no task, ascending
    int              ntask, nabove;
    double           multiplications; // multiplications of a factorization
    double
        diagonal_shift; // part of what was taken from a diagonal entry of sign -1 that is taken beside: 0, unless somebody
                        // sets it (kkt_quasidefinite.c)
    int nprefetch;      // nblock where the numbers are more than a processor keeps beside it, else 0

    // numeric
    real*       value;         // the matrix; below the diagonal then Z
    real*       inverse_pivot; // (nslot) 1/d of the pivots, 0 where they are null
    real*       lower;         // (nlower) triangles L of diagonal blocks, by columns, without diagonal
    real*       rhs;           // (2 nslot) right sides on their way
    double*     subtracted;    // (nscalar) what was subtracted from each diagonal entry, by cd_block_factor
    bool*       is_null;       // (nscalar) pivots that are null
    bool        freeze_null;   // pivots of sign -1 that are null stay so
    const bool* forced_null;   // (nscalar) those of sign -1 that are to be, and no others; NULL: pivots tell
    signed char*
        diagonal_state; // (nblock) diagonal blocks whose factor is to be kept, is kept, is kept and has no L but 1; or
                        // whose pivots are not in the order of rows
    signed char*    permutation; // (nscalar) of those: the row of its block that a pivot is of
    cd_block_stats* stats;       // (ntask + 1) what columns above all tasks met, and then each of these
    int             nstats;      // of the last factorization
} cd_block_ldl;

// Symbolic phase; allocates its own memory once. The order is brought to its equivalent postorder. False without
// memory.
bool cd_block_analyse(cd_block_ldl* F, const cd_block_pattern* pattern, const int* order);
void cd_block_release(cd_block_ldl* F);

// Numeric memory.
void cd_block_layout(cd_block_ldl* F, cd_arena* arena);

// Where the numbers of block (a, b) stand in value: entry (i, j) at `at` + i `down` + j `right`. a = b: the diagonal,
// of which both triangles are written and the lower one is read. at < 0: there is no such block.
typedef struct cd_block_address {
    int offset, row_stride, column_stride;
} cd_block_address;

cd_block_address cd_block_find(const cd_block_ldl* F, int a, int b);
void             cd_block_clear(cd_block_ldl* F);

// The diagonal block never changes, and all its entries are written anew before every factorization: where nothing is
// gathered into it, its factor is kept from the first time on. After the layout.
void cd_block_request_reuse(cd_block_ldl* F, int block);
// It is kept now: its diagonal must not be written, and what stands below it need not be cleared.
bool cd_block_is_reused(const cd_block_ldl* F, int block);

// Factor. `sign` (+1, -1) says which pivots a block has; a pivot of sign -1 may be null, as `test` has it. Returns the
// scalar row of a pivot that is not what it should be, or -1. Threads may be NULL.
int cd_block_factor(cd_block_ldl* F, const signed char* sign, cd_pivot_test test, cd_threads* threads);

// Solve in place. Two right sides at once hide each other's waiting; y may be NULL.
void cd_block_solve(const cd_block_ldl* F, real* x, cd_threads* threads);
void cd_block_solve_two(const cd_block_ldl* F, real* x, real* y, cd_threads* threads);

// ---- column by column, for those who have more to do with a column while it is at hand

// Block (a, b) is written whole before every factorization. And whether then nothing is subtracted from it, so that A =
// Z L' is still there afterwards.
void cd_block_mark_overwritten(cd_block_ldl* F, int a, int b);
bool cd_block_is_recoverable(const cd_block_ldl* F, int a, int b);
// Where a column that is eliminated stands meanwhile: its diagonal block, in the matrix or with the one who eliminates
// columns as he writes them, since nobody looks at it afterwards and large systems wait for memory; and what is
// subtracted from each of its diagonal entries.
typedef struct cd_block_workspace {
    real*  D;
    double subtracted[CD_BLOCK_MAX_ROWS];
} cd_block_workspace;

// What of column k below its diagonal is not written whole, and its diagonal; nothing where its factor is kept.
void cd_block_clear_below(cd_block_ldl* F, int k);
void cd_block_clear_diagonal(cd_block_ldl* F, int k);

// Visits columns so that each comes after those it gathers from (inward), or before them (outward); subtrees side by
// side.
typedef void cd_block_visit(void* context, int k, cd_block_stats* met);
void         cd_block_sweep_inward(const cd_block_ldl* F, cd_block_visit* visit, void* context, cd_threads* threads);
void         cd_block_sweep_outward(const cd_block_ldl* F, cd_block_visit* visit, void* context, cd_threads* threads);
// The sweep inward in which columns are eliminated: visits tell what they meet, and a bad pivot ends it. Returns as
// cd_block_factor.
int cd_block_factor_with(cd_block_ldl* F, cd_block_visit* visit, void* context, cd_threads* threads);

// Column k of a factorization; of a solve on its way down, and up. Pieces of right sides that belong to the column, one
// or two sides; those of the solution, of which the second may be NULL.
void cd_block_eliminate_column(cd_block_ldl* F, int k, int sign, cd_pivot_test test, cd_block_workspace* workspace,
                               cd_block_stats* stats);
// Pivots of a column of sign -1 that a first attempt has in the order of its rows, if that ended at no bad one (-1):
// they are left as they are if that order is not a bad one (row_pivoting.h), else chosen. Or, without a first attempt, as
// it was ruled which of them are null, or in the order of the last time. Return the row of a bad pivot, or -1.
int cd_block_pivot_if_needed(cd_block_ldl* F, int k, cd_pivot_test test, cd_block_workspace* workspace, int bad,
                             cd_block_stats* stats);
int cd_block_pivot_forced(cd_block_ldl* F, int k, cd_pivot_test test, cd_block_workspace* workspace,
                          cd_block_stats* stats);
int cd_block_pivot_as_before(cd_block_ldl* F, int k, cd_pivot_test test, cd_block_workspace* workspace,
                             cd_block_stats* stats);
// Of a column whose pivots have an order of their own: what stands below it, and a vector, to the order of pivots; and
// back.
void cd_block_permute_below(cd_block_ldl* F, int k);
void cd_block_to_pivot_order(const cd_block_ldl* F, int k, real* x);
void cd_block_to_row_order(const cd_block_ldl* F, int k, real* x);

void cd_block_forward_column(const cd_block_ldl* F, int k, int nrhs, const real* const b[2]);
void cd_block_backward_column(const cd_block_ldl* F, int k, int nrhs, real* const x[2]);

// What blocks of column k that are covered, all of which must be kept, take from right sides y (nslot), x being solved
// there: y(i) -= A(i,k) x(k) and, where the column has gathered, y(k) -= A(i,k)'x(i); elsewhere x(k) was computed from
// just that equation. The largest term of the former.
double cd_block_residual_column(const cd_block_ldl* F, int k, real* y);

// 1/d of pivot i of a block of sign 1.
static inline real cd_block_inverse_pivot(const cd_block_ldl* F, int block, int i)
{
    return F->inverse_pivot[F->column[F->position[block]].padded_offset + i];
}

// What the last factorization met in all.
cd_block_stats cd_block_stats_total(const cd_block_ldl* F);

// Largest pivot over the smallest that is not null, in magnitude.
double cd_block_pivot_ratio(const cd_block_ldl* F);
