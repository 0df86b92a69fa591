// SPDX-License-Identifier: BSD-3-Clause
// Pattern of L by merging columns along the elimination tree, cost of an order, and postorder.
//
//   struct(k) = neighbours of k eliminated later, and struct(c) minus k for every c whose first entry is k
#include "math/block_ldl/block_pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct adjacency {
    int *start, *list;
} adjacency;

bool cd_block_add_edge(cd_block_edge_list* e, int a, int b)
{
    if (!cd_array_grow((void**)&e->edge, &e->capacity, e->count, sizeof *e->edge)) return false;
    e->edge[e->count][0]   = a;
    e->edge[e->count++][1] = b;
    return true;
}

static bool is_edge_used(const cd_block_pattern* p, int e)
{
    return p->size[p->edge[e][0]] > 0 && p->size[p->edge[e][1]] > 0;
}

static bool build_adjacency(const cd_block_pattern* p, adjacency* a)
{
    a->start = cd_allocate((size_t)p->nblock + 2, sizeof(int));
    a->list  = cd_allocate(2 * (size_t)p->nedge, sizeof(int));
    if (!a->start || !a->list) return false;
    for (int e = 0; e < p->nedge; ++e)
        for (int k = 0; k < 2 && is_edge_used(p, e); ++k) ++a->start[p->edge[e][k] + 2];
    for (int i = 0; i < p->nblock; ++i) a->start[i + 2] += a->start[i + 1];
    for (int e = 0; e < p->nedge; ++e)
        for (int k = 0; k < 2 && is_edge_used(p, e); ++k) a->list[a->start[p->edge[e][k] + 1]++] = p->edge[e][1 - k];
    return true;
}

static int compare_int(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

// Most columns are short: insertion sort up to 32 entries.
static void sort_int(int* list, int n)
{
    if (n > 32) {
        qsort(list, (size_t)n, sizeof *list, compare_int);
        return;
    }
    for (int i = 1; i < n; ++i) {
        const int x = list[i];
        int       k = i;
        for (; k > 0 && list[k - 1] > x; --k) list[k] = list[k - 1];
        list[k] = x;
    }
}

typedef struct merge_context {
    adjacency a;
    int *     position, *child, *sibling, *mark; // child, sibling: lists of columns whose first entry is k
} merge_context;

static bool add_row(cd_block_factor_pattern* L, int* mark, int k, int r, int* count)
{
    if (r <= k || mark[r] == k) return true;
    mark[r] = k;
    if (!cd_array_grow((void**)&L->row, &L->capacity, *count, sizeof(int))) return false;
    L->row[(*count)++] = r;
    return true;
}

// Compute column k from the columns before it.
static bool merge_column(const merge_context* w, const int* order, int k, cd_block_factor_pattern* L)
{
    const adjacency* a     = &w->a;
    int              count = L->start[k];
    for (int i = a->start[order[k]]; i < a->start[order[k] + 1]; ++i)
        if (!add_row(L, w->mark, k, w->position[a->list[i]], &count)) return false;
    for (int c = w->child[k]; c >= 0; c = w->sibling[c])
        for (int i = L->start[c]; i < L->start[c + 1]; ++i)
            if (!add_row(L, w->mark, k, L->row[i], &count)) return false;
    L->start[k + 1] = count;
    if (count == L->start[k]) return true;
    sort_int(L->row + L->start[k], count - L->start[k]);
    const int first = L->row[L->start[k]];
    w->sibling[k]   = w->child[first];
    w->child[first] = k;
    return true;
}

bool cd_block_factor_pattern_compute(const cd_block_pattern* p, const int* order, double max_pairs,
                                     cd_block_factor_pattern* L)
{
    const int     n     = p->nblock;
    merge_context w     = {0};
    double        pairs = 0;
    w.position          = cd_allocate((size_t)n, sizeof(int));
    w.child             = cd_allocate((size_t)n, sizeof(int));
    w.sibling           = cd_allocate((size_t)n, sizeof(int));
    w.mark              = cd_allocate((size_t)n, sizeof(int));
    *L                  = (cd_block_factor_pattern){.n = n, .start = cd_allocate((size_t)n + 1, sizeof(int))};
    bool good           = build_adjacency(p, &w.a) && w.position && w.child && w.sibling && w.mark && L->start;
    for (int k = 0; good && k < n; ++k) {
        w.position[order[k]] = k;
        w.child[k] = w.sibling[k] = w.mark[k] = -1;
    }
    for (int k = 0; good && k < n; ++k) {
        good                 = merge_column(&w, order, k, L);
        const double entries = good ? L->start[k + 1] - L->start[k] : 0;
        pairs += 0.5 * entries * (entries + 1);
        L->is_too_costly = pairs > max_pairs;
        good             = good && !L->is_too_costly;
    }
    free(w.a.start), free(w.a.list), free(w.position), free(w.child), free(w.sibling), free(w.mark);
    return good;
}

void cd_block_factor_pattern_release(cd_block_factor_pattern* L)
{
    free(L->start), free(L->row);
    *L = (cd_block_factor_pattern){0};
}

bool cd_block_cost_compute(const cd_block_pattern* p, const int* order, double max_pairs, cd_block_cost* cost)
{
    cd_block_factor_pattern L;
    double*    longest_path = cd_allocate((size_t)p->nblock, sizeof *longest_path); // from a leaf to a column
    const bool good         = longest_path && cd_block_factor_pattern_compute(p, order, max_pairs, &L);
    *cost                   = (cd_block_cost){0};
    for (int k = 0; good && k < p->nblock; ++k) {
        const int s     = p->size[order[k]];
        double    below = 0, squares = 0;
        for (int i = L.start[k]; i < L.start[k + 1]; ++i) {
            const double r = p->size[order[L.row[i]]];
            below += r;
            squares += r * r;
        }
        // diagonal block, triangular solves and scaling of the column, products of all pairs of its blocks
        const double work = s * s * (s + 1) / 6.0 + below * s * (s + 1) / 2.0 + s * (below * below + squares) / 2.0;
        cost->multiplications += work;
        longest_path[k] += work;
        if (longest_path[k] > cost->critical_path) cost->critical_path = longest_path[k];
        if (L.start[k + 1] == L.start[k]) continue;
        const int parent = L.row[L.start[k]];
        if (longest_path[k] > longest_path[parent]) longest_path[parent] = longest_path[k];
    }
    const bool is_too_costly = longest_path && L.is_too_costly;
    if (is_too_costly) *cost = (cd_block_cost){INFINITY, INFINITY};
    if (longest_path) cd_block_factor_pattern_release(&L);
    free(longest_path);
    return good || is_too_costly;
}

// Sort key of a column among the children of its parent. Subtrees that are small compared with the largest come last,
// so that they are near the column that they update; the others follow the order of their blocks, so that a sweep over
// the columns accesses the blocks in sequence.
typedef struct sibling_key {
    int  column, parent;
    int  min_block, ncolumn; // smallest block, and number of columns, of its subtree
    int  max_child_ncolumn;  // largest number of columns among its children
    bool is_small;
} sibling_key;

enum { SMALL_SUBTREE_RATIO = 4 }; // ratio of the columns of the largest sibling subtree to those of a small one

static int compare_sibling_keys(const void* one, const void* two)
{
    const sibling_key *a = one, *b = two;
    if (a->parent != b->parent) return a->parent < b->parent ? -1 : 1;
    if (a->is_small != b->is_small) return a->is_small ? 1 : -1;
    return a->min_block < b->min_block ? -1 : a->min_block > b->min_block;
}

// Sort (n + 1) keys, the last that of the parent of the roots; children of one parent are consecutive.
static void sort_siblings(const cd_block_factor_pattern* L, const int* order, sibling_key* of)
{
    const int n = L->n;
    for (int k = 0; k <= n; ++k) of[k] = (sibling_key){.column = k, .parent = n, .min_block = k < n ? order[k] : 0};
    for (int k = 0; k < n; ++k) {
        sibling_key* const parent = &of[L->start[k + 1] > L->start[k] ? L->row[L->start[k]] : n];
        of[k].parent              = parent->column;
        parent->ncolumn += ++of[k].ncolumn;
        if (of[k].min_block < parent->min_block) parent->min_block = of[k].min_block;
        if (of[k].ncolumn > parent->max_child_ncolumn) parent->max_child_ncolumn = of[k].ncolumn;
    }
    for (int k = 0; k < n; ++k)
        of[k].is_small = of[k].ncolumn * (double)SMALL_SUBTREE_RATIO < of[of[k].parent].max_child_ncolumn;
    qsort(of, (size_t)n, sizeof *of, compare_sibling_keys);
}

bool cd_block_postorder(const cd_block_pattern* p, int* order)
{
    const int               n = p->nblock;
    cd_block_factor_pattern L;
    sibling_key*            of      = cd_allocate((size_t)n + 1, sizeof *of);
    int*                    child   = cd_allocate((size_t)n + 1, sizeof(int)); // [n]: the roots
    int*                    sibling = cd_allocate((size_t)n + 1, sizeof(int));
    int*                    before  = cd_allocate((size_t)n, sizeof(int));
    bool good = cd_block_factor_pattern_compute(p, order, 1e300, &L) && of && child && sibling && before;
    if (good) {
        memcpy(before, order, (size_t)n * sizeof *before);
        sort_siblings(&L, order, of);
        for (int k = 0; k <= n; ++k) child[k] = -1;
        for (int i = n - 1; i >= 0; --i) {
            sibling[of[i].column] = child[of[i].parent];
            child[of[i].parent]   = of[i].column;
        }
        // descend to the first leaf; then every column follows its last child, and its parent is the first entry of L
        int at = 0, k = child[n];
        while (k >= 0) {
            while (child[k] >= 0) {
                const int c = child[k];
                child[k]    = -1; // visited from here on
                k           = c;
            }
            order[at++] = before[k];
            if (sibling[k] >= 0)
                k = sibling[k];
            else
                k = L.start[k + 1] > L.start[k] ? L.row[L.start[k]] : -1;
        }
    }
    cd_block_factor_pattern_release(&L);
    free(of), free(child), free(sibling), free(before);
    return good;
}
