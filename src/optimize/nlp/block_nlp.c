// SPDX-License-Identifier: BSD-3-Clause
// Assembly of the blocks and of their common sparsity pattern: Hessian entries that several blocks share are one entry.
#include "optimize/nlp/block_nlp.h"

#include "core/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ---- blocks

bool cd_block_nlp_begin(cd_block_nlp* p, int ninput, int nunknown, cd_multiplier_count multipliers)
{
    *p         = (cd_block_nlp){.ninput = ninput, .n = nunknown, .multipliers = multipliers};
    p->x_lower = cd_allocate((size_t)nunknown + 1, sizeof(double));
    p->x_upper = cd_allocate((size_t)nunknown + 1, sizeof(double));
    p->x_start = cd_allocate((size_t)nunknown + 1, sizeof(double));
    if (!p->x_lower || !p->x_upper || !p->x_start || !cd_block_shapes_init(&p->shapes, nunknown)) return false;
    for (int i = 0; i < nunknown; ++i) {
        p->x_lower[i] = -INFINITY;
        p->x_upper[i] = INFINITY;
    }
    return true;
}

bool cd_block_nlp_add_function(cd_block_nlp* p, cd_block_function* function)
{
    if (!function || !cd_array_grow((void**)&p->function, &p->function_capacity, p->nfunction, sizeof *p->function)) {
        cd_block_function_destroy(function);
        return false;
    }
    function->index             = p->nfunction;
    p->function[p->nfunction++] = function;
    return true;
}

static bool add_rows(cd_block_nlp* p, int n, const double* lower, const double* upper)
{
    if (p->m + n > p->row_capacity) {
        const int     capacity = 2 * p->row_capacity + n + 64;
        double* const low      = realloc(p->g_lower, (size_t)capacity * sizeof(double));
        if (low) p->g_lower = low;
        double* const high = realloc(p->g_upper, (size_t)capacity * sizeof(double));
        if (high) p->g_upper = high;
        if (!low || !high) return false;
        p->row_capacity = capacity;
    }
    for (int i = 0; i < n; ++i) {
        p->g_lower[p->m + i] = lower ? lower[i] : 0;
        p->g_upper[p->m + i] = upper ? upper[i] : 0;
    }
    p->m += n;
    return true;
}

static const double max_entries = 2e9;

bool cd_block_nlp_is_too_large(const cd_block_nlp* p) { return p->entry_count > max_entries; }

static double count_entries(const cd_block_function* function, const cd_binding* b)
{
    double sum = 0;
    for (int e = 0; e < function->njacobian; ++e) sum += b->count[function->variable[function->jacobian[e].column]];
    for (int e = 0; e < function->nhessian; ++e)
        sum += (double)b->count[function->variable[function->hessian[e].row]] *
               b->count[function->variable[function->hessian[e].column]];
    return sum;
}

bool cd_block_nlp_add_block(cd_block_nlp* p, const cd_block_function* function, int interval, const cd_binding* b,
                            const double* lower, const double* upper)
{
    p->entry_count += count_entries(function, b);
    if (b->failed || cd_block_nlp_is_too_large(p) ||
        !cd_array_grow((void**)&p->block, &p->block_capacity, p->nblock, sizeof *p->block))
        return false;
    cd_nlp_block* at = &p->block[p->nblock++];
    *at              = (cd_nlp_block){.function = function, .interval = interval, .first_row = p->m};
    at->shape        = cd_block_shape_find_or_add(&p->shapes, function, b, &at->unknown);
    at->value        = cd_allocate((size_t)(function->nparameter + function->nvariable) + 1, sizeof *at->value);
    if (!at->shape || !at->value || !add_rows(p, function->nrow, lower, upper)) return false;
    for (int i = 0; i < function->nparameter; ++i) at->value[i] = b->value[function->parameter[i]];
    for (int i = 0; i < function->nvariable; ++i) at->value[function->nparameter + i] = b->value[function->variable[i]];
    return true;
}

// ---- pattern

// Hash table from index pairs to entries, open addressing.
typedef struct index_table {
    uint64_t* key; // 0: free
    int*      index;
    size_t    size, count;
} index_table;

static bool index_table_grow(index_table* h)
{
    const index_table old = *h;
    h->size               = old.size ? 2 * old.size : 1 << 14;
    h->key                = cd_allocate(h->size, sizeof *h->key);
    h->index              = cd_allocate(h->size, sizeof *h->index);
    if (!h->key || !h->index) return false;
    for (size_t i = 0; i < old.size; ++i) {
        if (!old.key[i]) continue;
        size_t s = (size_t)((old.key[i] * 0x9E3779B97F4A7C15ull) >> 20) & (h->size - 1);
        while (h->key[s]) s = (s + 1) & (h->size - 1);
        h->key[s]   = old.key[i];
        h->index[s] = old.index[i];
    }
    free(old.key);
    free(old.index);
    return true;
}

// Return the index of a pair; a new pair is appended to the list. Returns -1 without memory.
static int find_or_add_entry(index_table* h, int row, int column, cd_sparse_entry** list, int* count, int* capacity)
{
    if (2 * (h->count + 1) > h->size && !index_table_grow(h)) return -1;
    const uint64_t key = ((uint64_t)(unsigned)row << 32 | (unsigned)column) + 1;
    size_t         s   = (size_t)((key * 0x9E3779B97F4A7C15ull) >> 20) & (h->size - 1);
    for (; h->key[s]; s = (s + 1) & (h->size - 1))
        if (h->key[s] == key) return h->index[s];
    if (!cd_array_grow((void**)list, capacity, *count, sizeof **list)) return -1;
    h->key[s]       = key;
    h->index[s]     = *count;
    (*list)[*count] = (cd_sparse_entry){row, column};
    ++h->count;
    return (*count)++;
}

static bool number_jacobian(cd_block_nlp* p, cd_nlp_block* b)
{
    const cd_entry_combination* s = &b->shape->jacobian;
    b->first_jacobian             = p->njacobian;
    for (int i = 0; i < s->n; ++i) {
        if (!cd_array_grow((void**)&p->jacobian, &p->jacobian_capacity, p->njacobian, sizeof *p->jacobian))
            return false;
        p->jacobian[p->njacobian++] = (cd_sparse_entry){b->first_row + s->pair[i].row, b->unknown[s->pair[i].column]};
    }
    return true;
}

// Number the Hessian entries of a block; *shared (or NULL): offsets of earlier blocks of this shape.
static bool number_hessian(cd_block_nlp* p, cd_nlp_block* b, index_table* h, const int** shared)
{
    const cd_entry_combination* s      = &b->shape->hessian;
    int*                        offset = cd_allocate((size_t)s->n + 1, sizeof *offset);
    if (!offset) return false;
    for (int i = 0; i < s->n; ++i) {
        const int u = b->unknown[s->pair[i].row], v = b->unknown[s->pair[i].column];
        const int at =
            find_or_add_entry(h, u > v ? u : v, u > v ? v : u, &p->hessian, &p->nhessian, &p->hessian_capacity);
        if (at < 0) return free(offset), false;
        if (i == 0) b->first_hessian = at;
        offset[i] = at - b->first_hessian;
    }
    b->hessian_offset = *shared;
    if (b->hessian_offset && memcmp(b->hessian_offset, offset, (size_t)s->n * sizeof *offset) == 0)
        return free(offset), true;
    if (!cd_array_grow((void**)&p->hessian_offset, &p->hessian_offset_capacity, p->nhessian_offset,
                       sizeof *p->hessian_offset))
        return free(offset), false;
    b->hessian_offset = *shared = p->hessian_offset[p->nhessian_offset++] = offset;
    return true;
}

static bool number_entries(cd_block_nlp* p)
{
    index_table pairs  = {0};
    const int** shared = cd_allocate((size_t)p->shapes.count + 1, sizeof *shared);
    bool        ok     = shared != NULL;
    for (int i = 0; ok && i < p->nblock; ++i)
        ok = number_jacobian(p, &p->block[i]) &&
             number_hessian(p, &p->block[i], &pairs, &shared[p->block[i].shape->index]);
    free(shared);
    free(pairs.key);
    free(pairs.index);
    return ok;
}

// Sort the blocks by function, then by shape, then by their order in the NLP.
static bool sort_blocks(cd_block_nlp* p)
{
    const int nshape     = p->shapes.count;
    int*      count      = cd_allocate((size_t)nshape + 1, sizeof *count);
    int*      next       = cd_allocate((size_t)nshape + 1, sizeof *next);
    p->sorted_block      = cd_allocate((size_t)p->nblock + 1, sizeof *p->sorted_block);
    p->first_of_function = cd_allocate((size_t)p->nfunction + 1, sizeof *p->first_of_function);
    const bool ok        = count && next && p->sorted_block && p->first_of_function;
    for (int i = 0; ok && i < p->nblock; ++i) ++count[p->block[i].shape->index];
    for (int k = 0; ok && k < p->nfunction; ++k) {
        p->first_of_function[k + 1] = p->first_of_function[k];
        for (int s = 0; s < nshape; ++s) {
            if (p->shapes.shape[s]->function != p->function[k]) continue;
            next[s] = p->first_of_function[k + 1];
            p->first_of_function[k + 1] += count[s];
        }
    }
    for (int i = 0; ok && i < p->nblock; ++i) p->sorted_block[next[p->block[i].shape->index]++] = i;
    free(count);
    free(next);
    return ok;
}

bool cd_block_nlp_set_group_size(cd_block_nlp* p, int group)
{
    int work = 1, output = 1;
    for (int i = 0; i < p->nfunction; ++i)
        for (int t = 0; t < CD_ORDER_COUNT; ++t) {
            const cd_block_evaluator* f = &p->function[i]->evaluator[t];
            work                        = work > cd_tape_work(f->tape) ? work : cd_tape_work(f->tape);
            output                      = output > f->count ? output : f->count;
        }
    int unknown = 1;
    for (int i = 0; i < p->shapes.count; ++i)
        unknown = unknown > p->shapes.shape[i]->nunknown ? unknown : p->shapes.shape[i]->nunknown;
    free(p->input);
    free(p->work);
    free(p->output);
    free(p->local);
    p->local  = cd_allocate((size_t)unknown * (size_t)group, sizeof *p->local);
    p->input  = cd_allocate((size_t)(p->ninput + 1) * (size_t)group, sizeof *p->input);
    p->work   = cd_allocate((size_t)work, sizeof *p->work);
    p->output = cd_allocate((size_t)output * (size_t)group, sizeof *p->output);
    return p->input && p->work && p->output && p->local;
}

bool cd_block_nlp_end(cd_block_nlp* p)
{
    return cd_block_nlp_set_group_size(p, 1) && sort_blocks(p) && number_entries(p);
}

void cd_block_nlp_release(cd_block_nlp* p)
{
    for (int i = 0; i < p->nblock; ++i) {
        cd_nlp_block* b = &p->block[i];
        free(b->value);
        free(b->unknown);
    }
    for (int i = 0; i < p->nhessian_offset; ++i) free(p->hessian_offset[i]);
    free(p->hessian_offset);
    for (int i = 0; i < p->nfunction; ++i) cd_block_function_destroy(p->function[i]);
    cd_block_shapes_release(&p->shapes);
    cd_compiled_functions_close(p->compiled_code);
    free(p->function);
    free(p->block);
    free(p->sorted_block);
    free(p->first_of_function);
    free(p->x_lower);
    free(p->x_upper);
    free(p->x_start);
    free(p->g_lower);
    free(p->g_upper);
    free(p->jacobian);
    free(p->hessian);
    free(p->input);
    free(p->work);
    free(p->output);
    free(p->local);
}
