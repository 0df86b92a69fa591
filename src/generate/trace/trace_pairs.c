// SPDX-License-Identifier: BSD-3-Clause
// Paired branches, such as left and right limbs: the same joints on the same link, the same axes, other constants.
// Constants that differ become branch constants, which are not simplified by their values. So both branches are traced
// alike, and the marked numbers of one are computed by the same operations as those of the other.
#include "generate/trace/traced_links.h"

#include "core/memory.h"

#include <stdlib.h>

enum { MIN_BRANCH_LINKS = 3, MAX_ZERO_MISMATCH = 4 }; // links of a branch; zeros that only one of two links has

struct cd_pair_marks {
    struct {
        int     link;
        cd_node node;
    } * list;
    int count, capacity;
};

cd_pair_marks* cd_pair_marks_create(void) { return cd_allocate(1, sizeof(cd_pair_marks)); }

void cd_pair_marks_destroy(cd_pair_marks* m)
{
    if (m) free(m->list);
    free(m);
}

// ---- branches

// Count the entries that are zero in one array only.
static int zero_mismatches(int n, const double* x, const double* y)
{
    int count = 0;
    for (int i = 0; i < n; ++i) count += (x[i] == 0) != (y[i] == 0);
    return count;
}

static bool is_diagonal(const double R[9])
{
    return R[1] == 0 && R[2] == 0 && R[3] == 0 && R[5] == 0 && R[6] == 0 && R[7] == 0;
}

static bool links_match(const cd_link_tree* tree, int i, int j)
{
    const cd_tree_link *a = &tree->link[i], *b = &tree->link[j];
    if (a->motion != b->motion || a->nv != b->nv || a->is_flipped != b->is_flipped ||
        a->is_parallel != b->is_parallel || a->parallel_offset != b->parallel_offset || a->axes != b->axes)
        return false;
    for (int k = 0; k < 9 && (is_diagonal(a->R) || is_diagonal(b->R)); ++k)
        if (a->R[k] != b->R[k]) return false;
    if (zero_mismatches(1, &a->m, &b->m) > 0 ||
        zero_mismatches(a->nv, tree->armature + a->v, tree->armature + b->v) > 0)
        return false;
    return zero_mismatches(9, a->R, b->R) + zero_mismatches(3, a->p, b->p) + zero_mismatches(1, &a->pitch, &b->pitch) +
               zero_mismatches(3, a->h, b->h) + zero_mismatches(6, a->J, b->J) <=
           MAX_ZERO_MISMATCH;
}

// Next child of `parent` after `child`, or -1.
static int next_child(const cd_link_tree* tree, int parent, int child)
{
    for (int i = child + 1; i < tree->nlink; ++i)
        if (tree->link[i].parent == parent) return i;
    return -1;
}

static int pair_branches(const cd_link_tree* tree, int i, int j, int* partner)
{
    if (!links_match(tree, i, j)) return 0;
    int count = 1, a = next_child(tree, i, i), b = next_child(tree, j, j);
    for (; a >= 0 && b >= 0; a = next_child(tree, i, a), b = next_child(tree, j, b)) {
        const int descendants = pair_branches(tree, a, b, partner);
        if (descendants == 0) return 0;
        count += descendants;
    }
    if (a >= 0 || b >= 0) return 0;
    partner[i] = j;
    partner[j] = i;
    return count;
}

static void unpair_branch(const cd_link_tree* tree, int i, int* partner)
{
    partner[i] = -1;
    for (int c = next_child(tree, i, i); c >= 0; c = next_child(tree, i, c)) unpair_branch(tree, c, partner);
}

void cd_find_paired_branches(const cd_link_tree* tree, int* partner)
{
    for (int i = 0; i < tree->nlink; ++i) partner[i] = -1;
    for (int i = 0; i < tree->nlink; ++i)
        for (int j = next_child(tree, tree->link[i].parent, i); j >= 0 && partner[i] < 0;
             j     = next_child(tree, tree->link[i].parent, j)) {
            if (partner[j] >= 0 || pair_branches(tree, i, j, partner) >= MIN_BRANCH_LINKS) continue;
            unpair_branch(tree, i, partner);
            unpair_branch(tree, j, partner);
        }
}

// ---- numbers

real cd_link_constant(const traced_link* b, const double* c)
{
    const real plain = r_const(*c);
    if (!b->partner || plain.graph) return plain;
    const ptrdiff_t offset = (const char*)c - (const char*)b->link;
    const double    other  = *(const double*)(const void*)((const char*)b->partner + offset);
    if (*c == other) return plain;
    const double first = b->is_second ? other : *c, value = first < 0 ? -*c : *c;
    const real   paired_constant = {
          b->graph, cd_branch_constant(b->graph, value, b->constant_tag + (int)(offset / (ptrdiff_t)sizeof *c)), value};
    return first < 0 ? r_neg(paired_constant) : paired_constant;
}

void cd_mark_paired(const tracing* t, int link, size_t n, const real* x)
{
    cd_pair_marks* m = t->marks;
    if (!m || t->partner[link] < 0) return;
    for (size_t i = 0; i < n; ++i) {
        if (!cd_array_grow((void**)&m->list, &m->capacity, m->count, sizeof *m->list)) return;
        m->list[m->count].link   = link;
        m->list[m->count++].node = x[i].graph ? x[i].node : CD_NO_NODE;
    }
}

static int next_mark(const cd_pair_marks* m, int link, int at)
{
    while (at < m->count && m->list[at].link != link) ++at;
    return at;
}

void cd_pair_marked(const tracing* t)
{
    const cd_pair_marks* m = t->marks;
    for (int i = 0; m && i < t->tree->nlink; ++i) {
        if (t->partner[i] <= i) continue;
        int a = next_mark(m, i, 0), b = next_mark(m, t->partner[i], 0);
        for (; a < m->count && b < m->count; a = next_mark(m, i, a + 1), b = next_mark(m, t->partner[i], b + 1))
            cd_graph_add_pairs(t->graph, 1, &m->list[a].node, &m->list[b].node);
    }
}
