// SPDX-License-Identifier: BSD-3-Clause
// Blocks put in their places, and the pattern of all of them together: entries that several blocks have are one entry.
#include "optimize/chain.h"

#include "core/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// ---- bindings

bool cd_binding_create(cd_binding* b, int ninput)
{
    *b = (cd_binding){.ninput = ninput};
    b->value = cd_allocate((size_t)ninput + 1, sizeof *b->value);
    b->first = cd_allocate((size_t)ninput + 1, sizeof *b->first);
    b->count = cd_allocate((size_t)ninput + 1, sizeof *b->count);
    return b->value && b->first && b->count;
}

void cd_binding_release(cd_binding* b)
{
    free(b->value);
    free(b->first);
    free(b->count);
    free(b->term);
}

void cd_bind_value(cd_binding* b, int input, double value)
{
    b->value[input] = value;
    b->count[input] = 0;
}

void cd_bind_none(cd_binding* b, int input)
{
    cd_bind_value(b, input, 0);
    b->first[input] = b->nterm;
}

void cd_bind_unknown(cd_binding* b, int input, int unknown, double coefficient)
{
    cd_bind_none(b, input);
    cd_bind_more(b, input, unknown, coefficient);
}

void cd_bind_more(cd_binding* b, int input, int unknown, double coefficient)
{
    if (coefficient == 0) return;
    if (!cd_grow((void**)&b->term, &b->cterm, b->nterm, sizeof *b->term)) {
        b->failed = true;
        return;
    }
    b->term[b->nterm++] = (cd_term){unknown, coefficient};
    ++b->count[input];
}

// ---- blocks

bool cd_chain_begin(cd_chain* p, int ninput, int nunknown, cd_multipliers multipliers)
{
    *p         = (cd_chain){.ninput = ninput, .n = nunknown, .multipliers = multipliers};
    p->x_lower = cd_allocate((size_t)nunknown + 1, sizeof(double));
    p->x_upper = cd_allocate((size_t)nunknown + 1, sizeof(double));
    p->x_start = cd_allocate((size_t)nunknown + 1, sizeof(double));
    if (!p->x_lower || !p->x_upper || !p->x_start) return false;
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
    for (int e = 0; e < kind->nhessian; ++e) sum += (double)b->count[kind->variable[kind->hessian[e].row]] * b->count[kind->variable[kind->hessian[e].column]];
    return sum;
}

bool cd_chain_add(cd_chain* p, const cd_kind* kind, int interval, const cd_binding* b, const double* lower, const double* upper)
{
    p->entries += count_entries(kind, b);
    if (b->failed || cd_chain_too_large(p) || !cd_grow((void**)&p->block, &p->cblock, p->nblock, sizeof *p->block)) return false;
    cd_block* at = &p->block[p->nblock++];
    *at          = (cd_block){.kind = kind, .interval = interval, .row = p->m};
    int nterm    = 0;
    for (int i = 0; i < kind->nvariable; ++i) nterm += b->count[kind->variable[i]];
    at->first = cd_allocate((size_t)kind->nvariable + 1, sizeof *at->first);
    at->term  = cd_allocate((size_t)nterm + 1, sizeof *at->term);
    at->value = cd_allocate((size_t)(kind->nsetting + kind->nvariable) + 1, sizeof *at->value);
    if (!at->first || !at->term || !at->value || !add_rows(p, kind->nrow, lower, upper)) return false;
    for (int i = 0; i < kind->nsetting; ++i) at->value[i] = b->value[kind->setting[i]];
    for (int i = 0; i < kind->nvariable; ++i) {
        const int input  = kind->variable[i], n = b->count[input];
        at->first[i + 1] = at->first[i] + n;
        for (int t = 0; t < n; ++t) at->term[at->first[i] + t] = b->term[b->first[input] + t];
        at->value[kind->nsetting + i] = b->value[input];
    }
    return true;
}

// ---- pattern

// Pairs to places: open addressing.
typedef struct places {
    uint64_t* key;  // 0: free
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

static bool place_jacobian(cd_chain* p, cd_block* b, places* h)
{
    const cd_kind* kind = b->kind;
    int            n    = 0;
    for (int e = 0; e < kind->njacobian; ++e) n += b->first[kind->jacobian[e].column + 1] - b->first[kind->jacobian[e].column];
    b->jacobian = cd_allocate((size_t)n + 1, sizeof *b->jacobian);
    if (!b->jacobian) return false;
    int* to = b->jacobian;
    for (int e = 0; e < kind->njacobian; ++e) {
        const int i = kind->jacobian[e].column;
        for (int t = b->first[i]; t < b->first[i + 1]; ++t, ++to) {
            *to = place_of(h, b->row + kind->jacobian[e].row, b->term[t].unknown, &p->jacobian, &p->njacobian, &p->cjacobian);
            if (*to < 0) return false;
        }
    }
    return true;
}

static bool place_hessian(cd_chain* p, cd_block* b, places* h)
{
    const cd_kind* kind = b->kind;
    size_t         n    = 0;
    for (int e = 0; e < kind->nhessian; ++e) {
        const int i = kind->hessian[e].row, j = kind->hessian[e].column;
        n += (size_t)(b->first[i + 1] - b->first[i]) * (size_t)(b->first[j + 1] - b->first[j]);
    }
    b->hessian = cd_allocate(n + 1, sizeof *b->hessian);
    if (!b->hessian) return false;
    int* to = b->hessian;
    for (int e = 0; e < kind->nhessian; ++e) {
        const int i = kind->hessian[e].row, j = kind->hessian[e].column;
        for (int s = b->first[i]; s < b->first[i + 1]; ++s)
            for (int t = b->first[j]; t < (i == j ? s + 1 : b->first[j + 1]); ++t, ++to) {
                const int u = b->term[s].unknown, w = b->term[t].unknown;
                *to = place_of(h, u > w ? u : w, u > w ? w : u, &p->hessian, &p->nhessian, &p->chessian);
                if (*to < 0) return false;
            }
    }
    return true;
}

// Blocks of each kind, in the order of the chain.
static bool sort_blocks(cd_chain* p)
{
    int next  = 0;
    p->member = cd_allocate((size_t)p->nblock + 1, sizeof *p->member);
    p->first  = cd_allocate((size_t)p->nkind + 1, sizeof *p->first);
    if (!p->member || !p->first) return false;
    for (int k = 0; k < p->nkind; ++k) {
        for (int i = 0; i < p->nblock; ++i)
            if (p->block[i].kind == p->kind[k]) p->member[next++] = i;
        p->first[k + 1] = next;
    }
    return true;
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
    free(p->input);
    free(p->work);
    free(p->output);
    p->input  = cd_allocate((size_t)(p->ninput + 1) * (size_t)group, sizeof *p->input);
    p->work   = cd_allocate((size_t)work, sizeof *p->work);
    p->output = cd_allocate((size_t)output * (size_t)group, sizeof *p->output);
    return p->input && p->work && p->output;
}

bool cd_chain_end(cd_chain* p)
{
    places rows = {0}, pairs = {0};
    bool   ok = cd_chain_group(p, 1) && sort_blocks(p);
    for (int i = 0; ok && i < p->nblock; ++i) ok = place_jacobian(p, &p->block[i], &rows) && place_hessian(p, &p->block[i], &pairs);
    free(rows.key);
    free(rows.at);
    free(pairs.key);
    free(pairs.at);
    return ok;
}

void cd_chain_release(cd_chain* p)
{
    for (int i = 0; i < p->nblock; ++i) {
        cd_block* b = &p->block[i];
        free(b->first);
        free(b->term);
        free(b->value);
        free(b->jacobian);
        free(b->hessian);
    }
    for (int i = 0; i < p->nkind; ++i) cd_kind_destroy(p->kind[i]);
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
}
