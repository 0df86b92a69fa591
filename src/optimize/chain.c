// SPDX-License-Identifier: BSD-3-Clause
// Blocks put in their places, and the pattern of all of them together: entries that several blocks have are one entry.
#include "optimize/chain.h"

#include "core/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ---- blocks

bool cd_chain_begin(cd_chain* p, int ninput, int nunknown, cd_multipliers multipliers)
{
    *p         = (cd_chain){.ninput = ninput, .n = nunknown, .multipliers = multipliers};
    p->x_lower = cd_allocate((size_t)nunknown + 1, sizeof(double));
    p->x_upper = cd_allocate((size_t)nunknown + 1, sizeof(double));
    p->x_start = cd_allocate((size_t)nunknown + 1, sizeof(double));
    if (!p->x_lower || !p->x_upper || !p->x_start || !cd_shapes_begin(&p->shapes, nunknown)) return false;
    for (int i = 0; i < nunknown; ++i) {
        p->x_lower[i] = -INFINITY;
        p->x_upper[i] = INFINITY;
    }
    return true;
}

bool cd_chain_own(cd_chain* p, cd_kind* kind)
{
    if (!kind || !cd_grow((void**)&p->kind, &p->ckind, p->nkind, sizeof *p->kind)) {
        cd_kind_destroy(kind);
        return false;
    }
    kind->index         = p->nkind;
    p->kind[p->nkind++] = kind;
    return true;
}

static bool add_rows(cd_chain* p, int n, const double* lower, const double* upper)
{
    if (p->m + n > p->cm) {
        const int     room = 2 * p->cm + n + 64;
        double* const low  = realloc(p->g_lower, (size_t)room * sizeof(double));
        if (low) p->g_lower = low;
        double* const high = realloc(p->g_upper, (size_t)room * sizeof(double));
        if (high) p->g_upper = high;
        if (!low || !high) return false;
        p->cm = room;
    }
    for (int i = 0; i < n; ++i) {
        p->g_lower[p->m + i] = lower ? lower[i] : 0;
        p->g_upper[p->m + i] = upper ? upper[i] : 0;
    }
    p->m += n;
    return true;
}

static const double entries_most = 2e9;

bool cd_chain_too_large(const cd_chain* p) { return p->entries > entries_most; }

static double count_entries(const cd_kind* kind, const cd_binding* b)
{
    double sum = 0;
    for (int e = 0; e < kind->njacobian; ++e) sum += b->count[kind->variable[kind->jacobian[e].column]];
    for (int e = 0; e < kind->nhessian; ++e)
        sum +=
            (double)b->count[kind->variable[kind->hessian[e].row]] * b->count[kind->variable[kind->hessian[e].column]];
    return sum;
}

bool cd_chain_add(cd_chain* p, const cd_kind* kind, int interval, const cd_binding* b, const double* lower,
                  const double* upper)
{
    p->entries += count_entries(kind, b);
    if (b->failed || cd_chain_too_large(p) || !cd_grow((void**)&p->block, &p->cblock, p->nblock, sizeof *p->block))
        return false;
    cd_block* at = &p->block[p->nblock++];
    *at          = (cd_block){.kind = kind, .interval = interval, .row = p->m};
    at->shape    = cd_shape_of(&p->shapes, kind, b, &at->unknown);
    at->value    = cd_allocate((size_t)(kind->nsetting + kind->nvariable) + 1, sizeof *at->value);
    if (!at->shape || !at->value || !add_rows(p, kind->nrow, lower, upper)) return false;
    for (int i = 0; i < kind->nsetting; ++i) at->value[i] = b->value[kind->setting[i]];
    for (int i = 0; i < kind->nvariable; ++i) at->value[kind->nsetting + i] = b->value[kind->variable[i]];
    return true;
}

// ---- pattern

// Pairs to places: open addressing.
typedef struct places {
    uint64_t* key; // 0: free
    int*      at;
    size_t    room, count;
} places;

static bool places_grow(places* h)
{
    const places old = *h;
    h->room          = old.room ? 2 * old.room : 1 << 14;
    h->key           = cd_allocate(h->room, sizeof *h->key);
    h->at            = cd_allocate(h->room, sizeof *h->at);
    if (!h->key || !h->at) return false;
    for (size_t i = 0; i < old.room; ++i) {
        if (!old.key[i]) continue;
        size_t s = (size_t)((old.key[i] * 0x9E3779B97F4A7C15ull) >> 20) & (h->room - 1);
        while (h->key[s]) s = (s + 1) & (h->room - 1);
        h->key[s] = old.key[i];
        h->at[s]  = old.at[i];
    }
    free(old.key);
    free(old.at);
    return true;
}

// The place of a pair; a new one at the end of the list where there is none. -1 without memory.
static int place_of(places* h, int row, int column, cd_entry** list, int* count, int* capacity)
{
    if (2 * (h->count + 1) > h->room && !places_grow(h)) return -1;
    const uint64_t key = ((uint64_t)(unsigned)row << 32 | (unsigned)column) + 1;
    size_t         s   = (size_t)((key * 0x9E3779B97F4A7C15ull) >> 20) & (h->room - 1);
    for (; h->key[s]; s = (s + 1) & (h->room - 1))
        if (h->key[s] == key) return h->at[s];
    if (!cd_grow((void**)list, capacity, *count, sizeof **list)) return -1;
    h->key[s]       = key;
    h->at[s]        = *count;
    (*list)[*count] = (cd_entry){row, column};
    ++h->count;
    return (*count)++;
}

static bool place_jacobian(cd_chain* p, cd_block* b)
{
    const cd_spread* s = &b->shape->jacobian;
    b->jacobian        = p->njacobian;
    for (int i = 0; i < s->n; ++i) {
        if (!cd_grow((void**)&p->jacobian, &p->cjacobian, p->njacobian, sizeof *p->jacobian)) return false;
        p->jacobian[p->njacobian++] = (cd_entry){b->row + s->pair[i].row, b->unknown[s->pair[i].column]};
    }
    return true;
}

// Where entries of a block go; `like` (or NULL) is what blocks of its shape have had.
static bool place_hessian(cd_chain* p, cd_block* b, places* h, const int** like)
{
    const cd_spread* s    = &b->shape->hessian;
    int*             step = cd_allocate((size_t)s->n + 1, sizeof *step);
    if (!step) return false;
    for (int i = 0; i < s->n; ++i) {
        const int u = b->unknown[s->pair[i].row], v = b->unknown[s->pair[i].column];
        const int at = place_of(h, u > v ? u : v, u > v ? v : u, &p->hessian, &p->nhessian, &p->chessian);
        if (at < 0) return free(step), false;
        if (i == 0) b->hessian = at;
        step[i] = at - b->hessian;
    }
    b->step = *like;
    if (b->step && memcmp(b->step, step, (size_t)s->n * sizeof *step) == 0) return free(step), true;
    if (!cd_grow((void**)&p->step, &p->cstep, p->nstep, sizeof *p->step)) return free(step), false;
    b->step = *like = p->step[p->nstep++] = step;
    return true;
}

static bool place_blocks(cd_chain* p)
{
    places      pairs = {0};
    const int** like  = cd_allocate((size_t)p->shapes.count + 1, sizeof *like);
    bool        ok    = like != NULL;
    for (int i = 0; ok && i < p->nblock; ++i)
        ok = place_jacobian(p, &p->block[i]) && place_hessian(p, &p->block[i], &pairs, &like[p->block[i].shape->index]);
    free(like);
    free(pairs.key);
    free(pairs.at);
    return ok;
}

// Blocks by kinds, then by shapes, then along the chain.
static bool sort_blocks(cd_chain* p)
{
    const int nshape = p->shapes.count;
    int*      count  = cd_allocate((size_t)nshape + 1, sizeof *count);
    int*      next   = cd_allocate((size_t)nshape + 1, sizeof *next);
    p->member        = cd_allocate((size_t)p->nblock + 1, sizeof *p->member);
    p->first         = cd_allocate((size_t)p->nkind + 1, sizeof *p->first);
    const bool ok    = count && next && p->member && p->first;
    for (int i = 0; ok && i < p->nblock; ++i) ++count[p->block[i].shape->index];
    for (int k = 0; ok && k < p->nkind; ++k) {
        p->first[k + 1] = p->first[k];
        for (int s = 0; s < nshape; ++s) {
            if (p->shapes.shape[s]->kind != p->kind[k]) continue;
            next[s] = p->first[k + 1];
            p->first[k + 1] += count[s];
        }
    }
    for (int i = 0; ok && i < p->nblock; ++i) p->member[next[p->block[i].shape->index]++] = i;
    free(count);
    free(next);
    return ok;
}

bool cd_chain_group(cd_chain* p, int group)
{
    int work = 1, output = 1;
    for (int i = 0; i < p->nkind; ++i)
        for (int t = 0; t < CD_DERIVATIVES; ++t) {
            const cd_function* f = &p->kind[i]->function[t];
            work                 = work > cd_tape_work(f->tape) ? work : cd_tape_work(f->tape);
            output               = output > f->count ? output : f->count;
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

bool cd_chain_end(cd_chain* p) { return cd_chain_group(p, 1) && sort_blocks(p) && place_blocks(p); }

void cd_chain_release(cd_chain* p)
{
    for (int i = 0; i < p->nblock; ++i) {
        cd_block* b = &p->block[i];
        free(b->value);
        free(b->unknown);
    }
    for (int i = 0; i < p->nstep; ++i) free(p->step[i]);
    free(p->step);
    for (int i = 0; i < p->nkind; ++i) cd_kind_destroy(p->kind[i]);
    cd_shapes_release(&p->shapes);
    cd_functions_close(p->code);
    free(p->kind);
    free(p->block);
    free(p->member);
    free(p->first);
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
