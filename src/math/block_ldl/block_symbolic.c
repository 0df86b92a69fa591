// SPDX-License-Identifier: BSD-3-Clause
// Symbolic phase of the block LDL': addresses of blocks, updates of each column and their targets, and subtrees that
// can be eliminated in parallel.
#include "math/block_ldl/block_ldl.h"
#include "math/math_tolerances.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// Target number of tasks: enough for an even distribution over a few threads, few enough that the cost of starting one
// is negligible.
enum { NTASK_TARGET = 32 };

static int padded_size(int rows, int columns) { return r_padded_rows(rows) * columns; }

// Assign addresses to the blocks in elimination order, so that memory access is sequential.
static bool place_blocks(cd_block_ldl* F, const cd_block_factor_pattern* L, const int* order)
{
    const int entries = L->start[L->n];
    double    next    = 0;
    F->entry          = cd_allocate((size_t)entries + 1, sizeof *F->entry);
    if (!F->entry) return false;
    for (int k = 0; k < F->nblock; ++k) {
        cd_block_column* c = &F->column[k];
        const int        b = order[k];
        *c             = (cd_block_column){b, F->size[b], 0, (int)next, L->start[k], 0, F->scalar[b], F->npadded, 0};
        F->position[b] = k;
        F->npadded += r_padded_rows(c->size);
        for (int i = L->start[k]; i < L->start[k + 1]; ++i) {
            F->entry[i] =
                (cd_block_entry){.row = L->row[i], .offset = (int)next, .nrow = (signed char)F->size[order[L->row[i]]]};
            next += padded_size(F->entry[i].nrow, c->size);
            if (next > INT_MAX) return false;
        }
    }
    F->entry[entries].offset = (int)next;
    for (int k = 0; k < F->nblock; ++k) {
        F->column[k].diagonal_offset = (int)next;
        next += padded_size(F->column[k].size, F->column[k].size);
        if (next > INT_MAX) return false;
    }
    for (int i = 0; i < entries; ++i) F->entry[i].padded_offset = F->column[F->entry[i].row].padded_offset;
    F->column[F->nblock] =
        (cd_block_column){-1, 0, (int)next, F->entry[entries].offset, entries, 0, F->nscalar, F->npadded, 0};
    F->nvalue    = (int)next;
    F->nprefetch = next * sizeof(real) > cd_prefetch_min_bytes ? F->nblock : 0;
    return true;
}

// Return the entry of column k at position r, or -1.
static int find_entry(const cd_block_ldl* F, int k, int r)
{
    int low = F->column[k].first_entry, high = F->column[k + 1].first_entry - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (F->entry[middle].row < r)
            low = middle + 1;
        else
            high = middle;
    }
    return low == high && F->entry[low].row == r ? low : -1;
}

// List the updates of each column, in elimination order.
static bool list_updates(cd_block_ldl* F)
{
    const int entries = F->column[F->nblock].first_entry;
    double    pairs   = 0;
    int*      next    = cd_allocate((size_t)F->nblock + 1, sizeof *next);
    F->update         = cd_allocate((size_t)entries, sizeof *F->update);
    if (!next || !F->update) return free(next), false;
    for (int i = 0; i < entries; ++i) ++next[F->entry[i].row + 1];
    for (int k = 0; k < F->nblock; ++k) {
        const double below = F->column[k + 1].first_entry - F->column[k].first_entry;
        pairs += 0.5 * below * (below + 1);
        next[k + 1] += next[k];
        F->column[k].first_update = next[k];
    }
    F->column[F->nblock].first_update = entries;
    if (pairs > INT_MAX) return free(next), false;
    for (int k = 0; k < F->nblock; ++k)
        for (int i = F->column[k].first_entry; i < F->column[k + 1].first_entry; ++i)
            F->update[next[F->entry[i].row]++] = (cd_block_update){k, i, F->entry[i].offset, 0};
    free(next);
    F->update_target = cd_allocate((size_t)pairs, sizeof *F->update_target);
    return F->update_target != NULL;
}

// Assign addresses to the triangles. Those of columns without updates follow after the others: most of these are reused
// and not accessed (cd_block_request_reuse).
static void place_triangles(cd_block_ldl* F)
{
    for (int without_updates = 0; without_updates < 2; ++without_updates)
        for (int k = 0; k < F->nblock; ++k) {
            cd_block_column* c = &F->column[k];
            if ((c[0].first_update == c[1].first_update) != without_updates) continue;
            c->lower_offset = F->nlower;
            F->nlower += c->size * (c->size - 1) / 2;
        }
}

// Mark fill-in: blocks below the diagonal that the matrix does not have.
static void mark_fill(cd_block_ldl* F, const cd_block_pattern* p)
{
    for (int i = 0; i < F->column[F->nblock].first_entry; ++i) F->entry[i].is_fill = true;
    for (int e = 0; e < p->nedge; ++e) {
        const int a = F->position[p->edge[e][0]], b = F->position[p->edge[e][1]];
        const int entry = a < b ? find_entry(F, a, b) : find_entry(F, b, a);
        if (entry >= 0) F->entry[entry].is_fill = false;
    }
}

// Find the targets of all updates. The first update of a fill-in block is written there instead of subtracted.
static void find_targets(cd_block_ldl* F)
{
    int count = 0;
    for (int j = 0; j < F->nblock; ++j)
        for (int n = F->column[j].first_update; n < F->column[j + 1].first_update; ++n) {
            cd_block_update* g        = &F->update[n];
            const int        last     = F->column[g->column + 1].first_entry;
            int              at       = g->entry + 1 < last ? find_entry(F, j, F->entry[g->entry + 1].row) : 0;
            g->first_target           = count;
            F->update_target[count++] = F->column[j].diagonal_offset;
            for (int i = g->entry + 1; i < last; ++i) {
                while (F->entry[at].row != F->entry[i].row) ++at;
                const bool first          = F->entry[at].is_fill && !F->entry[at].is_updated;
                F->update_target[count++] = first ? ~F->entry[at].offset : F->entry[at].offset;
                F->entry[at].is_updated   = true;
            }
        }
}

static double column_operations(const cd_block_ldl* F, int k)
{
    const int s     = F->column[k].size;
    double    below = 0;
    for (int i = F->column[k].first_entry; i < F->column[k + 1].first_entry; ++i) below += F->entry[i].nrow;
    return s * (s * s / 6.0 + below * s / 2.0 + below * below / 2);
}

// Group consecutive complete small subtrees into tasks; one thread treats the columns above them. In postorder the
// subtree of a column consists of consecutive columns that end with it.
static void group_subtrees(cd_block_ldl* F, const double* tree, const int* count)
{
    const double max_operations  = F->multiplications / NTASK_TARGET;
    double       task_operations = 0; // of the last task
    for (int k = 0; k < F->nblock; ++k) {
        const int parent = F->column[k].first_entry < F->column[k + 1].first_entry
                               ? F->entry[F->column[k].first_entry].row
                               : F->nblock;
        if (tree[k] > max_operations) F->column_above_tasks[F->nabove++] = k;
        if (tree[k] > max_operations || tree[parent] <= max_operations) continue; // not the root of a largest subtree
        const int first = k + 1 - count[k];
        if (F->ntask > 0 && F->task[F->ntask - 1].last == first && task_operations + tree[k] <= max_operations) {
            F->task[F->ntask - 1].last = k + 1;
            task_operations += tree[k];
        } else {
            F->task[F->ntask++] = (cd_block_task){first, k + 1};
            task_operations     = tree[k];
        }
    }
}

static bool build_tasks(cd_block_ldl* F)
{
    const int n           = F->nblock;
    double*   tree        = cd_allocate((size_t)n + 1, sizeof *tree); // operations of the subtree of a column
    int*      count       = cd_allocate((size_t)n + 1, sizeof *count);
    F->task               = cd_allocate((size_t)n, sizeof *F->task);
    F->column_above_tasks = cd_allocate((size_t)n, sizeof *F->column_above_tasks);
    const bool good       = tree && count && F->task && F->column_above_tasks;
    for (int k = 0; good && k < n; ++k) {
        const int parent =
            F->column[k].first_entry < F->column[k + 1].first_entry ? F->entry[F->column[k].first_entry].row : n;
        tree[k] += column_operations(F, k);
        tree[parent] += tree[k];
        count[parent] += ++count[k];
    }
    if (good) {
        F->multiplications = tree[n];
        group_subtrees(F, tree, count);
    }
    free(tree), free(count);
    return good;
}

static bool build(cd_block_ldl* F, const cd_block_pattern* p, const cd_block_factor_pattern* L, const int* order)
{
    const int n = p->nblock;
    F->nblock   = n;
    F->size     = cd_allocate((size_t)n, sizeof *F->size);
    F->scalar   = cd_allocate((size_t)n, sizeof *F->scalar);
    F->position = cd_allocate((size_t)n, sizeof *F->position);
    F->column   = cd_allocate((size_t)n + 1, sizeof *F->column);
    if (!F->size || !F->scalar || !F->position || !F->column) return false;
    for (int i = 0; i < n; ++i) {
        F->size[i]   = p->size[i];
        F->scalar[i] = F->nscalar;
        F->nscalar += p->size[i];
    }
    if (!place_blocks(F, L, order) || !list_updates(F)) return false;
    place_triangles(F);
    mark_fill(F, p);
    find_targets(F);
    return build_tasks(F);
}

bool cd_block_analyse(cd_block_ldl* F, const cd_block_pattern* p, const int* order)
{
    cd_block_factor_pattern L    = {0};
    int*                    post = cd_allocate((size_t)p->nblock, sizeof *post);
    *F                           = (cd_block_ldl){0};
    if (post) memcpy(post, order, (size_t)p->nblock * sizeof *post);
    const bool good = post && cd_block_postorder(p, post) && cd_block_factor_pattern_compute(p, post, 1e300, &L) &&
                      build(F, p, &L, post);
    cd_block_factor_pattern_release(&L);
    free(post);
    return good;
}

void cd_block_release(cd_block_ldl* F)
{
    void* const all[] = {F->size,          F->scalar, F->position,          F->column, F->entry, F->update,
                         F->update_target, F->task,   F->column_above_tasks};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
    *F = (cd_block_ldl){0};
}

void cd_block_layout(cd_block_ldl* F, cd_arena* arena)
{
    CD_ARENA_ARRAY(arena, F->value, F->nvalue);
    CD_ARENA_ARRAY(arena, F->inverse_pivot, F->npadded);
    CD_ARENA_ARRAY(arena, F->lower, F->nlower);
    CD_ARENA_ARRAY(arena, F->rhs, 2 * (size_t)F->npadded);
    CD_ARENA_ARRAY(arena, F->subtracted, F->nscalar);
    CD_ARENA_ARRAY(arena, F->is_null, F->nscalar);
    CD_ARENA_ARRAY(arena, F->diagonal_state, F->nblock);
    CD_ARENA_ARRAY(arena, F->permutation, F->nscalar);
    CD_ARENA_ARRAY(arena, F->stats, F->ntask + 1);
}

static int find_entry_of_blocks(const cd_block_ldl* F, int a, int b)
{
    const int pa = F->position[a], pb = F->position[b];
    return pa < pb ? find_entry(F, pa, pb) : find_entry(F, pb, pa);
}

void cd_block_mark_overwritten(cd_block_ldl* F, int a, int b)
{
    F->entry[find_entry_of_blocks(F, a, b)].is_overwritten = true;
}
bool cd_block_is_recoverable(const cd_block_ldl* F, int a, int b)
{
    return F->entry[find_entry_of_blocks(F, a, b)].is_overwritten &&
           !F->entry[find_entry_of_blocks(F, a, b)].is_updated;
}

cd_block_address cd_block_find(const cd_block_ldl* F, int a, int b)
{
    const int pa = F->position[a], pb = F->position[b], k = pa < pb ? pa : pb, r = pa < pb ? pb : pa;
    if (pa == pb) return (cd_block_address){F->column[k].diagonal_offset, 1, r_padded_rows(F->size[a])};
    const int entry = find_entry(F, k, r);
    if (entry < 0) return (cd_block_address){-1, 0, 0};
    const int stride = r_padded_rows(F->entry[entry].nrow);
    return pa < pb ? (cd_block_address){F->entry[entry].offset, stride, 1}
                   : (cd_block_address){F->entry[entry].offset, 1, stride};
}
