// SPDX-License-Identifier: BSD-3-Clause
// Packs in programs. A pack of the graph becomes a loop if what computes its values is alike in all of them: the same operations on values that are either
// the same for all, or stand at the same places of packs. A pack of held numbers takes its values from anywhere, one after the other.
//
// A pack is computed as a whole (order.c). Memory is given again after the last line that reads; a loop may write where it reads, because place k
// needs nothing but places k.
#include "generate/program.h"

#include "core/memory.h"

#include <stdlib.h>

static cd_operation operation_at(const cd_program* p, int at) { return cd_node_operation(p->graph, p->reach.list[at].node); }

static bool is_arithmetic(cd_operation o) { return o >= CD_ADD && o <= CD_NEG; }

// Signs stay outside of packs.
static int behind_sign(const cd_program* p, int at)
{
    while (at >= 0 && operation_at(p, at) == CD_NEG) at = p->reach.list[at].operand[0];
    return at;
}

// ---- what is alike

static bool take(cd_program* p, int count, const int* at);

// Are these, one of each lane, the same for all, or places of one pack, or computed alike from what is? What several want becomes a pack of its own.
static bool are_alike(cd_program* p, const cd_pack_of* pack, const int* at, bool top)
{
    const int one = at[pack->one];
    bool      same = true, packed = !top, like = true, shared = false;
    for (int k = 0; k < pack->count; ++k) {
        if (pack->at[k] < 0) continue;
        const cd_value* v = &p->value[at[k]];
        same   = same && at[k] == one;
        packed = packed && v->pack >= 0 && v->pack == p->value[one].pack && v->lane == k;
        like   = like && operation_at(p, at[k]) == operation_at(p, one) && (top || (v->pack < 0 && v->angle < 0));
        shared = shared || (!top && v->uses > 1);
    }
    if (same && !top) return true;
    if (packed) return true;
    if (!like || !is_arithmetic(operation_at(p, one))) return false;
    if (shared) return take(p, pack->count, at) && p->value[one].pack >= 0 && p->value[at[pack->other]].pack == p->value[one].pack;
    for (int i = 0; i < cd_operation_operands(operation_at(p, one)); ++i) {
        int below[CD_WIDEST_PACK];
        for (int k = 0; k < pack->count; ++k) below[k] = pack->at[k] < 0 ? -1 : p->reach.list[at[k]].operand[i];
        if (!are_alike(p, pack, below, false)) return false;
    }
    return true;
}

// What is inside of a pack has no name.
static void hide(cd_program* p, int at, int other, bool top)
{
    if (!top && (at == other || p->value[at].pack >= 0)) return;
    if (!top) p->value[at].inner = true;
    for (int i = 0; i < cd_operation_operands(operation_at(p, at)); ++i) hide(p, p->reach.list[at].operand[i], p->reach.list[other].operand[i], false);
}

// A pack of these positions where it can be one. False without memory.
static bool take(cd_program* p, int count, const int* at)
{
    cd_pack_of pack = {.count = count, .slot = -1, .last = -1, .one = -1, .other = -1, .held = true};
    if (count > CD_WIDEST_PACK) return true;
    pack.at = cd_allocate((size_t)count + 1, sizeof *pack.at);
    if (!pack.at) return false;
    bool alone = true;
    for (int k = 0; k < count; ++k) {
        pack.at[k] = behind_sign(p, at[k]);
        if (pack.at[k] < 0) continue;
        alone     = alone && p->value[pack.at[k]].pack < 0 && !p->value[pack.at[k]].inner && p->value[pack.at[k]].angle < 0;
        pack.held = pack.held && operation_at(p, pack.at[k]) == CD_HOLD;
        if (pack.one < 0) pack.one = k;
        else if (pack.other < 0) pack.other = k;
    }
    if (!alone || pack.other < 0 || (!pack.held && !are_alike(p, &pack, pack.at, true))) {
        free(pack.at);
        return true;
    }
    if (!cd_grow((void**)&p->pack, &p->cpack, p->npack, sizeof *p->pack)) {
        free(pack.at);
        return false;
    }
    const int wanted = pack.at[pack.one];
    for (int k = 0; k < count; ++k) {
        if (pack.at[k] < 0) continue;
        if (!pack.held) hide(p, pack.at[k], pack.at[k] == wanted ? pack.at[pack.other] : wanted, true);
        p->value[pack.at[k]].pack = p->npack;
        p->value[pack.at[k]].lane = k;
    }
    p->pack[p->npack++] = pack;
    return true;
}

bool cd_packs_find(cd_program* p)
{
    const cd_graph* g = p->graph;
    bool            loop = false;
    for (int i = 0, begin = 0; i < g->npack; begin = g->pack[i++]) {
        int at[CD_WIDEST_PACK];
        for (int k = begin; k < g->pack[i] && k - begin < CD_WIDEST_PACK; ++k) at[k - begin] = cd_reach_find(&p->reach, g->packed[k]);
        if (!take(p, g->pack[i] - begin, at)) return false;
    }
    if (!cd_program_arrange(p, &loop)) return false;
    if (!loop) return true;
    for (int i = 0; i < p->npack; ++i) free(p->pack[i].at);
    p->npack = 0;
    for (int i = 0; i < p->reach.count; ++i) {
        p->value[i].pack  = -1;
        p->value[i].inner = false;
    }
    return cd_program_arrange(p, &loop);
}

// ---- memory

static void mark(cd_program* p, int at, int line, int* stack)
{
    int depth      = 0;
    stack[depth++] = at;
    while (depth > 0) {
        const int i = stack[--depth];
        for (int k = 0; k < cd_operation_operands(operation_at(p, i)); ++k) {
            const int o = p->reach.list[i].operand[k];
            if (p->value[o].pack >= 0) p->pack[p->value[o].pack].last = line;
            else if (p->value[o].name < 0 && p->value[o].angle < 0) stack[depth++] = o;
        }
    }
}

static void mark_line(cd_program* p, int i, int* stack)
{
    const cd_line* line = &p->line[i];
    if (line->pack >= 0) {
        const cd_pack_of* pack = &p->pack[line->pack];
        for (int k = 0; k < pack->count; ++k)
            if (pack->at[k] >= 0) mark(p, pack->at[k], i, stack);
    } else if (p->value[line->at].pack >= 0) p->pack[p->value[line->at].pack].last = i;
    else if (line->output < 0 || p->value[line->at].name < 0) mark(p, line->at, i, stack);
}

// Free places: by size, as lists of packs that had them.
typedef struct idle {
    int count, slot;
} idle;

static int give_place(cd_program* p, int count, int* nidle, idle* list)
{
    const int size = (count + 3) / 4 * 4;
    for (int i = *nidle - 1; i >= 0; --i)
        if (list[i].count == size) {
            const int slot = list[i].slot;
            list[i]        = list[--*nidle];
            return slot;
        }
    p->nside += size;
    return p->nside - size;
}

bool cd_packs_place(cd_program* p)
{
    if (p->npack == 0) return true;
    int*       stack = cd_allocate((size_t)p->reach.count + 4, sizeof *stack);
    int*       ends  = cd_allocate((size_t)p->nline + 1, sizeof *ends);   // lists of packs by the last line that reads
    int*       next  = cd_allocate((size_t)p->npack + 1, sizeof *next);
    idle*      list  = cd_allocate((size_t)p->npack + 1, sizeof *list);
    const bool room  = stack && ends && next && list;
    int        nidle = 0;
    for (int i = 0; room && i < p->nline; ++i) {
        mark_line(p, i, stack);
        ends[i] = -1;
    }
    for (int i = 0; room && i < p->npack; ++i) {
        if (p->pack[i].last < 0) continue;
        next[i]                = ends[p->pack[i].last];
        ends[p->pack[i].last] = i;
    }
    for (int i = 0; room && i < p->nline; ++i) {
        const cd_line* line = &p->line[i];
        const bool     held = line->pack >= 0 && p->pack[line->pack].held;
        if (held) p->pack[line->pack].slot = give_place(p, p->pack[line->pack].count, &nidle, list);
        for (int k = ends[i]; k >= 0; k = next[k]) list[nidle++] = (idle){(p->pack[k].count + 3) / 4 * 4, p->pack[k].slot};
        if (line->pack >= 0 && !held) p->pack[line->pack].slot = give_place(p, p->pack[line->pack].count, &nidle, list);
    }
    free(stack), free(ends), free(next), free(list);
    return room;
}
