// SPDX-License-Identifier: BSD-3-Clause
// Symbolic phase of the block LDL': pattern of L by merging columns along the elimination tree, where each update goes, and what
// an order costs before it is taken.
//
//   struct(k) = neighbours of k eliminated later, and struct(c) minus k for every c whose first entry is k
#include "formulation/block_ldl.h"

#include <stdlib.h>
#include <string.h>

// Columns of L as growing lists of positions.
typedef struct columns {
    int*  start;  // (n + 1)
    int*  row;
    int   capacity;
    int   n;
} columns;

typedef struct adjacency {
    int *start, *list;
} adjacency;

static bool neighbours(const cd_block_pattern* p, adjacency* a)
{
    a->start = cd_allocate((size_t)p->nblock + 1, sizeof(int));
    a->list  = cd_allocate(2 * (size_t)p->nedge, sizeof(int));
    if (!a->start || !a->list) return false;
    for (int e = 0; e < p->nedge; ++e)
        for (int k = 0; k < 2; ++k) ++a->start[p->edge[e][k] + 1];
    for (int i = 0; i < p->nblock; ++i) a->start[i + 1] += a->start[i];
    int* next = cd_allocate((size_t)p->nblock, sizeof(int));
    if (!next) return false;
    memcpy(next, a->start, (size_t)p->nblock * sizeof(int));
    for (int e = 0; e < p->nedge; ++e)
        for (int k = 0; k < 2; ++k) a->list[next[p->edge[e][k]]++] = p->edge[e][1 - k];
    free(next);
    return true;
}

static int ascending(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

// Pattern of L. `most` bounds the pairs of entries in all columns; more is a refusal.
static bool pattern_of_L(const cd_block_pattern* p, const int* order, double most, columns* L)
{
    const int n = p->nblock;
    adjacency a = {0};
    int*      position = cd_allocate((size_t)n, sizeof(int));
    int*      child    = cd_allocate((size_t)n, sizeof(int));  // lists of columns whose first entry is k
    int*      sibling  = cd_allocate((size_t)n, sizeof(int));
    int*      mark     = cd_allocate((size_t)n, sizeof(int));
    double    pairs    = 0;
    *L                 = (columns){.n = n, .start = cd_allocate((size_t)n + 1, sizeof(int))};
    bool good          = neighbours(p, &a) && position && child && sibling && mark && L->start;
    for (int k = 0; good && k < n; ++k) {
        position[order[k]] = k;
        child[k] = sibling[k] = mark[k] = -1;
    }
    for (int k = 0; good && k < n; ++k) {
        int count = L->start[k];
        mark[k]   = k;
        for (int i = a.start[order[k]]; good && i < a.start[order[k] + 1]; ++i) {
            const int r = position[a.list[i]];
            if (r <= k || mark[r] == k) continue;
            mark[r] = k;
            good    = cd_grow((void**)&L->row, &L->capacity, count, sizeof(int));
            if (good) L->row[count++] = r;
        }
        for (int c = child[k]; good && c >= 0; c = sibling[c])
            for (int i = L->start[c]; good && i < L->start[c + 1]; ++i) {
                const int r = L->row[i];
                if (mark[r] == k) continue;
                mark[r] = k;
                good    = cd_grow((void**)&L->row, &L->capacity, count, sizeof(int));
                if (good) L->row[count++] = r;
            }
        if (!good) break;
        L->start[k + 1] = count;
        const int entries = count - L->start[k];
        pairs += 0.5 * entries * (entries + 1);
        good = pairs <= most;
        if (entries == 0) continue;
        qsort(L->row + L->start[k], (size_t)entries, sizeof(int), ascending);
        const int first = L->row[L->start[k]];
        sibling[k]      = child[first];
        child[first]    = k;
    }
    free(a.start), free(a.list), free(position), free(child), free(sibling), free(mark);
    return good;
}

static void free_columns(columns* L) { free(L->start), free(L->row); }

double cd_block_cost(const cd_block_pattern* p, const int* order, double most)
{
    columns L;
    double  cost = 0;
    if (!pattern_of_L(p, order, most, &L)) cost = -1;
    for (int k = 0; cost >= 0 && k < p->nblock; ++k) {
        const int s = p->size[order[k]];
        double    below = 0, squares = 0;
        for (int i = L.start[k]; i < L.start[k + 1]; ++i) {
            const double r = p->size[order[L.row[i]]];
            below += r;
            squares += r * r;
        }
        // diagonal block, triangular solves and scaling of the column, products of all pairs of its blocks
        cost += s * s * (s + 1) / 6.0 + below * s * (s + 1) / 2.0 + s * (below * below + squares) / 2.0;
    }
    free_columns(&L);
    return cost;
}

// Entry of column k at position r.
static int find_entry(const cd_block_ldl* F, int k, int r)
{
    int low = F->start[k], high = F->start[k + 1] - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (F->row[middle] < r) low = middle + 1;
        else high = middle;
    }
    return low;
}

static bool place_blocks(cd_block_ldl* F)
{
    const int n = F->nblock;
    F->offset   = cd_allocate((size_t)F->start[n], sizeof(size_t));
    F->diagonal = cd_allocate((size_t)n, sizeof(size_t));
    F->pair     = cd_allocate((size_t)n + 1, sizeof(size_t));
    if (!F->offset || !F->diagonal || !F->pair) return false;
    size_t next = 0;
    for (int k = 0; k < n; ++k) {
        const size_t s = (size_t)F->size[F->order[k]];
        F->diagonal[k] = next;
        next += s * s;
        for (int i = F->start[k]; i < F->start[k + 1]; ++i) {
            F->offset[i] = next;
            next += s * (size_t)F->size[F->order[F->row[i]]];
        }
        const size_t entries = (size_t)(F->start[k + 1] - F->start[k]);
        F->pair[k + 1]       = F->pair[k] + entries * (entries + 1) / 2;
    }
    F->nvalue = next;
    F->target = cd_allocate(F->pair[n], sizeof(size_t));
    return F->target != NULL;
}

static void find_targets(cd_block_ldl* F)
{
    for (int k = 0; k < F->nblock; ++k) {
        size_t* t = F->target + F->pair[k];
        for (int j = F->start[k]; j < F->start[k + 1]; ++j) {
            *t++ = F->diagonal[F->row[j]];
            int at = j + 1 < F->start[k + 1] ? find_entry(F, F->row[j], F->row[j + 1]) : 0;
            for (int i = j + 1; i < F->start[k + 1]; ++i) {
                while (F->row[at] != F->row[i]) ++at;
                *t++ = F->offset[at];
            }
        }
    }
}

bool cd_block_analyse(cd_block_ldl* F, const cd_block_pattern* p, const int* order)
{
    columns   L;
    const int n = p->nblock;
    *F          = (cd_block_ldl){.nblock = n};
    F->size     = cd_allocate((size_t)n, sizeof(int));
    F->scalar   = cd_allocate((size_t)n, sizeof(int));
    F->order    = cd_allocate((size_t)n, sizeof(int));
    F->position = cd_allocate((size_t)n, sizeof(int));
    const bool good = pattern_of_L(p, order, 1e300, &L);
    F->start = L.start;
    F->row   = L.row;
    if (!good || !F->size || !F->scalar || !F->order || !F->position) return false;
    for (int i = 0; i < n; ++i) {
        F->size[i]             = p->size[i];
        F->scalar[i]           = F->nscalar;
        F->nscalar            += p->size[i];
        F->order[i]            = order[i];
        F->position[order[i]] = i;
    }
    if (!place_blocks(F)) return false;
    find_targets(F);
    return true;
}

void cd_block_release(cd_block_ldl* F)
{
    void* const all[] = {F->size, F->scalar, F->order, F->position, F->start, F->row, F->offset, F->diagonal, F->target, F->pair};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
    *F = (cd_block_ldl){0};
}
