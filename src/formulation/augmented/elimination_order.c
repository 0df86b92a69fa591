// SPDX-License-Identifier: BSD-3-Clause
// A constraint acts only between its ends: velocities inboard of their common ancestor do not move it. After the links
// that it acts on are eliminated, its rows have their final rank and can be eliminated before the common ancestor. Rows
// of different loops are then not coupled, whereas after all links every row is coupled to every other through the root
// (docs/theory/augmented.md).
#include "formulation/augmented/elimination_order.h"

#include <stdlib.h>

void cd_order_rows_last(const cardan_model* m, const cd_rows* rows, int* order)
{
    for (int i = 0; i < m->nlink; ++i) order[i] = m->nlink - 1 - i;
    for (int c = 0; c < rows->nblock; ++c) order[m->nlink + c] = m->nlink + c;
}

// Return the link after which constraint c is eliminated: the last in elimination order of those it depends on. Links
// are eliminated from the highest index to the lowest.
static int last_link_of(const cardan_model* m, const cd_row_block* b, const bool* delayed)
{
    int last = m->nlink, last_delayed = m->nlink;
    for (int j = 0; j < b->nv; ++j) {
        const int link = m->v_link[b->v[j]];
        int*      to   = delayed[link] ? &last_delayed : &last;
        if (link < *to) *to = link;
    }
    return last < m->nlink ? last : last_delayed;
}

static int append_constraints(const cardan_model* m, const int* first, const int* next, int link, int* order, int n)
{
    for (int c = first[link]; c >= 0; c = next[c]) order[n++] = m->nlink + c;
    return n;
}

bool cd_order_rows_early(const cardan_model* m, const cd_rows* rows, const bool* delayed, int* order)
{
    // first: constraints eliminated after a link; [nlink]: those that act on no link
    int*       first = cd_allocate((size_t)m->nlink + 1, sizeof(int));
    int*       next  = cd_allocate((size_t)rows->nblock, sizeof(int));
    int*       child = cd_allocate((size_t)m->nlink + 1, sizeof(int)); // delayed links of a parent; [nlink]: of ground
    int*       other = cd_allocate((size_t)m->nlink, sizeof(int));
    const bool good  = first && next && child && other;
    int        n     = 0;
    for (int i = 0; good && i <= m->nlink; ++i) first[i] = child[i] = -1;
    for (int c = rows->nblock - 1; good && c >= 0; --c) {
        const int link = last_link_of(m, &rows->block[c], delayed);
        next[c]        = first[link];
        first[link]    = c;
    }
    for (int i = 0; good && i < m->nlink; ++i)
        if (delayed[i]) {
            const int parent = m->link[i].parent >= 0 ? m->link[i].parent : m->nlink;
            other[i]         = child[parent];
            child[parent]    = i;
        }
    for (int link_index = m->nlink - 1; good && link_index >= -1; --link_index) {
        const int i = link_index >= 0 ? link_index : m->nlink;
        if (i < m->nlink && delayed[i]) continue;
        for (int l = child[i]; l >= 0; l = other[l]) {
            order[n++] = l;
            n          = append_constraints(m, first, next, l, order, n);
        }
        if (i < m->nlink) order[n++] = i;
        n = append_constraints(m, first, next, i, order, n);
    }
    free(first), free(next), free(child), free(other);
    return good;
}
