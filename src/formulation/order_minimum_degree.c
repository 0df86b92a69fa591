// SPDX-License-Identifier: BSD-3-Clause
// Minimum degree among the blocks that may go: bodies always, a constraint by one of two rules.
//
//   strict-degree    when all its bodies are gone; degenerates to bodies first at hubs
//   minimum-degree   as soon as it is safe (flat_safe.h), which takes in the joints of leaves, as the tree order does
//
// The graph of what is left is kept as a quotient: eliminated blocks are elements, each the list of blocks it has made
// neighbours. Degrees are sums over elements, upper bounds as in AMD (Amestoy, Davis, Duff 1996), in scalar rows.
#include "formulation/flat_order.h"

#include <stdlib.h>

// Entries looked at, per block, before others are left to find an order.
static const double most_looks = 200;

typedef struct item {
    int *list, n, capacity;
} item;

typedef struct entry {
    int degree, block;
} entry;

typedef struct quotient {
    const cd_flat_graph*    g;
    const cd_block_pattern* p;
    cd_flat_safety*         safety;
    bool                    strict;
    item *                  meets, *elements;              // (nblock) blocks not yet through elements; elements
    item*                   element;                       // (nblock) blocks left of an element
    int *                   weight, *degree, *mark, *left; // left: (nconstraint) bodies still there
    bool*                   gone;
    entry*                  heap;
    int                     nheap, heap_capacity, stamp;
    double                  looks;
    bool                    good;
} quotient;

static void append(quotient* q, item* to, int x)
{
    q->good &= cd_grow((void**)&to->list, &to->capacity, to->n, sizeof(int));
    if (q->good) to->list[to->n++] = x;
}

static bool before(entry a, entry b) { return a.degree < b.degree || (a.degree == b.degree && a.block < b.block); }

static void push(quotient* q, int block)
{
    q->good &= cd_grow((void**)&q->heap, &q->heap_capacity, q->nheap, sizeof *q->heap);
    if (!q->good) return;
    const entry e = {q->degree[block], block};
    int         i = q->nheap++;
    for (; i > 0 && before(e, q->heap[(i - 1) / 2]); i = (i - 1) / 2) q->heap[i] = q->heap[(i - 1) / 2];
    q->heap[i] = e;
}

static entry pop(quotient* q)
{
    const entry top = q->heap[0], last = q->heap[--q->nheap];
    int         i = 0;
    for (int c = 1; c < q->nheap; c = 2 * i + 1) {
        if (c + 1 < q->nheap && before(q->heap[c + 1], q->heap[c])) ++c;
        if (!before(q->heap[c], last)) break;
        q->heap[i] = q->heap[c];
        i          = c;
    }
    if (q->nheap > 0) q->heap[i] = last;
    return top;
}

static bool may_go(const quotient* q, int block)
{
    if (block < q->g->nbody) return true;
    return q->strict ? q->left[block - q->g->nbody] == 0 : cd_safety_allows(q->safety, block - q->g->nbody);
}

// Blocks that p meets when it leaves, into its element; the elements it belonged to are absorbed.
static void form_element(quotient* q, int p)
{
    item*     L     = &q->element[p];
    const int stamp = ++q->stamp;
    q->mark[p]      = stamp;
    for (int i = 0; i < q->meets[p].n; ++i) {
        const int b = q->meets[p].list[i];
        if (q->gone[b] || q->mark[b] == stamp) continue;
        q->mark[b] = stamp;
        append(q, L, b);
    }
    for (int k = 0; k < q->elements[p].n; ++k) {
        const int e = q->elements[p].list[k];
        q->looks += q->element[e].n;
        for (int i = 0; i < q->element[e].n; ++i) {
            const int b = q->element[e].list[i];
            if (q->gone[b] || q->mark[b] == stamp) continue;
            q->mark[b] = stamp;
            append(q, L, b);
        }
        free(q->element[e].list);
        q->element[e] = (item){0};
        q->weight[e]  = -1; // absorbed
    }
    q->weight[p] = 0;
    for (int i = 0; i < L->n; ++i) q->weight[p] += q->p->size[L->list[i]];
}

// Block b of the new element p: lists without what p has taken over, and its degree.
static void update_block(quotient* q, int b, int p)
{
    item *meets = &q->meets[b], *elements = &q->elements[b];
    int   n = 0, degree = q->weight[p] - q->p->size[b];
    q->looks += meets->n + elements->n;
    for (int i = 0; i < meets->n; ++i) {
        const int other = meets->list[i];
        if (q->gone[other] || q->mark[other] == q->stamp) continue;
        meets->list[n++] = other;
        degree += q->p->size[other];
    }
    meets->n = n;
    n        = 0;
    for (int i = 0; i < elements->n; ++i) {
        const int e = elements->list[i];
        if (q->weight[e] < 0) continue;
        elements->list[n++] = e;
        degree += q->weight[e] - q->p->size[b];
    }
    elements->n = n;
    append(q, elements, p);
    q->degree[b] = degree;
    if (may_go(q, b)) push(q, b);
}

static void eliminate(quotient* q, int p)
{
    const cd_flat_graph* g = q->g;
    q->gone[p]             = true;
    cd_safety_eliminate(q->safety, p);
    for (int i = p < g->nbody ? g->start[p] : 0; p < g->nbody && i < g->start[p + 1]; ++i) --q->left[g->list[i]];
    // elements lose the weight of p
    for (int k = 0; k < q->elements[p].n; ++k) q->weight[q->elements[p].list[k]] -= q->p->size[p];
    form_element(q, p);
    for (int i = 0; q->good && i < q->element[p].n; ++i) update_block(q, q->element[p].list[i], p);
    free(q->meets[p].list), free(q->elements[p].list);
    q->meets[p] = q->elements[p] = (item){0};
    // constraints on zero rows, or on bodies without neighbours, meet nothing and are released here
    for (int i = p < g->nbody ? g->start[p] : 0; p < g->nbody && i < g->start[p + 1]; ++i) {
        const int c = g->nbody + g->list[i];
        if (!q->gone[c] && q->p->size[c] == 0 && may_go(q, c)) push(q, c);
    }
}

static bool begin(quotient* q)
{
    const size_t n = (size_t)q->p->nblock;
    q->safety      = cd_safety_begin(q->g);
    q->meets       = cd_allocate(n, sizeof *q->meets);
    q->elements    = cd_allocate(n, sizeof *q->elements);
    q->element     = cd_allocate(n, sizeof *q->element);
    q->weight      = cd_allocate(n, sizeof *q->weight);
    q->degree      = cd_allocate(n, sizeof *q->degree);
    q->mark        = cd_allocate(n, sizeof *q->mark);
    q->gone        = cd_allocate(n, sizeof *q->gone);
    q->left        = cd_allocate((size_t)q->g->nconstraint, sizeof *q->left);
    q->good =
        q->safety && q->meets && q->elements && q->element && q->weight && q->degree && q->mark && q->gone && q->left;
    if (!q->good) return false;
    for (int e = 0; e < q->p->nedge; ++e)
        for (int k = 0; k < 2; ++k) {
            const int a = q->p->edge[e][k], b = q->p->edge[e][1 - k];
            if (q->p->size[a] == 0 || q->p->size[b] == 0) continue;
            append(q, &q->meets[a], b);
            q->degree[a] += q->p->size[b];
        }
    for (int c = 0; c < q->g->nconstraint; ++c) q->left[c] = q->g->first[c + 1] - q->g->first[c];
    for (int b = 0; q->good && b < q->p->nblock; ++b)
        if (may_go(q, b)) push(q, b);
    return q->good;
}

static void end(quotient* q)
{
    for (int b = 0; b < q->p->nblock; ++b) {
        if (q->meets) free(q->meets[b].list);
        if (q->elements) free(q->elements[b].list);
        if (q->element) free(q->element[b].list);
    }
    cd_safety_end(q->safety);
    free(q->meets), free(q->elements), free(q->element), free(q->weight), free(q->degree), free(q->mark), free(q->gone),
        free(q->left);
    free(q->heap);
}

static cd_order_made make(const cd_flat_graph* g, const cd_block_pattern* p, bool strict, int* order)
{
    quotient q     = {.g = g, .p = p, .strict = strict};
    int      count = 0;
    bool     dear  = false;
    if (begin(&q))
        while (q.good && q.nheap > 0 && !dear) {
            const entry e = pop(&q);
            if (q.gone[e.block] || e.degree != q.degree[e.block] || !may_go(&q, e.block)) continue;
            order[count++] = e.block;
            eliminate(&q, e.block);
            dear = q.looks > most_looks * p->nblock;
        }
    const bool good = q.good;
    end(&q);
    if (!good) return CD_ORDER_FAILED;
    return count == p->nblock && !dear ? CD_ORDER_MADE : CD_ORDER_GIVEN_UP;
}

static cd_order_made make_strict(const cd_flat_graph* g, const cd_block_pattern* p, int* order)
{
    return make(g, p, true, order);
}
static cd_order_made make_safe(const cd_flat_graph* g, const cd_block_pattern* p, int* order)
{
    return make(g, p, false, order);
}

const cd_flat_order cd_order_strict_degree = {
    "strict-degree", "minimum degree, a constraint once all its bodies are gone", make_strict, .jumps = true};
const cd_flat_order cd_order_minimum_degree = {"minimum-degree", "minimum degree, a constraint as soon as it is safe",
                                               make_safe, .jumps = true};
