// SPDX-License-Identifier: BSD-3-Clause
// Vector groups of a program. A vector group of the graph becomes a loop if the same operations compute all its lanes,
// from operands that are the same for all lanes or are at the same lanes of other groups (superword-level parallelism).
// The lanes of a copy group are copied from unrelated values, one by one.
//
// A group is computed as a whole (program_order.c). The slots of a strip are reused after the last line that reads it.
// A line gets its slots before the strips that end at this line are freed, so a loop never writes slots that it reads
// at another offset.
#include "generate/program/program.h"

#include "core/memory.h"

#include <stdlib.h>

static cd_operation operation_at(const cd_program* p, int at)
{
    return cd_node_operation(p->graph, p->subgraph.entry[at].node);
}

static bool is_arithmetic(cd_operation o) { return o >= CD_ADD && o <= CD_NEG; }

// Negations stay outside of groups.
static int without_sign(const cd_program* p, int at)
{
    while (at >= 0 && operation_at(p, at) == CD_NEG) at = p->subgraph.entry[at].operand[0];
    return at;
}

// True if every used lane is a negation whose operand has no other use: then the negations belong to the group.
static bool all_negated(const cd_program* p, int count, const int* at)
{
    for (int k = 0; k < count; ++k)
        if (at[k] >= 0 && (operation_at(p, at[k]) != CD_NEG || p->value[without_sign(p, at[k])].use_count != 1))
            return false;
    return true;
}

// ---- search

static bool make_group(cd_program* p, int count, const int* at, cd_vector_group group);

// Offset of a grouped value in its strip.
static int strip_position(const cd_program* p, int at)
{
    return p->group[p->value[at].group].offset + p->value[at].lane;
}

// Record that a loop over `group` reads the strip of `at`, which lane_a reads, up to the corresponding end.
static void extend_strip_read(cd_program* p, const cd_vector_group* group, int at)
{
    cd_vector_group* head = &p->group[p->group[p->value[at].group].strip];
    const int        end =
        strip_position(p, at) - group->lane_a + (group->is_padded ? (group->count + 3) / 4 * 4 : group->count);
    if (end > head->read_end) head->read_end = end;
}

// Test whether the values at[k], one per lane, are the same for all lanes, or corresponding lanes of one strip, or are
// computed alike from such values. Values with several uses become a group by themselves.
static bool lanes_match(cd_program* p, const cd_vector_group* group, const int* at, bool top)
{
    const int one     = at[group->lane_a];
    bool      is_same = true, in_strip = !top, is_alike = true, is_shared = false;
    for (int k = 0; k < group->count; ++k) {
        if (group->position[k] < 0) continue;
        const cd_program_value* v = &p->value[at[k]];
        is_same                   = is_same && at[k] == one;
        in_strip                  = in_strip && v->group >= 0 && p->value[one].group >= 0 &&
                   p->group[v->group].strip == p->group[p->value[one].group].strip &&
                   strip_position(p, at[k]) - k == strip_position(p, one) - group->lane_a;
        is_alike =
            is_alike && operation_at(p, at[k]) == operation_at(p, one) && (top || (v->group < 0 && v->angle < 0));
        is_shared = is_shared || (!top && v->use_count > 1);
    }
    if (is_same && !top) return true;
    if (in_strip) {
        extend_strip_read(p, group, one);
        return true;
    }
    if (!is_alike || !is_arithmetic(operation_at(p, one))) return false;
    if (is_shared)
        return make_group(p, group->count, at,
                          (cd_vector_group){.strip = -1, .predecessor = -1, .is_padded = group->is_padded}) &&
               p->value[one].group >= 0 && p->value[at[group->lane_b]].group == p->value[one].group;
    for (int i = 0; i < cd_operation_operands(operation_at(p, one)); ++i) {
        int below[CD_VECTOR_GROUP_MAX];
        for (int k = 0; k < group->count; ++k)
            below[k] = group->position[k] < 0 ? -1 : p->subgraph.entry[at[k]].operand[i];
        if (!lanes_match(p, group, below, false)) return false;
    }
    return true;
}

// Mark all values inside the expression of a group; they get no temporary.
static void mark_inside_group(cd_program* p, int at, int other, bool top)
{
    if (!top && (at == other || p->value[at].group >= 0)) return;
    if (!top) p->value[at].inside_group = true;
    for (int i = 0; i < cd_operation_operands(operation_at(p, at)); ++i)
        mark_inside_group(p, p->subgraph.entry[at].operand[i], p->subgraph.entry[other].operand[i], false);
}

// True if the expression at `at` reads a vector group within `depth` operations.
static bool reads_groups(const cd_program* p, int at, int depth)
{
    if (p->value[at].group >= 0) return true;
    for (int i = 0; depth > 0 && i < cd_operation_operands(operation_at(p, at)); ++i)
        if (reads_groups(p, p->subgraph.entry[at].operand[i], depth - 1)) return true;
    return false;
}

// Test whether the copied values are computed alike from vector groups, so that a loop can replace the copies.
static bool copies_match(cd_program* p, const cd_vector_group* group)
{
    int below[CD_VECTOR_GROUP_MAX];
    for (int k = 0; k < group->count; ++k)
        below[k] = group->position[k] < 0 ? -1 : p->subgraph.entry[group->position[k]].operand[0];
    return group->is_padded && group->lane_b >= 0 && below[group->lane_a] != below[group->lane_b] &&
           reads_groups(p, below[group->lane_a], 4) && lanes_match(p, group, below, false);
}

// Make a vector group of these positions if possible, in the strip that `group` names. Returns false if memory runs
// out.
static bool make_group(cd_program* p, int count, const int* at, cd_vector_group group)
{
    group.count = count;
    group.slot = group.last_line = group.lane_a = group.lane_b = -1;
    group.is_copy                                              = true;
    if (count > CD_VECTOR_GROUP_MAX) return true;
    group.position = cd_allocate((size_t)count + 1, sizeof *group.position);
    if (!group.position) return false;
    bool       is_ungrouped = true;
    const bool signs        = all_negated(p, count, at);
    for (int k = 0; k < count; ++k) {
        group.position[k] = signs ? at[k] : without_sign(p, at[k]);
        if (group.position[k] < 0) continue;
        is_ungrouped = is_ungrouped && p->value[group.position[k]].group < 0 &&
                       !p->value[group.position[k]].inside_group && p->value[group.position[k]].angle < 0;
        group.is_copy = group.is_copy && operation_at(p, group.position[k]) == CD_COPY;
        if (group.lane_a < 0)
            group.lane_a = k;
        else if (group.lane_b < 0)
            group.lane_b = k;
    }
    if (!is_ungrouped || group.lane_a < 0 || (group.lane_b < 0 && !group.is_copy) ||
        (!group.is_copy && !lanes_match(p, &group, group.position, true))) {
        free(group.position);
        return true;
    }
    if (group.is_copy && copies_match(p, &group)) group.is_copy = false;
    if (!cd_array_grow((void**)&p->group, &p->group_capacity, p->ngroup, sizeof *p->group)) {
        free(group.position);
        return false;
    }
    const int used_position = group.position[group.lane_a];
    if (group.strip < 0) group.strip = p->ngroup, group.strip_length = count;
    for (int k = 0; k < count; ++k) {
        if (group.position[k] < 0) continue;
        if (!group.is_copy)
            mark_inside_group(p, group.position[k],
                              group.position[k] == used_position ? group.position[group.lane_b] : used_position, true);
        p->value[group.position[k]].group = p->ngroup;
        p->value[group.position[k]].lane  = k;
    }
    p->group[p->ngroup++] = group;
    return true;
}

// First used position, without its sign if the group excludes negations.
static int first_used_position(const cd_program* p, int count, const int* at)
{
    int k = 0;
    while (k < count && at[k] < 0) ++k;
    return k == count ? -1 : all_negated(p, count, at) ? at[k] : without_sign(p, at[k]);
}

// Make a strip of `length` consecutive groups of the graph from `first` on. Only if all of them have used lanes do they
// form a strip; else each becomes a group by itself.
static bool make_strip(cd_program* p, int first, int length)
{
    const cd_graph* g     = p->graph;
    int             begin = first > 0 ? g->group[first - 1].end : 0, offset = 0, strip = -1, predecessor = -1;
    const int       total = g->group[first + length - 1].end - begin;
    bool            whole = true;
    for (int i = first; i < first + length; ++i) {
        bool any = false;
        for (int k = i > 0 ? g->group[i - 1].end : 0; k < g->group[i].end; ++k)
            any = any || cd_subgraph_find(&p->subgraph, g->group_node[k]) >= 0;
        whole = whole && any;
    }
    for (int i = first; i < first + length; begin = g->group[i++].end) {
        const int count = g->group[i].end - begin, made = p->ngroup;
        int       at[CD_VECTOR_GROUP_MAX];
        for (int k = 0; k < count && k < CD_VECTOR_GROUP_MAX; ++k)
            at[k] = cd_subgraph_find(&p->subgraph, g->group_node[begin + k]);
        if (!make_group(p, count, at,
                        (cd_vector_group){.strip       = whole ? strip : -1,
                                          .predecessor = whole ? predecessor : -1,
                                          .offset      = whole ? offset : 0,
                                          .is_padded   = g->group[i].in_strip}))
            return false;
        // groups that make_group adds for shared operands have smaller numbers
        if (whole && p->ngroup > made &&
            p->group[p->ngroup - 1].position[p->group[p->ngroup - 1].lane_a] == first_used_position(p, count, at)) {
            cd_vector_group* group = &p->group[p->ngroup - 1];
            if (strip < 0) strip = p->ngroup - 1, group->strip_length = total;
            if (!group->is_copy) predecessor = p->ngroup - 1;
        }
        offset += count;
    }
    return true;
}

// Prepend group i to the strip that its `next` node begins; a strip by itself if there is none.
static bool prepend_group(cd_program* p, int i)
{
    const cd_graph* g     = p->graph;
    const int       begin = i > 0 ? g->group[i - 1].end : 0, count = g->group[i].end - begin,
              next = cd_subgraph_find(&p->subgraph, g->group[i].next), made = p->ngroup;
    const int strip = next >= 0 && p->value[next].group >= 0 ? p->group[p->value[next].group].strip : -1;
    if (strip < 0 || strip_position(p, next) != -p->group[strip].strip_front) return make_strip(p, i, 1);
    int at[CD_VECTOR_GROUP_MAX];
    for (int k = 0; k < count && k < CD_VECTOR_GROUP_MAX; ++k)
        at[k] = cd_subgraph_find(&p->subgraph, g->group_node[begin + k]);
    if (!make_group(
            p, count, at,
            (cd_vector_group){.strip = strip, .predecessor = -1, .offset = -p->group[strip].strip_front - count}))
        return false;
    if (p->ngroup > made) p->group[strip].strip_front += count;
    return true;
}

// Remove the groups from number `strips` on, which are the pairs.
static void drop_pairs(cd_program* p, int strips)
{
    while (p->ngroup > strips) free(p->group[--p->ngroup].position);
    for (int i = 0; i < p->subgraph.count; ++i) {
        p->value[i].inside_group = false;
        if (p->value[i].group >= strips) p->value[i].group = -1;
    }
    for (int i = 0; i < p->ngroup; ++i) {
        const cd_vector_group* group = &p->group[i];
        for (int k = 0; !group->is_copy && k < group->count; ++k)
            if (group->position[k] >= 0)
                mark_inside_group(p, group->position[k],
                                  group->position[k == group->lane_a ? group->lane_b : group->lane_a], true);
    }
}

bool cd_vector_groups_find(cd_program* p)
{
    const cd_graph* g         = p->graph;
    bool            is_cyclic = false;
    for (int i = 0, n = 1; i < g->ngroup; i += n) {
        for (n = 1; i + n < g->ngroup && g->group[i + n].follows_previous;) ++n;
        if (!(g->group[i].next >= 0 ? prepend_group(p, i) : make_strip(p, i, n))) return false;
    }
    const int strips = p->ngroup;
    if (!cd_paired_values_find(p) || !cd_program_order(p, &is_cyclic)) return false;
    if (!is_cyclic) return true;
    if (p->ngroup > strips) {
        drop_pairs(p, strips);
        if (!cd_program_order(p, &is_cyclic)) return false;
        if (!is_cyclic) return true;
    }
    for (int i = 0; i < p->ngroup; ++i) free(p->group[i].position);
    p->ngroup = 0;
    for (int i = 0; i < p->subgraph.count; ++i) {
        p->value[i].group        = -1;
        p->value[i].inside_group = false;
    }
    return cd_program_order(p, &is_cyclic);
}

// ---- memory

static void mark_group_reads(cd_program* p, int at, int line, int* stack)
{
    int depth      = 0;
    stack[depth++] = at;
    while (depth > 0) {
        const int i = stack[--depth];
        for (int k = 0; k < cd_operation_operands(operation_at(p, i)); ++k) {
            const int o = p->subgraph.entry[i].operand[k];
            if (p->value[o].group >= 0)
                p->group[p->value[o].group].last_line = line;
            else if (p->value[o].temporary < 0 && p->value[o].angle < 0)
                stack[depth++] = o;
        }
    }
}

static void mark_line_reads(cd_program* p, int i, int* stack)
{
    const cd_program_line* line = &p->line[i];
    if (line->group >= 0) {
        cd_vector_group* group = &p->group[line->group];
        for (int k = 0; k < group->count; ++k)
            if (group->position[k] >= 0) mark_group_reads(p, group->position[k], i, stack);
        if (p->group[group->strip].is_padded) group->last_line = i;
    } else if (p->value[line->position].group >= 0)
        p->group[p->value[line->position].group].last_line = i;
    else if (line->output < 0 || p->value[line->position].temporary < 0)
        mark_group_reads(p, line->position, i, stack);
}

// Free slots, sorted by slot.
typedef struct free_block {
    int count, slot;
} free_block;

static int strip_size(const cd_vector_group* head)
{
    if (head->is_pair) return 2;
    const int end = head->read_end > head->written_end ? head->read_end : head->written_end;
    return head->strip_front + ((end > head->strip_length ? end : head->strip_length) + 3) / 4 * 4;
}

// Pairs are aligned to two slots, strips to cache lines: a vector store across two cache lines takes twice the time,
// one across two pages many times as long.
static int aligned_slot(const cd_vector_group* head, int slot)
{
    const int step = head->is_pair ? 2 : 8;
    return (slot + step - 1) / step * step;
}

static void insert_free_block(int at, free_block free_one, int* nfree, free_block* list)
{
    for (int i = (*nfree)++; i > at; --i) list[i] = list[i - 1];
    list[at] = free_one;
}

// Allocate a strip in the smallest free block that is large enough; the remainder of the block stays free. The list is
// sorted by slot.
static int allocate_strip(cd_program* p, const cd_vector_group* head, int* nfree, free_block* list)
{
    const int size = strip_size(head);
    int       best = -1;
    for (int i = 0; i < *nfree; ++i)
        if (aligned_slot(head, list[i].slot) + size <= list[i].slot + list[i].count &&
            (best < 0 || list[i].count < list[best].count))
            best = i;
    if (best < 0) {
        const int slot = aligned_slot(head, p->ngroup_slot);
        if (slot > p->ngroup_slot)
            insert_free_block(*nfree, (free_block){slot - p->ngroup_slot, p->ngroup_slot}, nfree, list);
        p->ngroup_slot = slot + size;
        return slot;
    }
    const free_block from = list[best];
    const int slot = aligned_slot(head, from.slot), before = slot - from.slot, behind = from.count - before - size;
    --*nfree;
    for (int i = best; i < *nfree; ++i) list[i] = list[i + 1];
    if (behind > 0) insert_free_block(best, (free_block){behind, slot + size}, nfree, list);
    if (before > 0) insert_free_block(best, (free_block){before, from.slot}, nfree, list);
    return slot;
}

// Insert a block and merge it with adjacent free blocks.
static void free_strip(int size, int slot, int* nfree, free_block* list)
{
    int at = *nfree;
    while (at > 0 && list[at - 1].slot > slot) --at;
    const bool left  = at > 0 && list[at - 1].slot + list[at - 1].count == slot,
               right = at < *nfree && list[at].slot == slot + size;
    if (left)
        list[at - 1].count += size + (right ? list[at].count : 0);
    else if (right)
        list[at] = (free_block){list[at].count + size, slot};
    if (left && right) {
        --*nfree;
        for (int i = at; i < *nfree; ++i) list[i] = list[i + 1];
    }
    if (!left && !right) insert_free_block(at, (free_block){size, slot}, nfree, list);
}

// End of the lanes that the loop of a group writes, as offset in the strip.
static int written_end_of(const cd_vector_group* group)
{
    return group->offset + (group->is_padded && !group->is_copy ? (group->count + 3) / 4 * 4 : group->count);
}

static int first_after_strip(const cd_vector_group* head)
{
    return head->written_end > head->strip_length ? head->written_end : head->strip_length;
}

// Assign the slots of a group in its strip, which is allocated when its first group is written. `used`: slots that have
// been written before.
static void place_group(cd_program* p, cd_vector_group* group, int* nfree, free_block* list, bool* used)
{
    cd_vector_group* head = &p->group[group->strip];
    if (head->strip_base < 0) {
        head->strip_base    = allocate_strip(p, head, nfree, list) + head->strip_front;
        group->starts_strip = true;
        for (head->stale_end = first_after_strip(head);
             head->stale_end < head->read_end && used[head->strip_base + head->stale_end];)
            ++head->stale_end;
        for (int k = head->stale_end; k < head->read_end; ++k) used[head->strip_base + k] = true;
    }
    group->slot = head->strip_base + group->offset;
    for (int k = 0; group->direct_output < 0 && k < written_end_of(group) - group->offset; ++k)
        used[group->slot + k] = true; // a direct output does not write its slot
}

// Find the last line that reads or writes each strip and the end of what loops write. Returns an upper bound of the
// slots of all strips together.
static size_t measure_strips(cd_program* p)
{
    size_t total = 0;
    for (int i = 0; i < p->ngroup; ++i) {
        cd_vector_group *group = &p->group[i], *head = &p->group[group->strip];
        const int        end = written_end_of(group);
        if (group->last_line > head->last_line) head->last_line = group->last_line;
        if (end > head->written_end) head->written_end = end;
        head->strip_base      = -1;
        head->has_more_groups = head->has_more_groups || i != group->strip;
    }
    for (int i = 0; i < p->ngroup; ++i)
        if (p->group[i].strip == i && !p->group[i].is_part_local) total += (size_t)strip_size(&p->group[i]) + 8;
    return total;
}

bool cd_vector_groups_allocate(cd_program* p)
{
    if (!cd_paired_values_allocate(p)) return false;
    if (p->ngroup == 0) return true;
    int*        stack = cd_allocate((size_t)p->subgraph.count + 4, sizeof *stack);
    int*        ends  = cd_allocate((size_t)p->nline + 1, sizeof *ends); // linked lists of strips by their last line
    int*        next  = cd_allocate((size_t)p->ngroup + 1, sizeof *next);
    free_block* list  = cd_allocate(2 * (size_t)p->ngroup + 2, sizeof *list);
    bool        allocated = stack && ends && next && list;
    int         nfree     = 0;
    for (int i = 0; allocated && i < p->nline; ++i) {
        mark_line_reads(p, i, stack);
        ends[i] = -1;
    }
    bool* used = allocated ? cd_allocate(measure_strips(p) + 1, sizeof *used) : NULL;
    allocated  = used != NULL;
    for (int i = 0; allocated && i < p->ngroup; ++i) {
        if (p->group[i].last_line < 0 || p->group[i].strip != i || p->group[i].is_part_local) continue;
        next[i]                     = ends[p->group[i].last_line];
        ends[p->group[i].last_line] = i;
    }
    for (int i = 0; allocated && i < p->nline; ++i) {
        cd_vector_group* group =
            p->line[i].group >= 0 && !p->group[p->line[i].group].is_part_local ? &p->group[p->line[i].group] : NULL;
        if (group) place_group(p, group, &nfree, list, used); // before the strips that end here are freed
        for (int k = ends[i]; k >= 0; k = next[k])
            free_strip(strip_size(&p->group[k]), p->group[k].strip_base - p->group[k].strip_front, &nfree, list);
    }
    free(stack), free(ends), free(next), free(list), free(used);
    return allocated;
}
