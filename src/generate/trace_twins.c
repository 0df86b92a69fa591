// SPDX-License-Identifier: BSD-3-Clause
// Branches that are alike, as left and right limbs are: the same joints on the same bone, the same axes, other
// constants. Constants that differ are numbers of a side, by whose values nothing is simplified, so that both are
// traced alike, and what is marked in one is computed as what is marked in the other.
#include "generate/traced.h"

#include "core/memory.h"

#include <stdlib.h>

enum { FEWEST = 3, MOST_DIFFERING = 4 }; // bones of a branch; zeros that only one of two bones has

struct cd_marks {
    struct {
        int     bone;
        cd_node node;
    } * list;
    int count, capacity;
};

cd_marks* cd_marks_create(void) { return cd_allocate(1, sizeof(cd_marks)); }

void cd_marks_destroy(cd_marks* m)
{
    if (m) free(m->list);
    free(m);
}

// ---- branches

// How often one is zero and the other is not.
static int differing(int n, const double* x, const double* y)
{
    int count = 0;
    for (int i = 0; i < n; ++i) count += (x[i] == 0) != (y[i] == 0);
    return count;
}

static bool is_diagonal(const double R[9])
{
    return R[1] == 0 && R[2] == 0 && R[3] == 0 && R[5] == 0 && R[6] == 0 && R[7] == 0;
}

static bool are_alike(const cd_skeleton* s, int i, int j)
{
    const cd_bone *a = &s->bone[i], *b = &s->bone[j];
    if (a->motion != b->motion || a->nv != b->nv || a->flipped != b->flipped || a->parallel != b->parallel ||
        a->offset != b->offset || a->axes != b->axes)
        return false;
    for (int k = 0; k < 9 && (is_diagonal(a->R) || is_diagonal(b->R)); ++k)
        if (a->R[k] != b->R[k]) return false;
    if (differing(1, &a->m, &b->m) > 0 || differing(a->nv, s->armature + a->v, s->armature + b->v) > 0) return false;
    return differing(9, a->R, b->R) + differing(3, a->p, b->p) + differing(1, &a->pitch, &b->pitch) +
               differing(3, a->h, b->h) + differing(6, a->J, b->J) <=
           MOST_DIFFERING;
}

// The next bone of this parent behind `child`, or -1.
static int next_child(const cd_skeleton* s, int parent, int child)
{
    for (int i = child + 1; i < s->nbone; ++i)
        if (s->bone[i].parent == parent) return i;
    return -1;
}

static int pair_branches(const cd_skeleton* s, int i, int j, int* twin)
{
    if (!are_alike(s, i, j)) return 0;
    int count = 1, a = next_child(s, i, i), b = next_child(s, j, j);
    for (; a >= 0 && b >= 0; a = next_child(s, i, a), b = next_child(s, j, b)) {
        const int behind = pair_branches(s, a, b, twin);
        if (behind == 0) return 0;
        count += behind;
    }
    if (a >= 0 || b >= 0) return 0;
    twin[i] = j;
    twin[j] = i;
    return count;
}

static void forget(const cd_skeleton* s, int i, int* twin)
{
    twin[i] = -1;
    for (int c = next_child(s, i, i); c >= 0; c = next_child(s, i, c)) forget(s, c, twin);
}

void cd_find_twins(const cd_skeleton* s, int* twin)
{
    for (int i = 0; i < s->nbone; ++i) twin[i] = -1;
    for (int i = 0; i < s->nbone; ++i)
        for (int j = next_child(s, s->bone[i].parent, i); j >= 0 && twin[i] < 0;
             j     = next_child(s, s->bone[i].parent, j)) {
            if (twin[j] >= 0 || pair_branches(s, i, j, twin) >= FEWEST) continue;
            forget(s, i, twin);
            forget(s, j, twin);
        }
}

// ---- numbers

real cd_bone_number(const traced_bone* b, const double* c)
{
    const real plain = r_lift(*c);
    if (!b->like || plain.graph) return plain;
    const ptrdiff_t place = (const char*)c - (const char*)b->bone;
    const double    other = *(const double*)(const void*)((const char*)b->like + place);
    if (*c == other) return plain;
    const double first = b->second ? other : *c, value = first < 0 ? -*c : *c;
    const real   side = {b->graph, cd_constant_of_side(b->graph, value, b->tag + (int)(place / (ptrdiff_t)sizeof *c)),
                         value};
    return first < 0 ? r_neg(side) : side;
}

void cd_mark(const tracing* t, int bone, size_t n, const real* x)
{
    cd_marks* m = t->marks;
    if (!m || t->twin[bone] < 0) return;
    for (size_t i = 0; i < n; ++i) {
        if (!cd_grow((void**)&m->list, &m->capacity, m->count, sizeof *m->list)) return;
        m->list[m->count].bone   = bone;
        m->list[m->count++].node = x[i].graph ? x[i].node : CD_NO_NODE;
    }
}

static int next_mark(const cd_marks* m, int bone, int at)
{
    while (at < m->count && m->list[at].bone != bone) ++at;
    return at;
}

void cd_pair_twins(const tracing* t)
{
    const cd_marks* m = t->marks;
    for (int i = 0; m && i < t->s->nbone; ++i) {
        if (t->twin[i] <= i) continue;
        int a = next_mark(m, i, 0), b = next_mark(m, t->twin[i], 0);
        for (; a < m->count && b < m->count; a = next_mark(m, i, a + 1), b = next_mark(m, t->twin[i], b + 1))
            cd_twins(t->graph, 1, &m->list[a].node, &m->list[b].node);
    }
}
