// SPDX-License-Identifier: BSD-3-Clause
// Pairs: values of two branches that the same operations compute, in one loop of two lanes. Both lanes read the same
// value, the two lanes of another pair, the sines or cosines of adjacent angles, or two unrelated values, which a
// gather copies to adjacent slots before. An operand that only one pair reads once becomes part of the expression of
// that pair.
#include "generate/program/program.h"

#include "core/memory.h"

#include <stdlib.h>

enum { MAX_PAIR_OPERATIONS = 8 };

static cd_operation operation_at(const cd_program* p, int at)
{
    return cd_node_operation(p->graph, p->subgraph.entry[at].node);
}

static bool is_arithmetic(cd_operation o) { return o >= CD_ADD && o <= CD_NEG; }

static bool is_free(const cd_program* p, int at)
{
    return p->value[at].group < 0 && p->value[at].angle < 0 && !p->value[at].inside_group && !p->value[at].feeds_angle;
}

static bool can_pair(const cd_program* p, int a, int b)
{
    return a != b && operation_at(p, a) == operation_at(p, b) && is_arithmetic(operation_at(p, a)) &&
           operation_at(p, a) != CD_NEG && is_free(p, a) && is_free(p, b);
}

cd_pair_kind cd_pair_classify(const cd_program* p, int a, int b)
{
    const cd_program_value *x = &p->value[a], *y = &p->value[b];
    const cd_operation      o = operation_at(p, a);
    if (a == b) return CD_PAIR_SAME;
    if (x->group >= 0 && x->group == y->group && p->group[x->group].is_pair && x->lane == 0 && y->lane == 1)
        return CD_PAIR_GROUP;
    if (x->angle >= 0 && y->angle == x->angle + 1 && o == operation_at(p, b)) return CD_PAIR_ANGLE;
    if (o == CD_NEG && operation_at(p, b) == CD_NEG) return CD_PAIR_NESTED;
    if (x->inside_group && y->inside_group && o == operation_at(p, b) && x->temporary < 0 && y->temporary < 0)
        return CD_PAIR_NESTED;
    return CD_PAIR_GATHER;
}

// ---- search

typedef struct pair_search {
    cd_program* p;
    int*        next_angle;      // (nangle) angle that gets the next number, or -1
    bool*       has_predecessor; // (nangle) another angle has it as next_angle
    bool        has_memory;
} pair_search;

static void make_pair(pair_search* s, int a, int b);

static bool operands_match(const pair_search* s, int a, int b)
{
    const cd_program* p = s->p;
    while (operation_at(p, a) == CD_NEG && operation_at(p, b) == CD_NEG)
        a = p->subgraph.entry[a].operand[0], b = p->subgraph.entry[b].operand[0];
    if (a == b || can_pair(p, a, b) || cd_pair_classify(p, a, b) == CD_PAIR_GROUP) return true;
    return operation_at(p, a) == operation_at(p, b) &&
           (cd_operation_operands(operation_at(p, a)) == 0 || p->value[a].angle >= 0);
}

static void pair_angles(pair_search* s, int a, int b)
{
    const int x = s->p->value[a].angle, y = s->p->value[b].angle;
    if (x < 0 || y < 0 || x == y || operation_at(s->p, a) != operation_at(s->p, b) || s->next_angle[x] >= 0 ||
        s->has_predecessor[x] || s->has_predecessor[y] || s->next_angle[y] >= 0)
        return;
    s->next_angle[x]      = y;
    s->has_predecessor[y] = true;
}

// Pair the operands of values a and b, which one loop computes. `length` counts the operations of its expression.
static void pair_operands(pair_search* s, int a, int b, int* length)
{
    cd_program*        p = s->p;
    int *              x = p->subgraph.entry[a].operand, *y = p->subgraph.entry[b].operand;
    const cd_operation o = operation_at(p, a);
    if ((o == CD_ADD || o == CD_MUL) && !(operands_match(s, x[0], y[0]) && operands_match(s, x[1], y[1])) &&
        operands_match(s, x[0], y[1]) && operands_match(s, x[1], y[0])) {
        const int swap = y[0];
        y[0]           = y[1];
        y[1]           = swap;
    }
    for (int i = 0; i < cd_operation_operands(o); ++i) {
        int c = x[i], d = y[i];
        while (operation_at(p, c) == CD_NEG && operation_at(p, d) == CD_NEG)
            c = p->subgraph.entry[c].operand[0], d = p->subgraph.entry[d].operand[0];
        pair_angles(s, c, d);
        if (!can_pair(p, c, d)) continue;
        if (p->value[c].use_count == 1 && p->value[d].use_count == 1 && *length < MAX_PAIR_OPERATIONS) {
            p->value[c].inside_group = p->value[d].inside_group = true;
            ++*length;
            pair_operands(s, c, d, length);
        } else
            make_pair(s, c, d);
    }
}

static void make_pair(pair_search* s, int a, int b)
{
    cd_program*     p      = s->p;
    int             length = 1;
    cd_vector_group group  = {.count        = 2,
                              .position     = cd_allocate(3, sizeof(int)),
                              .slot         = -1,
                              .last_line    = -1,
                              .lane_b       = 1,
                              .strip        = p->ngroup,
                              .predecessor  = -1,
                              .strip_length = 2,
                              .is_pair      = true};
    s->has_memory          = s->has_memory && group.position &&
                    cd_array_grow((void**)&p->group, &p->group_capacity, p->ngroup, sizeof *p->group);
    if (!s->has_memory) {
        free(group.position);
        return;
    }
    group.position[0] = a, group.position[1] = b;
    p->value[a].group = p->value[b].group = p->ngroup;
    p->value[a].lane = 0, p->value[b].lane = 1;
    p->group[p->ngroup++] = group;
    pair_operands(s, a, b, &length);
}

// Renumber the angles so that those of a pair have consecutive numbers.
static void renumber_angles(const pair_search* s, int* number)
{
    cd_program* p = s->p;
    int         n = 0;
    for (int i = 0; i < p->nangle; ++i) {
        if (s->has_predecessor[i]) continue;
        number[i] = n++;
        if (s->next_angle[i] >= 0) number[s->next_angle[i]] = n++;
    }
    for (int i = 0; i < p->subgraph.count; ++i)
        if (p->value[i].angle >= 0) p->value[i].angle = number[p->value[i].angle];
}

static int without_sign(const cd_program* p, int at)
{
    while (at >= 0 && operation_at(p, at) == CD_NEG) at = p->subgraph.entry[at].operand[0];
    return at;
}

// True for a negation whose operand has no other use and that is in no group.
static bool is_private_negation(const cd_program* p, int at)
{
    return operation_at(p, at) == CD_NEG && p->value[at].group < 0 &&
           operation_at(p, p->subgraph.entry[at].operand[0]) != CD_NEG &&
           p->value[p->subgraph.entry[at].operand[0]].use_count == 1;
}

bool cd_paired_values_find(cd_program* p)
{
    const cd_graph* g = p->graph;
    if (g->npair == 0) return true;
    const size_t n      = (size_t)p->nangle + 1;
    int*         number = cd_allocate(n, sizeof *number);
    pair_search  s      = {p, cd_allocate(n, sizeof(int)), cd_allocate(n, sizeof(bool)), true};
    s.has_memory        = number && s.next_angle && s.has_predecessor;
    for (int i = 0; s.has_memory && i < p->nangle; ++i) s.next_angle[i] = -1;
    for (int i = g->npair - 1; s.has_memory && i >= 0; --i) {
        const int one   = cd_subgraph_find(&p->subgraph, g->pair[i][0]),
                  other = cd_subgraph_find(&p->subgraph, g->pair[i][1]), a = without_sign(p, one),
                  b = without_sign(p, other);
        if (a < 0 || b < 0 || !can_pair(p, a, b)) continue;
        if (is_private_negation(p, one) && is_private_negation(p, other))
            make_pair(&s, one, other);
        else
            make_pair(&s, a, b);
    }
    if (s.has_memory) renumber_angles(&s, number);
    free(number), free(s.next_angle), free(s.has_predecessor);
    return s.has_memory;
}

// ---- slots

static bool request_gather(cd_program* p, int line, int a, int b)
{
    const int part = p->line[line].part;
    switch (cd_pair_classify(p, a, b)) {
    case CD_PAIR_SAME:
    case CD_PAIR_GROUP:
    case CD_PAIR_ANGLE:
        return true;
    case CD_PAIR_NESTED:
        for (int i = 0; i < cd_operation_operands(operation_at(p, a)); ++i)
            if (!request_gather(p, line, p->subgraph.entry[a].operand[i], p->subgraph.entry[b].operand[i]))
                return false;
        return true;
    case CD_PAIR_GATHER:
        break;
    }
    for (int i = p->ngather - 1; i >= 0 && p->gather[i].part == part; --i)
        if (p->gather[i].position[0] == a && p->gather[i].position[1] == b) return true;
    if (!cd_array_grow((void**)&p->gather, &p->gather_capacity, p->ngather, sizeof *p->gather)) return false;
    p->gather[p->ngather++] = (cd_gather){line, part, {a, b}, p->nlocal_slot[part]};
    p->nlocal_slot[part] += 2;
    return true;
}

bool cd_paired_values_allocate(cd_program* p)
{
    p->nlocal_slot = cd_allocate((size_t)p->npart + 1, sizeof *p->nlocal_slot);
    if (!p->nlocal_slot) return false;
    for (int l = 0; l < p->nline; ++l) {
        cd_vector_group* group = p->line[l].group >= 0 ? &p->group[p->line[l].group] : NULL;
        if (!group || !group->is_pair) continue;
        const int a = group->position[0], b = group->position[1];
        for (int i = 0; i < cd_operation_operands(operation_at(p, a)); ++i)
            if (!request_gather(p, l, p->subgraph.entry[a].operand[i], p->subgraph.entry[b].operand[i])) return false;
        group->is_part_local = group->last_part == group->part;
        if (!group->is_part_local) continue;
        group->slot = p->nlocal_slot[group->part];
        p->nlocal_slot[group->part] += 2;
    }
    return true;
}
