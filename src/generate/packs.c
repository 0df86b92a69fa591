// SPDX-License-Identifier: BSD-3-Clause
// Packs in programs. A pack of the graph becomes a loop if what computes its values is alike in all of them: the same
// operations on values that are either the same for all, or stand at the same places of packs. A pack of held numbers
// takes its values from anywhere, one after the other.
//
// A pack is computed as a whole (order.c). Memory is given again after the last line that reads; a loop may write where
// it reads, because place k needs nothing but places k.
#include "generate/program.h"

#include "core/memory.h"

#include <stdlib.h>

static cd_operation operation_at(const cd_program* p, int at)
{
    return cd_node_operation(p->graph, p->reach.list[at].node);
}

static bool is_arithmetic(cd_operation o) { return o >= CD_ADD && o <= CD_NEG; }

// Signs stay outside of packs.
static int behind_sign(const cd_program* p, int at)
{
    while (at >= 0 && operation_at(p, at) == CD_NEG) at = p->reach.list[at].operand[0];
    return at;
}

// A sign that nobody else does without stays inside, where all have one.
static bool have_signs(const cd_program* p, int count, const int* at)
{
    for (int k = 0; k < count; ++k)
        if (at[k] >= 0 && (operation_at(p, at[k]) != CD_NEG || p->value[behind_sign(p, at[k])].uses != 1)) return false;
    return true;
}

// ---- what is alike

static bool take(cd_program* p, int count, const int* at, cd_pack_of like);

// Its place in the row.
static int place_of(const cd_program* p, int at) { return p->pack[p->value[at].pack].offset + p->value[at].lane; }

// A loop over a pack reads the row of what its lane `one` reads.
static void read_along(cd_program* p, const cd_pack_of* pack, int at)
{
    cd_pack_of* head = &p->pack[p->pack[p->value[at].pack].row];
    const int   end  = place_of(p, at) - pack->one + (pack->padded ? (pack->count + 3) / 4 * 4 : pack->count);
    if (end > head->read) head->read = end;
}

// Are these, one of each lane, the same for all, or places of one pack, or computed alike from what is? What several
// want becomes a pack of its own.
static bool are_alike(cd_program* p, const cd_pack_of* pack, const int* at, bool top)
{
    const int one  = at[pack->one];
    bool      same = true, packed = !top, like = true, shared = false;
    for (int k = 0; k < pack->count; ++k) {
        if (pack->at[k] < 0) continue;
        const cd_value* v = &p->value[at[k]];
        same              = same && at[k] == one;
        packed            = packed && v->pack >= 0 && p->value[one].pack >= 0 &&
                 p->pack[v->pack].row == p->pack[p->value[one].pack].row &&
                 place_of(p, at[k]) - k == place_of(p, one) - pack->one;
        like   = like && operation_at(p, at[k]) == operation_at(p, one) && (top || (v->pack < 0 && v->angle < 0));
        shared = shared || (!top && v->uses > 1);
    }
    if (same && !top) return true;
    if (packed) {
        read_along(p, pack, one);
        return true;
    }
    if (!like || !is_arithmetic(operation_at(p, one))) return false;
    if (shared)
        return take(p, pack->count, at, (cd_pack_of){.row = -1, .before = -1, .padded = pack->padded}) &&
               p->value[one].pack >= 0 && p->value[at[pack->other]].pack == p->value[one].pack;
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
    for (int i = 0; i < cd_operation_operands(operation_at(p, at)); ++i)
        hide(p, p->reach.list[at].operand[i], p->reach.list[other].operand[i], false);
}

// Does it come from places of packs?
static bool reads_packs(const cd_program* p, int at, int deep)
{
    if (p->value[at].pack >= 0) return true;
    for (int i = 0; deep > 0 && i < cd_operation_operands(operation_at(p, at)); ++i)
        if (reads_packs(p, p->reach.list[at].operand[i], deep - 1)) return true;
    return false;
}

// Held numbers that are alike themselves.
static bool are_held_alike(cd_program* p, const cd_pack_of* pack)
{
    int below[CD_WIDEST_PACK];
    for (int k = 0; k < pack->count; ++k) below[k] = pack->at[k] < 0 ? -1 : p->reach.list[pack->at[k]].operand[0];
    return pack->padded && pack->other >= 0 && below[pack->one] != below[pack->other] &&
           reads_packs(p, below[pack->one], 4) && are_alike(p, pack, below, false);
}

// A pack of these positions where it can be one, in a row as told. False without memory.
static bool take(cd_program* p, int count, const int* at, cd_pack_of pack)
{
    pack.count = count;
    pack.slot = pack.last = pack.one = pack.other = -1;
    pack.held                                     = true;
    if (count > CD_WIDEST_PACK) return true;
    pack.at = cd_allocate((size_t)count + 1, sizeof *pack.at);
    if (!pack.at) return false;
    bool       alone = true;
    const bool signs = have_signs(p, count, at);
    for (int k = 0; k < count; ++k) {
        pack.at[k] = signs ? at[k] : behind_sign(p, at[k]);
        if (pack.at[k] < 0) continue;
        alone = alone && p->value[pack.at[k]].pack < 0 && !p->value[pack.at[k]].inner && p->value[pack.at[k]].angle < 0;
        pack.held = pack.held && operation_at(p, pack.at[k]) == CD_HOLD;
        if (pack.one < 0)
            pack.one = k;
        else if (pack.other < 0)
            pack.other = k;
    }
    if (!alone || pack.one < 0 || (pack.other < 0 && !pack.held) ||
        (!pack.held && !are_alike(p, &pack, pack.at, true))) {
        free(pack.at);
        return true;
    }
    if (pack.held && are_held_alike(p, &pack)) pack.held = false;
    if (!cd_grow((void**)&p->pack, &p->cpack, p->npack, sizeof *p->pack)) {
        free(pack.at);
        return false;
    }
    const int wanted = pack.at[pack.one];
    if (pack.row < 0) pack.row = p->npack, pack.total = count;
    for (int k = 0; k < count; ++k) {
        if (pack.at[k] < 0) continue;
        if (!pack.held) hide(p, pack.at[k], pack.at[k] == wanted ? pack.at[pack.other] : wanted, true);
        p->value[pack.at[k]].pack = p->npack;
        p->value[pack.at[k]].lane = k;
    }
    p->pack[p->npack++] = pack;
    return true;
}

// The first that is wanted, as packs have it.
static int at_first(const cd_program* p, int count, const int* at)
{
    int k = 0;
    while (k < count && at[k] < 0) ++k;
    return k == count ? -1 : have_signs(p, count, at) ? at[k] : behind_sign(p, at[k]);
}

// A row: npack packs from the first on, each behind the other; all or none of them have something that is wanted, or
// they are packs by themselves.
static bool take_row(cd_program* p, int first, int npack)
{
    const cd_graph* g     = p->graph;
    int             begin = first > 0 ? g->pack[first - 1].end : 0, offset = 0, row = -1, before = -1;
    const int       total = g->pack[first + npack - 1].end - begin;
    bool            whole = true;
    for (int i = first; i < first + npack; ++i) {
        bool any = false;
        for (int k = i > 0 ? g->pack[i - 1].end : 0; k < g->pack[i].end; ++k)
            any = any || cd_reach_find(&p->reach, g->packed[k]) >= 0;
        whole = whole && any;
    }
    for (int i = first; i < first + npack; begin = g->pack[i++].end) {
        const int count = g->pack[i].end - begin, made = p->npack;
        int       at[CD_WIDEST_PACK];
        for (int k = 0; k < count && k < CD_WIDEST_PACK; ++k) at[k] = cd_reach_find(&p->reach, g->packed[begin + k]);
        if (!take(p, count, at,
                  (cd_pack_of){.row    = whole ? row : -1,
                               .before = whole ? before : -1,
                               .offset = whole ? offset : 0,
                               .padded = g->pack[i].row}))
            return false;
        // what it made on the way stands before it
        if (whole && p->npack > made && p->pack[p->npack - 1].at[p->pack[p->npack - 1].one] == at_first(p, count, at)) {
            cd_pack_of* pack = &p->pack[p->npack - 1];
            if (row < 0) row = p->npack - 1, pack->total = total;
            if (!pack->held) before = p->npack - 1;
        }
        offset += count;
    }
    return true;
}

// A pack before the first of a row, which becomes a longer row where it is. One of its own where there is no such row.
static bool take_before(cd_program* p, int i)
{
    const cd_graph* g     = p->graph;
    const int       begin = i > 0 ? g->pack[i - 1].end : 0, count = g->pack[i].end - begin,
              next = cd_reach_find(&p->reach, g->pack[i].next), made = p->npack;
    const int row = next >= 0 && p->value[next].pack >= 0 ? p->pack[p->value[next].pack].row : -1;
    if (row < 0 || place_of(p, next) != -p->pack[row].front) return take_row(p, i, 1);
    int at[CD_WIDEST_PACK];
    for (int k = 0; k < count && k < CD_WIDEST_PACK; ++k) at[k] = cd_reach_find(&p->reach, g->packed[begin + k]);
    if (!take(p, count, at, (cd_pack_of){.row = row, .before = -1, .offset = -p->pack[row].front - count}))
        return false;
    if (p->npack > made) p->pack[row].front += count;
    return true;
}

// Packs from `rows` on are no more.
static void drop_twins(cd_program* p, int rows)
{
    while (p->npack > rows) free(p->pack[--p->npack].at);
    for (int i = 0; i < p->reach.count; ++i) {
        p->value[i].inner = false;
        if (p->value[i].pack >= rows) p->value[i].pack = -1;
    }
    for (int i = 0; i < p->npack; ++i) {
        const cd_pack_of* pack = &p->pack[i];
        for (int k = 0; !pack->held && k < pack->count; ++k)
            if (pack->at[k] >= 0) hide(p, pack->at[k], pack->at[k == pack->one ? pack->other : pack->one], true);
    }
}

bool cd_packs_find(cd_program* p)
{
    const cd_graph* g    = p->graph;
    bool            loop = false;
    for (int i = 0, n = 1; i < g->npack; i += n) {
        for (n = 1; i + n < g->npack && g->pack[i + n].behind;) ++n;
        if (!(g->pack[i].next >= 0 ? take_before(p, i) : take_row(p, i, n))) return false;
    }
    const int rows = p->npack;
    if (!cd_pairs_find(p) || !cd_program_arrange(p, &loop)) return false;
    if (!loop) return true;
    if (p->npack > rows) {
        drop_twins(p, rows);
        if (!cd_program_arrange(p, &loop)) return false;
        if (!loop) return true;
    }
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
            if (p->value[o].pack >= 0)
                p->pack[p->value[o].pack].last = line;
            else if (p->value[o].name < 0 && p->value[o].angle < 0)
                stack[depth++] = o;
        }
    }
}

static void mark_line(cd_program* p, int i, int* stack)
{
    const cd_line* line = &p->line[i];
    if (line->pack >= 0) {
        cd_pack_of* pack = &p->pack[line->pack];
        for (int k = 0; k < pack->count; ++k)
            if (pack->at[k] >= 0) mark(p, pack->at[k], i, stack);
        if (p->pack[pack->row].padded) pack->last = i;
    } else if (p->value[line->at].pack >= 0)
        p->pack[p->value[line->at].pack].last = i;
    else if (line->output < 0 || p->value[line->at].name < 0)
        mark(p, line->at, i, stack);
}

// Free places, by size.
typedef struct idle {
    int count, slot;
} idle;

static int room_of(const cd_pack_of* head)
{
    if (head->twins) return 2;
    const int end = head->read > head->written ? head->read : head->written;
    return head->front + ((end > head->total ? end : head->total) + 3) / 4 * 4;
}

// Twins stand at even places, rows where lines of caches begin: vectors across two lines take twice the time to write,
// those across two pages many times.
static int aligned(const cd_pack_of* head, int slot)
{
    const int step = head->twins ? 2 : 8;
    return (slot + step - 1) / step * step;
}

static void insert(int at, idle free_one, int* nidle, idle* list)
{
    for (int i = (*nidle)++; i > at; --i) list[i] = list[i - 1];
    list[at] = free_one;
}

// The smallest that is free and wide enough, of which the rest stays free. The list is sorted by places.
static int give_place(cd_program* p, const cd_pack_of* head, int* nidle, idle* list)
{
    const int size = room_of(head);
    int       best = -1;
    for (int i = 0; i < *nidle; ++i)
        if (aligned(head, list[i].slot) + size <= list[i].slot + list[i].count &&
            (best < 0 || list[i].count < list[best].count))
            best = i;
    if (best < 0) {
        const int slot = aligned(head, p->nside);
        if (slot > p->nside) insert(*nidle, (idle){slot - p->nside, p->nside}, nidle, list);
        p->nside = slot + size;
        return slot;
    }
    const idle from = list[best];
    const int  slot = aligned(head, from.slot), before = slot - from.slot, behind = from.count - before - size;
    --*nidle;
    for (int i = best; i < *nidle; ++i) list[i] = list[i + 1];
    if (behind > 0) insert(best, (idle){behind, slot + size}, nidle, list);
    if (before > 0) insert(best, (idle){before, from.slot}, nidle, list);
    return slot;
}

// Neighbours become one.
static void take_back(int size, int slot, int* nidle, idle* list)
{
    int at = *nidle;
    while (at > 0 && list[at - 1].slot > slot) --at;
    const bool left  = at > 0 && list[at - 1].slot + list[at - 1].count == slot,
               right = at < *nidle && list[at].slot == slot + size;
    if (left)
        list[at - 1].count += size + (right ? list[at].count : 0);
    else if (right)
        list[at] = (idle){list[at].count + size, slot};
    if (left && right) {
        --*nidle;
        for (int i = at; i < *nidle; ++i) list[i] = list[i + 1];
    }
    if (!left && !right) insert(at, (idle){size, slot}, nidle, list);
}

// Where in its row it is written to.
static int end_of(const cd_pack_of* pack)
{
    return pack->offset + (pack->padded && !pack->held ? (pack->count + 3) / 4 * 4 : pack->count);
}

static int first_behind(const cd_pack_of* head) { return head->written > head->total ? head->written : head->total; }

// The place of a pack in its row, which gets one when the first of its packs is written. `used`: places that have been
// written.
static void settle(cd_program* p, cd_pack_of* pack, int* nidle, idle* list, bool* used)
{
    cd_pack_of* head = &p->pack[pack->row];
    if (head->base < 0) {
        head->base  = give_place(p, head, nidle, list) + head->front;
        pack->opens = true;
        for (head->stale = first_behind(head); head->stale < head->read && used[head->base + head->stale];)
            ++head->stale;
        for (int k = head->stale; k < head->read; ++k) used[head->base + k] = true;
    }
    pack->slot = head->base + pack->offset;
    for (int k = 0; pack->direct < 0 && k < end_of(pack) - pack->offset; ++k)
        used[pack->slot + k] = true; // what goes out leaves its place alone
}

// Rows by the last line that touches them, and what loops write of them; places that all of them take together at most.
static size_t measure_rows(cd_program* p)
{
    size_t most = 0;
    for (int i = 0; i < p->npack; ++i) {
        cd_pack_of *pack = &p->pack[i], *head = &p->pack[pack->row];
        const int   end = end_of(pack);
        if (pack->last > head->last) head->last = pack->last;
        if (end > head->written) head->written = end;
        head->base = -1;
        head->many = head->many || i != pack->row;
    }
    for (int i = 0; i < p->npack; ++i)
        if (p->pack[i].row == i && !p->pack[i].local) most += (size_t)room_of(&p->pack[i]) + 8;
    return most;
}

bool cd_packs_place(cd_program* p)
{
    if (!cd_pairs_place(p)) return false;
    if (p->npack == 0) return true;
    int*  stack = cd_allocate((size_t)p->reach.count + 4, sizeof *stack);
    int*  ends  = cd_allocate((size_t)p->nline + 1, sizeof *ends); // lists of rows by the last line that touches them
    int*  next  = cd_allocate((size_t)p->npack + 1, sizeof *next);
    idle* list  = cd_allocate(2 * (size_t)p->npack + 2, sizeof *list);
    bool  room  = stack && ends && next && list;
    int   nidle = 0;
    for (int i = 0; room && i < p->nline; ++i) {
        mark_line(p, i, stack);
        ends[i] = -1;
    }
    bool* used = room ? cd_allocate(measure_rows(p) + 1, sizeof *used) : NULL;
    room       = used != NULL;
    for (int i = 0; room && i < p->npack; ++i) {
        if (p->pack[i].last < 0 || p->pack[i].row != i || p->pack[i].local) continue;
        next[i]               = ends[p->pack[i].last];
        ends[p->pack[i].last] = i;
    }
    for (int i = 0; room && i < p->nline; ++i) {
        cd_pack_of* pack = p->line[i].pack >= 0 && !p->pack[p->line[i].pack].local ? &p->pack[p->line[i].pack] : NULL;
        if (pack) settle(p, pack, &nidle, list, used); // a loop must not write what it reads at another place
        for (int k = ends[i]; k >= 0; k = next[k])
            take_back(room_of(&p->pack[k]), p->pack[k].base - p->pack[k].front, &nidle, list);
    }
    free(stack), free(ends), free(next), free(list), free(used);
    return room;
}
