// SPDX-License-Identifier: BSD-3-Clause
// Broad phase: pairs of shapes whose boxes overlap, in ascending order of their numbers, and rays over all shapes.
// Boxes are fattened, and a shape is inserted again only when its box leaves the fat one. Moving and static shapes
// have a tree each; static shapes make no pairs with each other. Unbounded shapes (planes) make a pair with every
// moving shape.
#pragma once

#include "contact/broad/dynamic_tree.h"
#include "contact/ray/ray.h"

#include <stdint.h>

typedef struct cd_broad_pair {
    int a, b; // shapes, a < b
} cd_broad_pair;

// The pair of shapes a < b may touch.
typedef bool cd_broad_filter(const void* context, int a, int b);

typedef struct cd_broad_phase {
    int              nshape, npair, pair_capacity;
    cd_dynamic_tree  tree[2]; // moving, static
    struct cd_proxy* proxy;   // (nshape)
    int *            unbounded, *moved;
    int              nunbounded, nmoved;
    cd_broad_pair*   pair;         // (pair_capacity) sorted
    uint64_t *       key, *merged; // (pair_capacity) work: new pairs, union
    cd_broad_filter* filter;       // NULL: all pairs
    const void*      filter_context;
} cd_broad_phase;

// Assign memory for shapes and pairs from an arena; then clear before use. Nothing is allocated later.
void cd_broad_layout(cd_broad_phase* b, cd_arena* arena, int shapes, int pairs);
void cd_broad_clear(cd_broad_phase* b, int shapes, int pairs);

// Add or move a shape. `box` may be infinite; it is fattened by `margin`. A moving shape whose box is still in its fat
// box, or that is unbounded, costs nothing.
void cd_broad_add(cd_broad_phase* b, int shape, bool fixed, const cd_box* box, double margin);
void cd_broad_move(cd_broad_phase* b, int shape, const cd_box* box, double margin);

// Update the list of pairs. False: there are more than its capacity; the list is not valid then, and the next update
// makes all of it.
bool cd_broad_update(cd_broad_phase* b);

// First hit of a ray over all shapes of which geometry and pose are given by number; -1: none, else the shape. Of hits
// at the same distance that of the smallest number. `mask` (per shape; NULL: all): shapes with a common bit in
// `select` take part.
int cd_broad_cast(const cd_broad_phase* b, const cd_shape_geometry* const* geometry, const cd_shape_pose* pose,
                  const uint32_t* mask, uint32_t select, const cd_ray* ray, cd_ray_hit* hit);
