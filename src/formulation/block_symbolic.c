// SPDX-License-Identifier: BSD-3-Clause
// Symbolic phase of the block LDL': where blocks stand, what each column gathers and from where it is subtracted, and
// which subtrees can be eliminated side by side.
#include "formulation/block_ldl.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// Work is cut into so many parts: enough that a handful of threads share it evenly, few enough that starting one does
// not matter.
enum { PARTS = 32 };

static const double near_bytes = 5e5;

static int room(int rows, int columns) { return r_lanes(rows) * columns; }

// Blocks in the order of elimination, so that memory streams.
static bool place_blocks(cd_block_ldl* F, const cd_block_columns* L, const int* order)
{
    const int entries = L->start[L->n];
    double    next    = 0;
    F->below          = cd_allocate((size_t)entries + 1, sizeof *F->below);
    if (!F->below) return false;
    for (int k = 0; k < F->nblock; ++k) {
        cd_block_column* c = &F->column[k];
        const int        b = order[k];
        *c                 = (cd_block_column){b, F->size[b], 0, (int)next, L->start[k], 0, F->scalar[b], F->nslot, 0};
        F->position[b]     = k;
        F->nslot += r_lanes(c->size);
        for (int i = L->start[k]; i < L->start[k + 1]; ++i) {
            F->below[i] =
                (cd_block_below){.row = L->row[i], .at = (int)next, .rows = (signed char)F->size[order[L->row[i]]]};
            next += room(F->below[i].rows, c->size);
            if (next > INT_MAX) return false;
        }
    }
    F->below[entries].at = (int)next;
    for (int k = 0; k < F->nblock; ++k) {
        F->column[k].at = (int)next;
        next += room(F->column[k].size, F->column[k].size);
        if (next > INT_MAX) return false;
    }
    for (int i = 0; i < entries; ++i) F->below[i].slot = F->column[F->below[i].row].slot;
    F->column[F->nblock] =
        (cd_block_column){-1, 0, (int)next, F->below[entries].at, entries, 0, F->nscalar, F->nslot, 0};
    F->nvalue  = (int)next;
    F->fetched = next * sizeof(real) > near_bytes ? F->nblock : 0;
    return true;
}

// Entry of column k at position r, or -1.
static int find_entry(const cd_block_ldl* F, int k, int r)
{
    int low = F->column[k].entry, high = F->column[k + 1].entry - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (F->below[middle].row < r)
            low = middle + 1;
        else
            high = middle;
    }
    return low == high && F->below[low].row == r ? low : -1;
}

// Lists of what each column gathers, in the order of elimination.
static bool list_gathers(cd_block_ldl* F)
{
    const int entries = F->column[F->nblock].entry;
    double    pairs   = 0;
    int*      next    = cd_allocate((size_t)F->nblock + 1, sizeof *next);
    F->gather         = cd_allocate((size_t)entries, sizeof *F->gather);
    if (!next || !F->gather) return free(next), false;
    for (int i = 0; i < entries; ++i) ++next[F->below[i].row + 1];
    for (int k = 0; k < F->nblock; ++k) {
        const double below = F->column[k + 1].entry - F->column[k].entry;
        pairs += 0.5 * below * (below + 1);
        next[k + 1] += next[k];
        F->column[k].gather = next[k];
    }
    F->column[F->nblock].gather = entries;
    if (pairs > INT_MAX) return free(next), false;
    for (int k = 0; k < F->nblock; ++k)
        for (int i = F->column[k].entry; i < F->column[k + 1].entry; ++i)
            F->gather[next[F->below[i].row]++] = (cd_block_gather){k, i, F->below[i].at, 0};
    free(next);
    F->target = cd_allocate((size_t)pairs, sizeof *F->target);
    return F->target != NULL;
}

// Triangles of columns that gather nothing, which stand behind the others: most of those are kept and never looked at
// (cd_block_hold).
static void place_triangles(cd_block_ldl* F)
{
    for (int still = 0; still < 2; ++still)
        for (int k = 0; k < F->nblock; ++k) {
            cd_block_column* c = &F->column[k];
            if ((c[0].gather == c[1].gather) != still) continue;
            c->lower = F->nlower;
            F->nlower += c->size * (c->size - 1) / 2;
        }
}

// Blocks below the diagonal that the matrix does not have.
static void mark_fill(cd_block_ldl* F, const cd_block_pattern* p)
{
    for (int i = 0; i < F->column[F->nblock].entry; ++i) F->below[i].fill = true;
    for (int e = 0; e < p->nedge; ++e) {
        const int a = F->position[p->edge[e][0]], b = F->position[p->edge[e][1]];
        const int entry = a < b ? find_entry(F, a, b) : find_entry(F, b, a);
        if (entry >= 0) F->below[entry].fill = false;
    }
}

// What is subtracted first from a block that the matrix does not have is written there.
static void find_targets(cd_block_ldl* F)
{
    int count = 0;
    for (int j = 0; j < F->nblock; ++j)
        for (int n = F->column[j].gather; n < F->column[j + 1].gather; ++n) {
            cd_block_gather* g    = &F->gather[n];
            const int        last = F->column[g->column + 1].entry;
            int              at   = g->entry + 1 < last ? find_entry(F, j, F->below[g->entry + 1].row) : 0;
            g->target             = count;
            F->target[count++]    = F->column[j].at;
            for (int i = g->entry + 1; i < last; ++i) {
                while (F->below[at].row != F->below[i].row) ++at;
                const bool first    = F->below[at].fill && !F->below[at].filled;
                F->target[count++]  = first ? ~F->below[at].at : F->below[at].at;
                F->below[at].filled = true;
            }
        }
}

static double work_of(const cd_block_ldl* F, int k)
{
    const int s     = F->column[k].size;
    double    below = 0;
    for (int i = F->column[k].entry; i < F->column[k + 1].entry; ++i) below += F->below[i].rows;
    return s * (s * s / 6.0 + below * s / 2.0 + below * below / 2);
}

// Runs of whole small subtrees become tasks; what stands above them is left to one thread. In postorder the subtree of
// a column is the columns that end with it.
static void cut_runs(cd_block_ldl* F, const double* tree, const int* count)
{
    const double most = F->work / PARTS;
    double       held = 0; // by the last task
    for (int k = 0; k < F->nblock; ++k) {
        const int parent = F->column[k].entry < F->column[k + 1].entry ? F->below[F->column[k].entry].row : F->nblock;
        if (tree[k] > most) F->above[F->nabove++] = k;
        if (tree[k] > most || tree[parent] <= most) continue; // not the root of a largest subtree
        const int first = k + 1 - count[k];
        if (F->ntask > 0 && F->task[F->ntask - 1].last == first && held + tree[k] <= most) {
            F->task[F->ntask - 1].last = k + 1;
            held += tree[k];
        } else {
            F->task[F->ntask++] = (cd_block_task){first, k + 1};
            held                = tree[k];
        }
    }
}

static bool cut_tasks(cd_block_ldl* F)
{
    const int n     = F->nblock;
    double*   tree  = cd_allocate((size_t)n + 1, sizeof *tree); // work of the subtree below a column
    int*      count = cd_allocate((size_t)n + 1, sizeof *count);
    F->task         = cd_allocate((size_t)n, sizeof *F->task);
    F->above        = cd_allocate((size_t)n, sizeof *F->above);
    const bool good = tree && count && F->task && F->above;
    for (int k = 0; good && k < n; ++k) {
        const int parent = F->column[k].entry < F->column[k + 1].entry ? F->below[F->column[k].entry].row : n;
        tree[k] += work_of(F, k);
        tree[parent] += tree[k];
        count[parent] += ++count[k];
    }
    if (good) {
        F->work = tree[n];
        cut_runs(F, tree, count);
    }
    free(tree), free(count);
    return good;
}

static bool build(cd_block_ldl* F, const cd_block_pattern* p, const cd_block_columns* L, const int* order)
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
    if (!place_blocks(F, L, order) || !list_gathers(F)) return false;
    place_triangles(F);
    mark_fill(F, p);
    find_targets(F);
    return cut_tasks(F);
}

bool cd_block_analyse(cd_block_ldl* F, const cd_block_pattern* p, const int* order)
{
    cd_block_columns L    = {0};
    int*             post = cd_allocate((size_t)p->nblock, sizeof *post);
    *F                    = (cd_block_ldl){0};
    if (post) memcpy(post, order, (size_t)p->nblock * sizeof *post);
    const bool good =
        post && cd_block_postorder(p, post) && cd_block_columns_of(p, post, 1e300, &L) && build(F, p, &L, post);
    cd_block_columns_release(&L);
    free(post);
    return good;
}

void cd_block_release(cd_block_ldl* F)
{
    void* const all[] = {F->size, F->scalar, F->position, F->column, F->below, F->gather, F->target, F->task, F->above};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
    *F = (cd_block_ldl){0};
}

void cd_block_layout(cd_block_ldl* F, cd_arena* arena)
{
    CD_TAKE(arena, F->value, F->nvalue);
    CD_TAKE(arena, F->inverse, F->nslot);
    CD_TAKE(arena, F->lower, F->nlower);
    CD_TAKE(arena, F->t, 2 * (size_t)F->nslot);
    CD_TAKE(arena, F->taken, F->nscalar);
    CD_TAKE(arena, F->null, F->nscalar);
    CD_TAKE(arena, F->held, F->nblock);
    CD_TAKE(arena, F->turn, F->nscalar);
    CD_TAKE(arena, F->met, F->ntask + 1);
}

static int entry_of(const cd_block_ldl* F, int a, int b)
{
    const int pa = F->position[a], pb = F->position[b];
    return pa < pb ? find_entry(F, pa, pb) : find_entry(F, pb, pa);
}

void cd_block_cover(cd_block_ldl* F, int a, int b) { F->below[entry_of(F, a, b)].covered = true; }
bool cd_block_is_kept(const cd_block_ldl* F, int a, int b)
{
    return F->below[entry_of(F, a, b)].covered && !F->below[entry_of(F, a, b)].filled;
}

cd_block_place cd_block_find(const cd_block_ldl* F, int a, int b)
{
    const int pa = F->position[a], pb = F->position[b], k = pa < pb ? pa : pb, r = pa < pb ? pb : pa;
    if (pa == pb) return (cd_block_place){F->column[k].at, 1, r_lanes(F->size[a])};
    const int entry = find_entry(F, k, r);
    if (entry < 0) return (cd_block_place){-1, 0, 0};
    const int stride = r_lanes(F->below[entry].rows);
    return pa < pb ? (cd_block_place){F->below[entry].at, stride, 1} : (cd_block_place){F->below[entry].at, 1, stride};
}
