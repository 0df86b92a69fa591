// SPDX-License-Identifier: BSD-3-Clause
#include "optimize/nlp/block_shape.h"

#include "core/memory.h"
#include "optimize/nlp/fnv_hash.h"

#include <stdlib.h>
#include <string.h>

bool cd_block_shapes_init(cd_block_shapes* all, int nunknown)
{
    *all = (cd_block_shapes){.local_index = cd_allocate((size_t)nunknown + 1, sizeof(int))};
    return all->local_index != NULL;
}

static void free_combination(cd_entry_combination* s)
{
    free(s->pair);
    free(s->first);
    free(s->term);
}

static void free_shape(cd_block_shape* s)
{
    if (!s) return;
    free(s->first);
    free(s->term);
    free_combination(&s->jacobian);
    free_combination(&s->gradient);
    free_combination(&s->hessian);
    free(s);
}

void cd_block_shapes_release(cd_block_shapes* all)
{
    for (int i = 0; i < all->count; ++i) free_shape(all->shape[i]);
    free(all->shape);
    free(all->table);
    free(all->local_index);
}

// ---- entry combinations

// Construction of an entry combination in two passes: count results and terms, then store the terms.
typedef struct combination_builder {
    cd_entry_combination* to;
    int                   width; // row length of `slot`
    int*                  slot;  // 1 + result of a pair, 0: none yet
    int*                  next;  // position of the next term of each result; number of terms in the first pass
    bool                  is_second_pass;
} combination_builder;

static void add_term(combination_builder* w, int row, int column, int entry, double weight)
{
    int* slot = &w->slot[row * w->width + column];
    if (!*slot) {
        w->to->pair[w->to->n] = (cd_sparse_entry){row, column};
        *slot                 = ++w->to->n;
    }
    if (w->is_second_pass) w->to->term[w->next[*slot - 1]] = (cd_term){entry, weight};
    ++w->next[*slot - 1];
}

typedef void visit(combination_builder* w, const cd_block_shape* s);

static void visit_jacobian(combination_builder* w, const cd_block_shape* s)
{
    for (int e = 0; e < s->function->njacobian; ++e)
        for (int t = s->first[s->function->jacobian[e].column]; t < s->first[s->function->jacobian[e].column + 1]; ++t)
            add_term(w, s->function->jacobian[e].row, s->term[t].unknown, e, s->term[t].coefficient);
}

// Entries of the gradient follow those of the Jacobian. Every unknown has a result, in their order.
static void visit_gradient(combination_builder* w, const cd_block_shape* s)
{
    for (int u = 0; u < s->nunknown && w->to->n < s->nunknown; ++u) {
        w->to->pair[u] = (cd_sparse_entry){0, u};
        w->slot[u]     = ++w->to->n;
    }
    for (int e = 0; e < s->function->ngradient; ++e)
        for (int t = s->first[s->function->gradient[e]]; t < s->first[s->function->gradient[e] + 1]; ++t)
            add_term(w, 0, s->term[t].unknown, s->function->njacobian + e, s->term[t].coefficient);
}

// Pairs of unknowns, the larger first. An off-diagonal entry counts for two; both contribute to the same result if
// their unknowns are equal.
static void visit_hessian(combination_builder* w, const cd_block_shape* s)
{
    for (int e = 0; e < s->function->nhessian; ++e) {
        const int i = s->function->hessian[e].row, j = s->function->hessian[e].column;
        for (int a = s->first[i]; a < s->first[i + 1]; ++a)
            for (int b = s->first[j]; b < (i == j ? a + 1 : s->first[j + 1]); ++b) {
                const int    u = s->term[a].unknown, v = s->term[b].unknown;
                const double twice = u == v && (i != j || a != b) ? 2 : 1;
                add_term(w, u > v ? u : v, u > v ? v : u, e, twice * s->term[a].coefficient * s->term[b].coefficient);
            }
    }
}

static bool make_combination(const cd_block_shape* s, int rows, visit* visitor, cd_entry_combination* to)
{
    const size_t        pairs = (size_t)rows * (size_t)s->nunknown;
    combination_builder w     = {.to    = to,
                                 .width = s->nunknown,
                                 .slot  = cd_allocate(pairs + 1, sizeof(int)),
                                 .next  = cd_allocate(pairs + 1, sizeof(int))};
    to->pair                  = cd_allocate(pairs + 1, sizeof *to->pair);
    bool ok                   = w.slot && w.next && to->pair;
    if (ok) {
        visitor(&w, s);
        to->first = cd_allocate((size_t)to->n + 1, sizeof *to->first);
        ok        = to->first != NULL;
    }
    for (int i = 0; ok && i < to->n; ++i) to->first[i + 1] = to->first[i] + w.next[i];
    if (ok) {
        to->term = cd_allocate((size_t)to->first[to->n] + 1, sizeof *to->term);
        memcpy(w.next, to->first, (size_t)to->n * sizeof *w.next);
        w.is_second_pass = true;
        if ((ok = to->term != NULL)) visitor(&w, s);
    }
    free(w.slot);
    free(w.next);
    return ok;
}

// ---- lookup and creation

// Create a shape with its terms over unknowns of the block, without entry combinations. Returns NULL without memory.
static cd_block_shape* create_shape(cd_block_shapes* all, const cd_block_function* function, const cd_binding* b,
                                    int* unknown)
{
    int nterm = 0;
    for (int i = 0; i < function->nvariable; ++i) nterm += b->count[function->variable[i]];
    cd_block_shape* s = cd_allocate(1, sizeof *s);
    if (!s) return NULL;
    s->function = function;
    s->first    = cd_allocate((size_t)function->nvariable + 1, sizeof *s->first);
    s->term     = cd_allocate((size_t)nterm + 1, sizeof *s->term);
    if (!s->first || !s->term) return free_shape(s), NULL;
    s->hash = cd_fnv_hash(cd_fnv_offset_basis, &function->index, sizeof function->index);
    for (int i = 0; i < function->nvariable; ++i) {
        const int input = function->variable[i];
        s->first[i + 1] = s->first[i] + b->count[input];
        for (int t = 0; t < b->count[input]; ++t) {
            const cd_term* from  = &b->term[b->first[input] + t];
            int*           local = &all->local_index[from->unknown];
            if (!*local) unknown[s->nunknown] = from->unknown, *local = ++s->nunknown;
            s->term[s->first[i] + t] = (cd_term){*local - 1, from->coefficient};
            s->hash =
                cd_fnv_hash(cd_fnv_hash(s->hash, local, sizeof *local), &from->coefficient, sizeof from->coefficient);
        }
        s->hash = cd_fnv_hash(s->hash, &s->first[i + 1], sizeof *s->first);
    }
    for (int i = 0; i < s->nunknown; ++i) all->local_index[unknown[i]] = 0;
    return s;
}

static bool shapes_equal(const cd_block_shape* a, const cd_block_shape* b)
{
    const int n = a->function->nvariable;
    if (a->hash != b->hash || a->function != b->function ||
        memcmp(a->first, b->first, ((size_t)n + 1) * sizeof *a->first) != 0)
        return false;
    for (int t = 0; t < a->first[n]; ++t)
        if (a->term[t].unknown != b->term[t].unknown || a->term[t].coefficient != b->term[t].coefficient) return false;
    return true;
}

static int* table_entry(const cd_block_shapes* all, const cd_block_shape* s)
{
    int at = (int)(s->hash % (uint64_t)all->table_size);
    while (all->table[at] && !shapes_equal(all->shape[all->table[at] - 1], s)) at = (at + 1) % all->table_size;
    return &all->table[at];
}

static bool grow_table(cd_block_shapes* all)
{
    if (2 * (all->count + 1) <= all->table_size) return true;
    int* const table = cd_allocate(2 * (size_t)all->table_size + 64, sizeof *table);
    if (!table) return false;
    free(all->table);
    all->table      = table;
    all->table_size = 2 * all->table_size + 64;
    for (int i = 0; i < all->count; ++i) *table_entry(all, all->shape[i]) = i + 1;
    return true;
}

static bool make_combinations(cd_block_shape* s)
{
    return make_combination(s, s->function->nrow, visit_jacobian, &s->jacobian) &&
           make_combination(s, 1, visit_gradient, &s->gradient) &&
           make_combination(s, s->nunknown, visit_hessian, &s->hessian);
}

const cd_block_shape* cd_block_shape_find_or_add(cd_block_shapes* all, const cd_block_function* function,
                                                 const cd_binding* b, int** unknown)
{
    *unknown          = cd_allocate((size_t)b->nterm + 1, sizeof **unknown);
    cd_block_shape* s = *unknown && grow_table(all) ? create_shape(all, function, b, *unknown) : NULL;
    if (!s) return NULL;
    int* slot = table_entry(all, s);
    if (*slot) {
        free_shape(s);
        return all->shape[*slot - 1];
    }
    if (!make_combinations(s) || !cd_array_grow((void**)&all->shape, &all->capacity, all->count, sizeof *all->shape))
        return free_shape(s), NULL;
    s->index             = all->count++;
    all->shape[s->index] = s;
    *slot                = all->count;
    return s;
}
