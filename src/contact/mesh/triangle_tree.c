// SPDX-License-Identifier: BSD-3-Clause
// Construction of the tree of a mesh by quickselect, and its search by a box. The order of triangles in the tree depends on
// their boxes and numbers only.
#include "contact/mesh/triangle_tree.h"

typedef struct builder {
    cd_triangle_tree* tree;
    const cd_box*     box;
    double*           key; // of a triangle: its centroid along the axis of the split
} builder;

static bool before(const builder* b, int i, int j) { return b->key[i] != b->key[j] ? b->key[i] < b->key[j] : i < j; }

static void exchange(int* x, int i, int j)
{
    const int t = x[i];
    x[i]        = x[j];
    x[j]        = t;
}

// Order x[first..last] so that x[middle] is where sorting would put it, and smaller ones come before it.
static void select_median(const builder* b, int* x, int first, int last, int middle)
{
    while (first < last) {
        const int pivot = x[first + (last - first) / 2];
        int       i = first, j = last;
        while (i <= j) {
            while (before(b, x[i], pivot)) ++i;
            while (before(b, pivot, x[j])) --j;
            if (i <= j) exchange(x, i++, j--);
        }
        if (middle <= j)
            last = j;
        else if (middle >= i)
            first = i;
        else
            return;
    }
}

static int build(const builder* b, int start, int count, cd_box* bounds)
{
    int*   x = b->tree->triangle + start;
    cd_box centroids;
    for (int i = 0; i < count; ++i) {
        const cd_box* box = &b->box[x[i]];
        cd_box        c;
        for (int k = 0; k < 3; ++k) c.lower[k] = c.upper[k] = 0.5 * (box->lower[k] + box->upper[k]);
        centroids = i ? cd_box_union(&centroids, &c) : c;
        *bounds   = i ? cd_box_union(bounds, box) : *box;
    }
    if (count <= CD_TREE_LEAF) return ~(8 * start + count);
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (centroids.upper[k] - centroids.lower[k] > centroids.upper[axis] - centroids.lower[axis]) axis = k;
    for (int i = 0; i < count; ++i) b->key[x[i]] = b->box[x[i]].lower[axis] + b->box[x[i]].upper[axis];
    const int half = (count / 2 + CD_TREE_LEAF - 1) / CD_TREE_LEAF * CD_TREE_LEAF; // leaves of the first half are full
    select_median(b, x, 0, count - 1, half);
    const int     self = b->tree->nnode++;
    cd_tree_node* node = &b->tree->node[self];
    node->child[0]     = build(b, start, half, &node->box[0]);
    node->child[1]     = build(b, start + half, count - half, &node->box[1]);
    return self;
}

void cd_triangle_tree_build(cd_triangle_tree* tree, int n, const cd_box* box, double* key)
{
    const builder b = {tree, box, key};
    cd_box        bounds;
    for (int i = 0; i < n; ++i) tree->triangle[i] = i;
    tree->nnode = 0;
    tree->root  = build(&b, 0, n, &bounds);
}

void cd_tree_search_begin(cd_tree_search* s, const cd_triangle_tree* tree, const cd_box* box)
{
    s->tree     = tree;
    s->box      = *box;
    s->depth    = 1;
    s->stack[0] = tree->root;
    s->leaf = s->end = 0;
}

int cd_tree_search_next(cd_tree_search* s)
{
    while (s->leaf == s->end) {
        if (s->depth == 0) return -1;
        const int at = s->stack[--s->depth];
        if (at < 0) {
            s->leaf = ~at >> 3;
            s->end  = s->leaf + (~at & 7);
            continue;
        }
        const cd_tree_node* node = &s->tree->node[at];
        for (int k = 1; k >= 0; --k)
            if (cd_box_overlap(&node->box[k], &s->box)) s->stack[s->depth++] = node->child[k];
    }
    return s->tree->triangle[s->leaf++];
}
