// SPDX-License-Identifier: BSD-3-Clause
// Pattern of L by merging columns along the elimination tree, what an order costs before it is taken, and the
// postorder.
//
//   struct(k) = neighbours of k eliminated later, and struct(c) minus k for every c whose first entry is k
#include "formulation/block_pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct adjacency {
    int *start, *list;
} adjacency;

bool cd_block_meet(cd_block_edges* e, int a, int b)
{
    if (!cd_grow((void**)&e->list, &e->capacity, e->count, sizeof *e->list)) return false;
    e->list[e->count][0]   = a;
    e->list[e->count++][1] = b;
    return true;
}

static bool meets(const cd_block_pattern* p, int e) { return p->size[p->edge[e][0]] > 0 && p->size[p->edge[e][1]] > 0; }

static bool neighbours(const cd_block_pattern* p, adjacency* a)
{
    a->start = cd_allocate((size_t)p->nblock + 2, sizeof(int));
    a->list  = cd_allocate(2 * (size_t)p->nedge, sizeof(int));
    if (!a->start || !a->list) return false;
    for (int e = 0; e < p->nedge; ++e)
        for (int k = 0; k < 2 && meets(p, e); ++k) ++a->start[p->edge[e][k] + 2];
    for (int i = 0; i < p->nblock; ++i) a->start[i + 2] += a->start[i + 1];
    for (int e = 0; e < p->nedge; ++e)
        for (int k = 0; k < 2 && meets(p, e); ++k) a->list[a->start[p->edge[e][k] + 1]++] = p->edge[e][1 - k];
    return true;
}

static int ascending(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

// Most columns are short.
static void sort(int* list, int n)
{
    if (n > 32) {
        qsort(list, (size_t)n, sizeof *list, ascending);
        return;
    }
    for (int i = 1; i < n; ++i) {
        const int x = list[i];
        int       k = i;
        for (; k > 0 && list[k - 1] > x; --k) list[k] = list[k - 1];
        list[k] = x;
    }
}

typedef struct merging {
    adjacency a;
    int *     position, *child, *sibling, *mark; // child, sibling: lists of columns whose first entry is k
} merging;

static bool add(cd_block_columns* L, int* mark, int k, int r, int* count)
{
    if (r <= k || mark[r] == k) return true;
    mark[r] = k;
    if (!cd_grow((void**)&L->row, &L->capacity, *count, sizeof(int))) return false;
    L->row[(*count)++] = r;
    return true;
}

// Column k; the columns before it are known.
static bool merge_column(const merging* w, const int* order, int k, cd_block_columns* L)
{
    const adjacency* a     = &w->a;
    int              count = L->start[k];
    for (int i = a->start[order[k]]; i < a->start[order[k] + 1]; ++i)
        if (!add(L, w->mark, k, w->position[a->list[i]], &count)) return false;
    for (int c = w->child[k]; c >= 0; c = w->sibling[c])
        for (int i = L->start[c]; i < L->start[c + 1]; ++i)
            if (!add(L, w->mark, k, L->row[i], &count)) return false;
    L->start[k + 1] = count;
    if (count == L->start[k]) return true;
    sort(L->row + L->start[k], count - L->start[k]);
    const int first = L->row[L->start[k]];
    w->sibling[k]   = w->child[first];
    w->child[first] = k;
    return true;
}

bool cd_block_columns_of(const cd_block_pattern* p, const int* order, double most, cd_block_columns* L)
{
    const int n     = p->nblock;
    merging   w     = {0};
    double    pairs = 0;
    w.position      = cd_allocate((size_t)n, sizeof(int));
    w.child         = cd_allocate((size_t)n, sizeof(int));
    w.sibling       = cd_allocate((size_t)n, sizeof(int));
    w.mark          = cd_allocate((size_t)n, sizeof(int));
    *L              = (cd_block_columns){.n = n, .start = cd_allocate((size_t)n + 1, sizeof(int))};
    bool good       = neighbours(p, &w.a) && w.position && w.child && w.sibling && w.mark && L->start;
    for (int k = 0; good && k < n; ++k) {
        w.position[order[k]] = k;
        w.child[k] = w.sibling[k] = w.mark[k] = -1;
    }
    for (int k = 0; good && k < n; ++k) {
        good                 = merge_column(&w, order, k, L);
        const double entries = good ? L->start[k + 1] - L->start[k] : 0;
        pairs += 0.5 * entries * (entries + 1);
        L->dear = pairs > most;
        good    = good && !L->dear;
    }
    free(w.a.start), free(w.a.list), free(w.position), free(w.child), free(w.sibling), free(w.mark);
    return good;
}

void cd_block_columns_release(cd_block_columns* L)
{
    free(L->start), free(L->row);
    *L = (cd_block_columns){0};
}

bool cd_block_cost_of(const cd_block_pattern* p, const int* order, double most, cd_block_cost* cost)
{
    cd_block_columns L;
    double*          way  = cd_allocate((size_t)p->nblock, sizeof *way); // longest from a leaf to here
    const bool       good = way && cd_block_columns_of(p, order, most, &L);
    *cost                 = (cd_block_cost){0};
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
        way[k] += work;
        if (way[k] > cost->critical) cost->critical = way[k];
        if (L.start[k + 1] == L.start[k]) continue;
        const int parent = L.row[L.start[k]];
        if (way[k] > way[parent]) way[parent] = way[k];
    }
    const bool dear = way && L.dear;
    if (dear) *cost = (cd_block_cost){INFINITY, INFINITY};
    if (way) cd_block_columns_release(&L);
    free(way);
    return good || dear;
}

// A column among the children of its parent. Subtrees that are small beside the largest come last, so that they stand
// near what gathers them; the others in the order of their blocks, so that who walks the columns walks the blocks.
typedef struct kin {
    int  column, parent;
    int  lowest, count; // block, and number of columns, of its subtree
    int  largest;       // count among its children
    bool small;
} kin;

enum { SMALL = 4 }; // times less columns

static int by_parent(const void* one, const void* two)
{
    const kin *a = one, *b = two;
    if (a->parent != b->parent) return a->parent < b->parent ? -1 : 1;
    if (a->small != b->small) return a->small ? 1 : -1;
    return a->lowest < b->lowest ? -1 : a->lowest > b->lowest;
}

// (n + 1), the last the parent of the roots; children of one parent follow each other.
static void sort_kin(const cd_block_columns* L, const int* order, kin* of)
{
    const int n = L->n;
    for (int k = 0; k <= n; ++k) of[k] = (kin){.column = k, .parent = n, .lowest = k < n ? order[k] : 0};
    for (int k = 0; k < n; ++k) {
        kin* const parent = &of[L->start[k + 1] > L->start[k] ? L->row[L->start[k]] : n];
        of[k].parent      = parent->column;
        parent->count += ++of[k].count;
        if (of[k].lowest < parent->lowest) parent->lowest = of[k].lowest;
        if (of[k].count > parent->largest) parent->largest = of[k].count;
    }
    for (int k = 0; k < n; ++k) of[k].small = of[k].count * (double)SMALL < of[of[k].parent].largest;
    qsort(of, (size_t)n, sizeof *of, by_parent);
}

bool cd_block_postorder(const cd_block_pattern* p, int* order)
{
    const int        n = p->nblock;
    cd_block_columns L;
    kin*             of      = cd_allocate((size_t)n + 1, sizeof *of);
    int*             child   = cd_allocate((size_t)n + 1, sizeof(int)); // of n: the roots
    int*             sibling = cd_allocate((size_t)n + 1, sizeof(int));
    int*             before  = cd_allocate((size_t)n, sizeof(int));
    bool             good    = cd_block_columns_of(p, order, 1e300, &L) && of && child && sibling && before;
    if (good) {
        memcpy(before, order, (size_t)n * sizeof *before);
        sort_kin(&L, order, of);
        for (int k = 0; k <= n; ++k) child[k] = -1;
        for (int i = n - 1; i >= 0; --i) {
            sibling[of[i].column] = child[of[i].parent];
            child[of[i].parent]   = of[i].column;
        }
        // down to the first leaf; then every column follows its last child. The way back up is the parent: L's first
        // entry.
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
    cd_block_columns_release(&L);
    free(of), free(child), free(sibling), free(before);
    return good;
}
