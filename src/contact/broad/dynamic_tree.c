// SPDX-License-Identifier: BSD-3-Clause
// Insertion and removal of leaves of a dynamic tree, and its searches.
#include "contact/broad/dynamic_tree.h"
#include "contact/ray/slab_test.h"

void cd_dynamic_tree_layout(cd_dynamic_tree* tree, cd_arena* arena, int leaves)
{
    CD_ARENA_ARRAY(arena, tree->node, 2 * leaves);
    CD_ARENA_ARRAY(arena, tree->node_of, leaves);
    CD_ARENA_ARRAY(arena, tree->stack, 2 * leaves);
}

void cd_dynamic_tree_clear(cd_dynamic_tree* tree, int leaves)
{
    tree->root     = -1;
    tree->free     = leaves > 0 ? 0 : -1;
    tree->capacity = 2 * leaves;
    for (int i = 0; i < 2 * leaves; ++i) tree->node[i].parent = i + 1 < 2 * leaves ? i + 1 : -1;
    for (int i = 0; i < leaves; ++i) tree->node_of[i] = -1;
}

static int take_node(cd_dynamic_tree* tree)
{
    const int i = tree->free;
    tree->free  = tree->node[i].parent;
    return i;
}

static void free_node(cd_dynamic_tree* tree, int i)
{
    tree->node[i].parent = tree->free;
    tree->free           = i;
}

static bool is_leaf(const cd_dynamic_node* n) { return n->leaf >= 0; }

static double union_area(const cd_box* a, const cd_box* b)
{
    const cd_box u = cd_box_union(a, b);
    return cd_box_area(&u);
}

static void fit(cd_dynamic_tree* tree, int i)
{
    cd_dynamic_node* n = &tree->node[i];
    n->box             = cd_box_union(&tree->node[n->child[0]].box, &tree->node[n->child[1]].box);
}

// Exchange a child of i with a grandchild under its other child, if that reduces the box of the other child most.
static void rotate(cd_dynamic_tree* tree, int i)
{
    cd_dynamic_node* n    = &tree->node[i];
    int              side = -1, part = 0;
    double           gain = 0;
    for (int k = 0; k < 2; ++k) { // child k stays, and takes the other child
        const cd_dynamic_node* c = &tree->node[n->child[k]];
        if (is_leaf(c)) continue;
        for (int q = 0; q < 2; ++q) { // grandchild q goes up
            const double reduced =
                cd_box_area(&c->box) - union_area(&tree->node[c->child[!q]].box, &tree->node[n->child[!k]].box);
            if (reduced > gain) gain = reduced, side = k, part = q;
        }
    }
    if (side < 0) return;
    const int c = n->child[side], up = tree->node[c].child[part], down = n->child[!side];
    n->child[!side]           = up;
    tree->node[up].parent     = i;
    tree->node[c].child[part] = down;
    tree->node[down].parent   = c;
    fit(tree, c);
}

static void refit_upwards(cd_dynamic_tree* tree, int i)
{
    for (; i >= 0; i = tree->node[i].parent) {
        fit(tree, i);
        rotate(tree, i);
    }
}

// Node that becomes the sibling of a new leaf: the descent ends where a new parent costs less than going on. The cost
// of a place is the surface of the new parent and the growth of all boxes above.
static int find_sibling(const cd_dynamic_tree* tree, const cd_box* box)
{
    int i = tree->root;
    while (!is_leaf(&tree->node[i])) {
        const cd_dynamic_node* n      = &tree->node[i];
        const double           merged = union_area(&n->box, box), growth = merged - cd_box_area(&n->box);
        double                 cost[2];
        for (int k = 0; k < 2; ++k) {
            const cd_dynamic_node* c = &tree->node[n->child[k]];
            cost[k]                  = growth + union_area(&c->box, box) - (is_leaf(c) ? 0 : cd_box_area(&c->box));
        }
        if (merged < cost[0] && merged < cost[1]) break;
        i = n->child[cost[1] < cost[0]];
    }
    return i;
}

void cd_dynamic_tree_insert(cd_dynamic_tree* tree, int leaf, const cd_box* box)
{
    const int self      = take_node(tree);
    tree->node[self]    = (cd_dynamic_node){*box, -1, {-1, -1}, leaf};
    tree->node_of[leaf] = self;
    if (tree->root < 0) {
        tree->root = self;
        return;
    }
    const int sibling = find_sibling(tree, box), above = tree->node[sibling].parent, parent = take_node(tree);
    tree->node[parent]         = (cd_dynamic_node){*box, above, {sibling, self}, -1};
    tree->node[sibling].parent = tree->node[self].parent = parent;
    if (above < 0)
        tree->root = parent;
    else
        tree->node[above].child[tree->node[above].child[1] == sibling] = parent;
    refit_upwards(tree, parent);
}

void cd_dynamic_tree_remove(cd_dynamic_tree* tree, int leaf)
{
    const int self = tree->node_of[leaf], parent = tree->node[self].parent;
    tree->node_of[leaf] = -1;
    free_node(tree, self);
    if (parent < 0) {
        tree->root = -1;
        return;
    }
    const int sibling          = tree->node[parent].child[tree->node[parent].child[0] == self],
              above            = tree->node[parent].parent;
    tree->node[sibling].parent = above;
    free_node(tree, parent);
    if (above < 0) {
        tree->root = sibling;
        return;
    }
    tree->node[above].child[tree->node[above].child[1] == parent] = sibling;
    refit_upwards(tree, above);
}

void cd_dynamic_tree_search(const cd_dynamic_tree* tree, const cd_box* box, cd_leaf_found* found, void* context)
{
    int depth = 0;
    if (tree->root >= 0) tree->stack[depth++] = tree->root;
    while (depth > 0) {
        const cd_dynamic_node* n = &tree->node[tree->stack[--depth]];
        if (!cd_box_overlap(&n->box, box)) continue;
        if (is_leaf(n))
            found(context, n->leaf);
        else
            for (int k = 0; k < 2; ++k) tree->stack[depth++] = n->child[k];
    }
}

void cd_dynamic_tree_cast(const cd_dynamic_tree* tree, d3 origin, d3 direction, double limit, cd_leaf_hit* hit,
                          void* context)
{
    const cd_slab_ray slab  = cd_slab_of(origin, direction);
    int               depth = 0;
    double            enter;
    if (tree->root >= 0) tree->stack[depth++] = tree->root;
    while (depth > 0) {
        const cd_dynamic_node* n = &tree->node[tree->stack[--depth]];
        if (!cd_slab_enter(&slab, &n->box, limit, &enter)) continue;
        if (is_leaf(n)) {
            limit = hit(context, n->leaf, limit);
            continue;
        }
        double at[2];
        for (int k = 0; k < 2; ++k)
            if (!cd_slab_enter(&slab, &tree->node[n->child[k]].box, limit, &at[k])) at[k] = INFINITY;
        const int far = at[1] > at[0];
        for (int k = 0; k < 2; ++k) {
            const int c = k == 0 ? far : !far; // the near child is on top of the stack
            if (at[c] < INFINITY) tree->stack[depth++] = n->child[c];
        }
    }
}
