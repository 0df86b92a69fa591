// SPDX-License-Identifier: BSD-3-Clause
// Pairs and rays of the broad phase against a search over all pairs, while shapes move, jump, and rest.
#include "contact/broad/broad_phase.h"
#include "contact/shape/shape.h"

#include "random_shapes.h"
#include "test.h"

enum { SHAPES = 120, FIXED = 40, PLANE = SHAPES - 1 };

typedef struct scene {
    cd_broad_phase           phase;
    cd_arena                 arena;
    cd_shape_geometry        geometry[SHAPES];
    const cd_shape_geometry* list[SHAPES];
    cd_shape_pose            pose[SHAPES];
    cd_box                   box[SHAPES], fat[SHAPES]; // fat: computed here again
    shape_dice               dice;
} scene;

static const double margin = 0.05;

static void bounds(scene* s, int i) { cd_shape_bounds(&s->geometry[i], &s->pose[i], s->box[i].lower, s->box[i].upper); }

static void start(scene* s, int pairs)
{
    memset(s, 0, sizeof *s);
    s->dice.state = 7;
    cd_broad_layout(&s->phase, &s->arena, SHAPES, pairs);
    CHECK(cd_arena_reserve(&s->arena));
    cd_broad_layout(&s->phase, &s->arena, SHAPES, pairs);
    cd_broad_clear(&s->phase, SHAPES, pairs);
    for (int i = 0; i < SHAPES; ++i) {
        s->geometry[i] = (cd_shape_geometry){.kind = i % 2 ? CD_SHAPE_SPHERE : CD_SHAPE_BOX, .size = {0.3, 0.2, 0.4}};
        if (i == PLANE) s->geometry[i] = (cd_shape_geometry){.kind = CD_SHAPE_PLANE};
        s->list[i] = &s->geometry[i];
        s->pose[i] = i == PLANE ? shape_identity : random_shape_pose(&s->dice, 2);
        bounds(s, i);
        s->fat[i] = cd_box_grown(&s->box[i], margin);
        cd_broad_add(&s->phase, i, i < FIXED || i == PLANE, &s->box[i], margin);
    }
}

static bool is_fixed(int i) { return i < FIXED || i == PLANE; }

static void check_pairs(const scene* s)
{
    int n = 0;
    for (int i = 0; i < SHAPES; ++i)
        for (int j = i + 1; j < SHAPES; ++j) {
            if ((is_fixed(i) && is_fixed(j)) || !cd_box_overlap(&s->fat[i], &s->fat[j])) continue;
            CHECK(n < s->phase.npair && s->phase.pair[n].a == i && s->phase.pair[n].b == j);
            if (test_broken) return;
            ++n;
        }
    CHECK(n == s->phase.npair && n > SHAPES - FIXED);
}

static void check_rays(scene* s)
{
    for (int k = 0; k < 50; ++k) {
        cd_ray ray = {.length = k % 2 ? INFINITY : 2};
        for (int i = 0; i < 3; ++i) ray.origin[i] = shape_range(&s->dice, -3, 3);
        d3_put(shape_direction(&s->dice), ray.direction);
        uint32_t mask[SHAPES];
        for (int i = 0; i < SHAPES; ++i) mask[i] = 1u << (i % 3);
        const uint32_t select = k % 3 ? 5 : 7;
        cd_ray_hit     hit, least = {.distance = INFINITY}, one;
        int            expected = -1;
        for (int i = 0; i < SHAPES; ++i)
            if ((mask[i] & select) && cd_ray_cast(s->list[i], &s->pose[i], &ray, &one) && one.distance < least.distance)
                least = one, expected = i;
        CHECK(cd_broad_cast(&s->phase, s->list, s->pose, mask, select, &ray, &hit) == expected);
        if (expected >= 0) CHECK(hit.distance == least.distance);
    }
}

static void check_motion(void)
{
    static scene s;
    start(&s, SHAPES * SHAPES / 2);
    CHECK(cd_broad_update(&s.phase));
    check_pairs(&s);
    const int steps = test_cases(100, 2000);
    for (int step = 0; step < steps && !test_broken; ++step) {
        for (int i = FIXED; i < PLANE; ++i) {
            if (i % 4 == step % 4) continue; // at rest
            for (int k = 0; k < 3; ++k) s.pose[i].p[k] += shape_range(&s.dice, -0.04, 0.04);
            if (step % 25 == 24 && i % 10 == 0) s.pose[i] = random_shape_pose(&s.dice, 2);
            bounds(&s, i);
            if (!cd_box_contains(&s.fat[i], &s.box[i])) s.fat[i] = cd_box_grown(&s.box[i], margin);
            cd_broad_move(&s.phase, i, &s.box[i], margin);
        }
        CHECK(cd_broad_update(&s.phase));
        check_pairs(&s);
        check_rays(&s);
    }
    cd_arena_release(&s.arena);
}

// A list that is too small is refused, and refused again; with enough space the same calls succeed.
static void check_capacity(void)
{
    static scene s;
    start(&s, 10);
    CHECK(!cd_broad_update(&s.phase));
    CHECK(!cd_broad_update(&s.phase));
    cd_arena_release(&s.arena);
}

static bool odd_difference(const void* context, int a, int b)
{
    (void)context;
    return (b - a) % 2 != 0;
}

static void check_filter(void)
{
    static scene s;
    start(&s, SHAPES * SHAPES / 2);
    s.phase.filter = odd_difference;
    CHECK(cd_broad_update(&s.phase));
    CHECK(s.phase.npair > 0);
    for (int k = 0; k < s.phase.npair; ++k) CHECK((s.phase.pair[k].b - s.phase.pair[k].a) % 2 == 1);
    cd_arena_release(&s.arena);
}

// Search effort in a row of n boxes grows like log n: the tree is balanced although they are inserted in order.
static void count_leaf(void* context, int leaf)
{
    (void)leaf;
    ++*(int*)context;
}

static int height(const cd_dynamic_tree* tree, int i)
{
    const cd_dynamic_node* n = &tree->node[i];
    if (n->leaf >= 0) return 0;
    const int a = height(tree, n->child[0]), b = height(tree, n->child[1]);
    return 1 + (a > b ? a : b);
}

static void check_tree(void)
{
    enum { N = 4096 };
    cd_dynamic_tree tree  = {0};
    cd_arena        arena = {0};
    cd_dynamic_tree_layout(&tree, &arena, N);
    CHECK(cd_arena_reserve(&arena));
    cd_dynamic_tree_layout(&tree, &arena, N);
    cd_dynamic_tree_clear(&tree, N);
    for (int i = 0; i < N; ++i) {
        const cd_box box = {{i, 0, 0}, {i + 0.5, 1, 1}};
        cd_dynamic_tree_insert(&tree, i, &box);
    }
    CHECK(height(&tree, tree.root) <= 36); // 12 if balanced
    int          n    = 0;
    const cd_box some = {{99.75, 0.5, 0.5}, {109.75, 0.6, 0.6}};
    cd_dynamic_tree_search(&tree, &some, count_leaf, &n);
    CHECK(n == 10);
    for (int i = 0; i < N; i += 2) cd_dynamic_tree_remove(&tree, i);
    n = 0;
    cd_dynamic_tree_search(&tree, &some, count_leaf, &n);
    CHECK(n == 5);
    for (int i = 1; i < N; i += 2) cd_dynamic_tree_remove(&tree, i);
    CHECK(tree.root == -1);
    cd_arena_release(&arena);
}

int main(void)
{
    RUN(check_tree());
    RUN(check_motion());
    RUN(check_capacity());
    RUN(check_filter());
    return test_end();
}
