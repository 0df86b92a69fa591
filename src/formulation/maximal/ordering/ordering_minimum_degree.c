// SPDX-License-Identifier: BSD-3-Clause
// Minimum degree among the blocks that may be eliminated: bodies always, a constraint by one of two rules.
//
//   strict-degree    after all its bodies; becomes bodies first at hubs
//   minimum-degree   as soon as it is safe (ordering_safety.h), which includes joints of leaves, as in the tree order
//
// The remaining graph is stored as a quotient graph: eliminated blocks are elements, each a list of the blocks that it
// has made adjacent. Degrees are sums over elements, upper bounds as in AMD (Amestoy, Davis, Duff 1996), in scalar
// rows.
#include "formulation/formulation_tolerances.h"
#include "formulation/maximal/ordering/ordering.h"
#include "math/min_heap.h"

#include <stdlib.h>

typedef struct int_list {
    int *list, n, capacity;
} int_list;

typedef struct quotient_graph {
    const cd_kkt_graph*     g;
    const cd_block_pattern* p;
    cd_order_safety*        safety;
    bool                    strict;
    int_list *              neighbours, *elements_of; // (nblock) adjacent blocks not covered by elements; elements
    int_list*               element;                  // (nblock) remaining blocks of an element
    int *                   weight, *degree, *mark, *nbody_remaining; // (nconstraint) bodies not yet eliminated
    bool*                   is_eliminated;
    cd_min_heap             heap; // blocks by degree
    int                     stamp;
    double                  nvisited;
    bool                    has_memory;
} quotient_graph;

static void append(quotient_graph* q, int_list* to, int x)
{
    q->has_memory &= cd_array_grow((void**)&to->list, &to->capacity, to->n, sizeof(int));
    if (q->has_memory) to->list[to->n++] = x;
}

static void push(quotient_graph* q, int block)
{
    q->has_memory = q->has_memory && cd_min_heap_push(&q->heap, q->degree[block], block);
}

static bool can_eliminate(const quotient_graph* q, int block)
{
    if (block < q->g->nbody) return true;
    return q->strict ? q->nbody_remaining[block - q->g->nbody] == 0
                     : cd_order_safety_allows(q->safety, block - q->g->nbody);
}

// Form the element of p from the blocks adjacent to it; the elements it belonged to are absorbed.
static void form_element(quotient_graph* q, int p)
{
    int_list* L     = &q->element[p];
    const int stamp = ++q->stamp;
    q->mark[p]      = stamp;
    for (int i = 0; i < q->neighbours[p].n; ++i) {
        const int b = q->neighbours[p].list[i];
        if (q->is_eliminated[b] || q->mark[b] == stamp) continue;
        q->mark[b] = stamp;
        append(q, L, b);
    }
    for (int k = 0; k < q->elements_of[p].n; ++k) {
        const int e = q->elements_of[p].list[k];
        q->nvisited += q->element[e].n;
        for (int i = 0; i < q->element[e].n; ++i) {
            const int b = q->element[e].list[i];
            if (q->is_eliminated[b] || q->mark[b] == stamp) continue;
            q->mark[b] = stamp;
            append(q, L, b);
        }
        free(q->element[e].list);
        q->element[e] = (int_list){0};
        q->weight[e]  = -1; // absorbed
    }
    q->weight[p] = 0;
    for (int i = 0; i < L->n; ++i) q->weight[p] += q->p->size[L->list[i]];
}

// Update block b of the new element p: remove from its lists what p covers, and compute its degree.
static void update_block(quotient_graph* q, int b, int p)
{
    int_list *neighbours = &q->neighbours[b], *elements = &q->elements_of[b];
    int       n = 0, degree = q->weight[p] - q->p->size[b];
    q->nvisited += neighbours->n + elements->n;
    for (int i = 0; i < neighbours->n; ++i) {
        const int other = neighbours->list[i];
        if (q->is_eliminated[other] || q->mark[other] == q->stamp) continue;
        neighbours->list[n++] = other;
        degree += q->p->size[other];
    }
    neighbours->n = n;
    n             = 0;
    for (int i = 0; i < elements->n; ++i) {
        const int e = elements->list[i];
        if (q->weight[e] < 0) continue;
        elements->list[n++] = e;
        degree += q->weight[e] - q->p->size[b];
    }
    elements->n = n;
    append(q, elements, p);
    q->degree[b] = degree;
    if (can_eliminate(q, b)) push(q, b);
}

static void eliminate(quotient_graph* q, int p)
{
    const cd_kkt_graph* g = q->g;
    q->is_eliminated[p]   = true;
    cd_order_safety_eliminate(q->safety, p);
    for (int i = p < g->nbody ? g->constraint_start[p] : 0; p < g->nbody && i < g->constraint_start[p + 1]; ++i)
        --q->nbody_remaining[g->constraint[i]];
    // elements lose the weight of p
    for (int k = 0; k < q->elements_of[p].n; ++k) q->weight[q->elements_of[p].list[k]] -= q->p->size[p];
    form_element(q, p);
    for (int i = 0; q->has_memory && i < q->element[p].n; ++i) update_block(q, q->element[p].list[i], p);
    free(q->neighbours[p].list), free(q->elements_of[p].list);
    q->neighbours[p] = q->elements_of[p] = (int_list){0};
    // constraints without rows, or on bodies without neighbours, are adjacent to nothing and are released here
    for (int i = p < g->nbody ? g->constraint_start[p] : 0; p < g->nbody && i < g->constraint_start[p + 1]; ++i) {
        const int c = g->nbody + g->constraint[i];
        if (!q->is_eliminated[c] && q->p->size[c] == 0 && can_eliminate(q, c)) push(q, c);
    }
}

static bool quotient_init(quotient_graph* q)
{
    const size_t n     = (size_t)q->p->nblock;
    q->safety          = cd_order_safety_create(q->g);
    q->neighbours      = cd_allocate(n, sizeof *q->neighbours);
    q->elements_of     = cd_allocate(n, sizeof *q->elements_of);
    q->element         = cd_allocate(n, sizeof *q->element);
    q->weight          = cd_allocate(n, sizeof *q->weight);
    q->degree          = cd_allocate(n, sizeof *q->degree);
    q->mark            = cd_allocate(n, sizeof *q->mark);
    q->is_eliminated   = cd_allocate(n, sizeof *q->is_eliminated);
    q->nbody_remaining = cd_allocate((size_t)q->g->nconstraint, sizeof *q->nbody_remaining);
    q->has_memory = q->safety && q->neighbours && q->elements_of && q->element && q->weight && q->degree && q->mark &&
                    q->is_eliminated && q->nbody_remaining;
    if (!q->has_memory) return false;
    for (int e = 0; e < q->p->nedge; ++e)
        for (int k = 0; k < 2; ++k) {
            const int a = q->p->edge[e][k], b = q->p->edge[e][1 - k];
            if (q->p->size[a] == 0 || q->p->size[b] == 0) continue;
            append(q, &q->neighbours[a], b);
            q->degree[a] += q->p->size[b];
        }
    for (int c = 0; c < q->g->nconstraint; ++c) q->nbody_remaining[c] = q->g->body_start[c + 1] - q->g->body_start[c];
    for (int b = 0; q->has_memory && b < q->p->nblock; ++b)
        if (can_eliminate(q, b)) push(q, b);
    return q->has_memory;
}

static void quotient_destroy(quotient_graph* q)
{
    for (int b = 0; b < q->p->nblock; ++b) {
        if (q->neighbours) free(q->neighbours[b].list);
        if (q->elements_of) free(q->elements_of[b].list);
        if (q->element) free(q->element[b].list);
    }
    cd_order_safety_destroy(q->safety);
    free(q->neighbours), free(q->elements_of), free(q->element), free(q->weight), free(q->degree), free(q->mark),
        free(q->is_eliminated), free(q->nbody_remaining);
    free(q->heap.entry);
}

static cd_ordering_status compute(const cd_kkt_graph* g, const cd_block_pattern* p, bool strict, int* order)
{
    quotient_graph q             = {.g = g, .p = p, .strict = strict};
    int            count         = 0;
    bool           is_too_costly = false;
    if (quotient_init(&q))
        while (q.has_memory && q.heap.count > 0 && !is_too_costly) {
            const cd_heap_entry e = cd_min_heap_pop(&q.heap);
            if (q.is_eliminated[e.item] || e.key != q.degree[e.item] || !can_eliminate(&q, e.item)) continue;
            order[count++] = e.item;
            eliminate(&q, e.item);
            is_too_costly = q.nvisited > cd_order_visits_per_block_max * p->nblock;
        }
    const bool good = q.has_memory;
    quotient_destroy(&q);
    if (!good) return CD_ORDERING_NO_MEMORY;
    return count == p->nblock && !is_too_costly ? CD_ORDERING_OK : CD_ORDERING_TOO_COSTLY;
}

static cd_ordering_status compute_strict(const cd_kkt_graph* g, const cd_block_pattern* p, int* order)
{
    return compute(g, p, true, order);
}
static cd_ordering_status compute_safe(const cd_kkt_graph* g, const cd_block_pattern* p, int* order)
{
    return compute(g, p, false, order);
}

const cd_ordering cd_ordering_strict_degree  = {"strict-degree", "minimum degree, a constraint after all its bodies",
                                                compute_strict, .is_nonlocal = true};
const cd_ordering cd_ordering_minimum_degree = {"minimum-degree", "minimum degree, a constraint as soon as it is safe",
                                                compute_safe, .is_nonlocal = true};
