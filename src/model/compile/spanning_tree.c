// SPDX-License-Identifier: BSD-3-Clause
// Spanning tree of a mechanism. Deterministic: bodies and joints are processed in the order of the description.
//
//   weld     groups of bodies connected by fixed joints, by breadth-first search over fixed joints only
//   span     tree over the groups, breadth first or depth first, from ground; then from the first body of every
//            component that is not connected to ground, which gets a free joint
//   order    depth-first preorder of that tree, so that subtrees are contiguous
//
// Maximal coordinates: the same tree determines which bodies float; then ground becomes the parent of every group and
// every joint between groups is cut.
//
// No function recurses with the depth of the tree.
#include "model/compile/spanning_tree.h"

#include "model/parametric_pose.h"

#include <string.h>

// Nodes and their incident joints, compressed: joints of node n are list[start[n] .. start[n + 1]).
typedef struct incidence {
    int *start, *list;
} incidence;

typedef struct tree_builder {
    const cardan_description_view* view;
    cd_parametric*                 parametric; // usually NULL
    cd_spanning_tree*              tree;
    incidence                      at_body;  // (nbody + 1) node 0 is ground
    incidence                      at_group; // (ngroup)
    int*                           queue;    // (nbody + 1) scratch
    int*                           next;     // (nbody + 1) scratch
    bool*                          used;     // (njoint) in the tree, or a weld
    bool*                          in_tree;  // (ngroup)
} tree_builder;

static bool is_fixed(const cardan_joint* joint) { return strcmp(joint->type, "fixed") == 0; }

static int group_of_body(const cd_spanning_tree* tree, int body)
{
    return body == CARDAN_GROUND ? 0 : tree->group[body];
}

static void layout(const cardan_description_view* view, cd_arena* arena, cd_spanning_tree* tree, tree_builder* b)
{
    const int nbody = view->nbody, njoint = view->njoint;
    CD_ARENA_ARRAY(arena, tree->group, nbody);
    CD_ARENA_ARRAY(arena, tree->pose, nbody);
    CD_ARENA_ARRAY(arena, tree->parent, nbody + 1);
    CD_ARENA_ARRAY(arena, tree->parent_joint, nbody + 1);
    CD_ARENA_ARRAY(arena, tree->order, nbody + 1);
    CD_ARENA_ARRAY(arena, tree->floating, nbody);
    CD_ARENA_ARRAY(arena, tree->cut, njoint);
    CD_ARENA_ARRAY(arena, b->at_body.start, nbody + 2);
    CD_ARENA_ARRAY(arena, b->at_body.list, 2 * njoint);
    CD_ARENA_ARRAY(arena, b->at_group.start, nbody + 2);
    CD_ARENA_ARRAY(arena, b->at_group.list, 2 * njoint);
    CD_ARENA_ARRAY(arena, b->queue, nbody + 1);
    CD_ARENA_ARRAY(arena, b->next, nbody + 1);
    CD_ARENA_ARRAY(arena, b->used, njoint);
    CD_ARENA_ARRAY(arena, b->in_tree, nbody + 1);
}

// Joints (fixed or other) at each of `nodes` nodes; counts first, then entries.
static void fill_incidence(incidence* at, int nodes, const tree_builder* b, int (*node)(const tree_builder*, int body),
                           bool fixed)
{
    const cardan_description_view* view = b->view;
    memset(at->start, 0, (size_t)(nodes + 1) * sizeof(int));
    for (int pass = 0; pass < 2; ++pass) {
        for (int j = 0; j < view->njoint; ++j) {
            if (is_fixed(&view->joint[j]) != fixed) continue;
            const int ends[2] = {node(b, view->joint[j].first_body), node(b, view->joint[j].second_body)};
            for (int e = 0; e < 2; ++e) {
                if (pass == 0)
                    ++at->start[ends[e] + 1];
                else
                    at->list[at->start[ends[e]]++] = j;
            }
        }
        if (pass == 0)
            for (int n = 0; n < nodes; ++n) at->start[n + 1] += at->start[n];
        else
            for (int n = nodes; n > 0; --n) at->start[n] = at->start[n - 1];
    }
    at->start[0] = 0;
}

static int body_node(const tree_builder* b, int body) { return (void)b, body + 1; }
static int group_node(const tree_builder* b, int body) { return group_of_body(b->tree, body); }

// Weld all bodies that fixed joints connect to `root` (a body, or ground) into group g.
static void weld_from(tree_builder* b, int root, int g)
{
    const cardan_description_view* view       = b->view;
    cd_spanning_tree*              tree       = b->tree;
    cd_parametric*                 parametric = b->parametric;
    int                            head = 0, tail = 0;
    b->queue[tail++] = root;
    if (root != CARDAN_GROUND) {
        tree->group[root] = g;
        tree->pose[root]  = cardan_pose_default();
    }
    while (head < tail) {
        const int         body      = b->queue[head++];
        const cardan_pose body_pose = body == CARDAN_GROUND ? cardan_pose_default() : tree->pose[body];
        for (int i = b->at_body.start[body + 1]; i < b->at_body.start[body + 2]; ++i) {
            const int           j       = b->at_body.list[i];
            const cardan_joint* joint   = &view->joint[j];
            const bool          forward = joint->first_body == body;
            const int           other   = forward ? joint->second_body : joint->first_body;
            if (b->used[j] || other == CARDAN_GROUND || tree->group[other] >= 0) continue;
            const cardan_pose near_frame = forward ? joint->frame_first : joint->frame_second;
            const cardan_pose far_frame  = forward ? joint->frame_second : joint->frame_first;
            b->used[j]                   = true;
            tree->group[other]           = g;
            tree->pose[other]            = par_pose_mul(parametric, par_pose_mul(parametric, body_pose, near_frame),
                                                        par_pose_inverse(parametric, far_frame));
            b->queue[tail++]             = other;
        }
    }
}

static void weld(tree_builder* b)
{
    cd_spanning_tree* tree = b->tree;
    for (int i = 0; i < b->view->nbody; ++i) tree->group[i] = -1;
    weld_from(b, CARDAN_GROUND, 0);
    tree->ngroup = 1;
    for (int i = 0; i < b->view->nbody; ++i)
        if (tree->group[i] < 0) weld_from(b, i, tree->ngroup++);
}

static int other_group(const tree_builder* b, int joint, int group)
{
    const int first  = group_of_body(b->tree, b->view->joint[joint].first_body),
              second = group_of_body(b->tree, b->view->joint[joint].second_body);
    return first == group ? second : first;
}

static void attach_group(tree_builder* b, int child, int parent, int joint)
{
    b->tree->parent[child]       = parent;
    b->tree->parent_joint[child] = joint;
    b->in_tree[child]            = true;
    if (joint < b->view->njoint) b->used[joint] = true;
}

static void span_breadth_first(tree_builder* b, int root)
{
    int head = 0, tail = 0;
    b->queue[tail++] = root;
    while (head < tail) {
        const int g = b->queue[head++];
        for (int i = b->at_group.start[g]; i < b->at_group.start[g + 1]; ++i) {
            const int j = b->at_group.list[i], other = other_group(b, j, g);
            if (b->used[j] || b->in_tree[other]) continue;
            attach_group(b, other, g, j);
            b->queue[tail++] = other;
        }
    }
}

static void span_depth_first(tree_builder* b, int root)
{
    int depth     = 0;
    b->queue[0]   = root;
    b->next[root] = b->at_group.start[root];
    while (depth >= 0) {
        const int g = b->queue[depth];
        if (b->next[g] >= b->at_group.start[g + 1]) {
            --depth;
            continue;
        }
        const int j = b->at_group.list[b->next[g]++], other = other_group(b, j, g);
        if (b->used[j] || b->in_tree[other]) continue;
        attach_group(b, other, g, j);
        b->queue[++depth] = other;
        b->next[other]    = b->at_group.start[other];
    }
}

static void span_all(tree_builder* b, cardan_tree_policy policy)
{
    cd_spanning_tree* tree = b->tree;
    void (*const grow_from)(tree_builder*, int) =
        policy == CARDAN_TREE_DEPTH_FIRST ? span_depth_first : span_breadth_first;
    tree->parent[0]       = -1;
    tree->parent_joint[0] = CARDAN_NONE;
    b->in_tree[0]         = true;
    grow_from(b, 0);
    for (int i = 0; i < b->view->nbody; ++i) {
        const int g = tree->group[i];
        if (b->in_tree[g]) continue;
        attach_group(b, g, 0, b->view->njoint + tree->nfloating);
        tree->floating[tree->nfloating++] = i;
        grow_from(b, g);
    }
    for (int j = 0; j < b->view->njoint; ++j)
        if (!b->used[j]) tree->cut[tree->ncut++] = j;
}

// Preorder without a stack: children in linked lists, first child and next sibling.
static void preorder(tree_builder* b)
{
    cd_spanning_tree* tree  = b->tree;
    int *             child = b->queue, *sibling = b->next, count = 0;
    for (int g = 0; g < tree->ngroup; ++g) child[g] = sibling[g] = -1;
    for (int g = tree->ngroup - 1; g > 0; --g) {
        sibling[g]             = child[tree->parent[g]];
        child[tree->parent[g]] = g;
    }
    for (int g = 0; g >= 0;) {
        tree->order[count++] = g;
        if (child[g] >= 0) {
            g = child[g];
            continue;
        }
        while (g >= 0 && sibling[g] < 0) g = tree->parent[g];
        if (g >= 0) g = sibling[g];
    }
}

// Make ground the parent of every group, by a free joint that is not in the description (CARDAN_NONE).
static void attach_all_to_ground(tree_builder* b)
{
    cd_spanning_tree* tree = b->tree;
    tree->is_maximal       = true;
    tree->ncut             = 0;
    for (int j = 0; j < b->view->njoint; ++j)
        if (!is_fixed(&b->view->joint[j]) || !b->used[j]) tree->cut[tree->ncut++] = j;
    for (int g = 1; g < tree->ngroup; ++g) {
        tree->parent[g]       = 0;
        tree->parent_joint[g] = CARDAN_NONE;
    }
}

cardan_status cd_spanning_tree_create(const cardan_description_view* view, cd_parametric* parametric,
                                      cardan_tree_policy policy, cd_spanning_tree* tree, cardan_report* report)
{
    tree_builder b = {.view = view, .parametric = parametric, .tree = tree};
    *tree          = (cd_spanning_tree){0};
    layout(view, &tree->arena, tree, &b);
    if (!cd_arena_reserve(&tree->arena))
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory for the spanning tree of '%s'", view->name);
    layout(view, &tree->arena, tree, &b);

    fill_incidence(&b.at_body, view->nbody + 1, &b, body_node, true);
    weld(&b);
    fill_incidence(&b.at_group, tree->ngroup, &b, group_node, false);
    span_all(&b, policy);
    if (policy == CARDAN_TREE_MAXIMAL) attach_all_to_ground(&b);
    preorder(&b);
    return CARDAN_OK;
}

void cd_spanning_tree_destroy(cd_spanning_tree* tree) { cd_arena_release(&tree->arena); }
