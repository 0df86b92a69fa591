// SPDX-License-Identifier: BSD-3-Clause
// Twins: values of two branches that are computed alike, by one loop over both. What both read is the same, the twins
// of another loop, angles that stand side by side, or two numbers from anywhere, which are put side by side before.
// What only one reads once stays inside of the loop that reads it.
#include "generate/program.h"

#include "core/memory.h"

#include <stdlib.h>

enum { LONGEST = 8 };

static cd_operation operation_at(const cd_program* p, int at)
{
    return cd_node_operation(p->graph, p->reach.list[at].node);
}

static bool is_arithmetic(cd_operation o) { return o >= CD_ADD && o <= CD_NEG; }

static bool is_free(const cd_program* p, int at)
{
    return p->value[at].pack < 0 && p->value[at].angle < 0 && !p->value[at].inner && !p->value[at].first;
}

static bool may_pair(const cd_program* p, int a, int b)
{
    return a != b && operation_at(p, a) == operation_at(p, b) && is_arithmetic(operation_at(p, a)) &&
           operation_at(p, a) != CD_NEG && is_free(p, a) && is_free(p, b);
}

cd_pair_kind cd_pair_of(const cd_program* p, int a, int b)
{
    const cd_value *   x = &p->value[a], *y = &p->value[b];
    const cd_operation o = operation_at(p, a);
    if (a == b) return CD_PAIR_SAME;
    if (x->pack >= 0 && x->pack == y->pack && p->pack[x->pack].twins && x->lane == 0 && y->lane == 1)
        return CD_PAIR_PACK;
    if (x->angle >= 0 && y->angle == x->angle + 1 && o == operation_at(p, b)) return CD_PAIR_ANGLE;
    if (o == CD_NEG && operation_at(p, b) == CD_NEG) return CD_PAIR_INSIDE;
    if (x->inner && y->inner && o == operation_at(p, b) && x->name < 0 && y->name < 0) return CD_PAIR_INSIDE;
    return CD_PAIR_GATHER;
}

// ---- finding

typedef struct search {
    cd_program* p;
    int*        next;   // (nangle) the angle that should stand behind, or -1
    bool*       behind; // (nangle)
    bool        room;
} search;

static void take(search* s, int a, int b);

static bool fits(const search* s, int a, int b)
{
    const cd_program* p = s->p;
    while (operation_at(p, a) == CD_NEG && operation_at(p, b) == CD_NEG)
        a = p->reach.list[a].operand[0], b = p->reach.list[b].operand[0];
    if (a == b || may_pair(p, a, b) || cd_pair_of(p, a, b) == CD_PAIR_PACK) return true;
    return operation_at(p, a) == operation_at(p, b) &&
           (cd_operation_operands(operation_at(p, a)) == 0 || p->value[a].angle >= 0);
}

static void want_angles(search* s, int a, int b)
{
    const int x = s->p->value[a].angle, y = s->p->value[b].angle;
    if (x < 0 || y < 0 || x == y || operation_at(s->p, a) != operation_at(s->p, b) || s->next[x] >= 0 || s->behind[x] ||
        s->behind[y] || s->next[y] >= 0)
        return;
    s->next[x]   = y;
    s->behind[y] = true;
}

// Operands of two values that one loop computes.
static void go_down(search* s, int a, int b, int* length)
{
    cd_program*        p = s->p;
    int *              x = p->reach.list[a].operand, *y = p->reach.list[b].operand;
    const cd_operation o = operation_at(p, a);
    if ((o == CD_ADD || o == CD_MUL) && !(fits(s, x[0], y[0]) && fits(s, x[1], y[1])) && fits(s, x[0], y[1]) &&
        fits(s, x[1], y[0])) {
        const int swap = y[0];
        y[0]           = y[1];
        y[1]           = swap;
    }
    for (int i = 0; i < cd_operation_operands(o); ++i) {
        int c = x[i], d = y[i];
        while (operation_at(p, c) == CD_NEG && operation_at(p, d) == CD_NEG)
            c = p->reach.list[c].operand[0], d = p->reach.list[d].operand[0];
        want_angles(s, c, d);
        if (!may_pair(p, c, d)) continue;
        if (p->value[c].uses == 1 && p->value[d].uses == 1 && *length < LONGEST) {
            p->value[c].inner = p->value[d].inner = true;
            ++*length;
            go_down(s, c, d, length);
        } else
            take(s, c, d);
    }
}

static void take(search* s, int a, int b)
{
    cd_program* p      = s->p;
    int         length = 1;
    cd_pack_of  pack   = {.count  = 2,
                          .at     = cd_allocate(3, sizeof(int)),
                          .slot   = -1,
                          .last   = -1,
                          .other  = 1,
                          .row    = p->npack,
                          .before = -1,
                          .total  = 2,
                          .twins  = true};
    s->room            = s->room && pack.at && cd_grow((void**)&p->pack, &p->cpack, p->npack, sizeof *p->pack);
    if (!s->room) {
        free(pack.at);
        return;
    }
    pack.at[0] = a, pack.at[1] = b;
    p->value[a].pack = p->value[b].pack = p->npack;
    p->value[a].lane = 0, p->value[b].lane = 1;
    p->pack[p->npack++] = pack;
    go_down(s, a, b, &length);
}

// Angles anew: those of twins one behind the other.
static void renumber(const search* s, int* number)
{
    cd_program* p = s->p;
    int         n = 0;
    for (int i = 0; i < p->nangle; ++i) {
        if (s->behind[i]) continue;
        number[i] = n++;
        if (s->next[i] >= 0) number[s->next[i]] = n++;
    }
    for (int i = 0; i < p->reach.count; ++i)
        if (p->value[i].angle >= 0) p->value[i].angle = number[p->value[i].angle];
}

static int behind_sign(const cd_program* p, int at)
{
    while (at >= 0 && operation_at(p, at) == CD_NEG) at = p->reach.list[at].operand[0];
    return at;
}

// A sign that nobody does without, and that nothing computes yet.
static bool has_sign(const cd_program* p, int at)
{
    return operation_at(p, at) == CD_NEG && p->value[at].pack < 0 &&
           operation_at(p, p->reach.list[at].operand[0]) != CD_NEG && p->value[p->reach.list[at].operand[0]].uses == 1;
}

bool cd_pairs_find(cd_program* p)
{
    const cd_graph* g = p->graph;
    if (g->ntwin == 0) return true;
    const size_t n      = (size_t)p->nangle + 1;
    int*         number = cd_allocate(n, sizeof *number);
    search       s      = {p, cd_allocate(n, sizeof(int)), cd_allocate(n, sizeof(bool)), true};
    s.room              = number && s.next && s.behind;
    for (int i = 0; s.room && i < p->nangle; ++i) s.next[i] = -1;
    for (int i = g->ntwin - 1; s.room && i >= 0; --i) {
        const int one = cd_reach_find(&p->reach, g->twin[i][0]), other = cd_reach_find(&p->reach, g->twin[i][1]),
                  a = behind_sign(p, one), b = behind_sign(p, other);
        if (a < 0 || b < 0 || !may_pair(p, a, b)) continue;
        if (has_sign(p, one) && has_sign(p, other))
            take(&s, one, other);
        else
            take(&s, a, b);
    }
    if (s.room) renumber(&s, number);
    free(number), free(s.next), free(s.behind);
    return s.room;
}

// ---- places

static bool want(cd_program* p, int line, int a, int b)
{
    const int part = p->line[line].part;
    switch (cd_pair_of(p, a, b)) {
    case CD_PAIR_SAME:
    case CD_PAIR_PACK:
    case CD_PAIR_ANGLE:
        return true;
    case CD_PAIR_INSIDE:
        for (int i = 0; i < cd_operation_operands(operation_at(p, a)); ++i)
            if (!want(p, line, p->reach.list[a].operand[i], p->reach.list[b].operand[i])) return false;
        return true;
    case CD_PAIR_GATHER:
        break;
    }
    for (int i = p->ngather - 1; i >= 0 && p->gather[i].part == part; --i)
        if (p->gather[i].at[0] == a && p->gather[i].at[1] == b) return true;
    if (!cd_grow((void**)&p->gather, &p->cgather, p->ngather, sizeof *p->gather)) return false;
    p->gather[p->ngather++] = (cd_gather){line, part, {a, b}, p->nlocal[part]};
    p->nlocal[part] += 2;
    return true;
}

bool cd_pairs_place(cd_program* p)
{
    p->nlocal = cd_allocate((size_t)p->npart + 1, sizeof *p->nlocal);
    if (!p->nlocal) return false;
    for (int l = 0; l < p->nline; ++l) {
        cd_pack_of* pack = p->line[l].pack >= 0 ? &p->pack[p->line[l].pack] : NULL;
        if (!pack || !pack->twins) continue;
        const int a = pack->at[0], b = pack->at[1];
        for (int i = 0; i < cd_operation_operands(operation_at(p, a)); ++i)
            if (!want(p, l, p->reach.list[a].operand[i], p->reach.list[b].operand[i])) return false;
        pack->local = pack->last_part == pack->part;
        if (!pack->local) continue;
        pack->slot = p->nlocal[pack->part];
        p->nlocal[pack->part] += 2;
    }
    return true;
}
