// SPDX-License-Identifier: BSD-3-Clause
// Table of pairs of shapes, and the call of its function. Positions are computed relative to the origin of B, so that the
// accuracy does not depend on the distance from the origin of the world.
#include "contact/contact_pair.h"

#include <stddef.h>

static const cd_pair_function pair_functions[CD_SHAPE_KINDS][CD_SHAPE_KINDS] = {
#define CD_CONTACT_PAIR(A, B, function) [CD_SHAPE_##A][CD_SHAPE_##B] = cd_pair_##function,
#include "contact/pairs.def"
#undef CD_CONTACT_PAIR
};

bool cd_can_collide(cd_shape_kind a, cd_shape_kind b) { return pair_functions[a][b] || pair_functions[b][a]; }

void cd_pair_add(cd_pair* pair, d3 a, d3 b, d3 n, uint32_t feature_a, uint32_t feature_b, bool doubtful)
{
    const double rA = cd_shape_type_of(pair->A)->offset(pair->A), rB = cd_shape_type_of(pair->B)->offset(pair->B);
    const double gap = d3_dot(d3_sub(a, b), n) - rA - rB;
    if (!(gap < pair->margin)) return;
    cd_contact_point* p = &pair->point[pair->count];
    if (pair->count < pair->capacity) {
        ++pair->count;
    } else {
        p = NULL;
        for (int i = 0; i < pair->count; ++i)
            if (!p || pair->point[i].gap > p->gap) p = &pair->point[i];
        if (!p || p->gap <= gap) return;
    }
    d3_put(d3_add_scaled(a, -rA, n), p->a);
    d3_put(d3_add_scaled(b, rB, n), p->b);
    d3_put(n, p->normal);
    p->gap      = gap;
    p->key      = cd_contact_key(feature_a, feature_b);
    p->doubtful = doubtful;
}

// The same contact point, or cache, with A and B exchanged.
static void exchange_point(cd_contact_point* p)
{
    const d3 a = d3_of(p->a);
    memcpy(p->a, p->b, sizeof p->a);
    d3_put(a, p->b);
    for (int i = 0; i < 3; ++i) p->normal[i] = -p->normal[i];
    p->key = p->key << 32 | p->key >> 32;
}

static void run(cd_pair_function function, cd_pair* pair, const cd_shape_pose* pose_A, const cd_shape_pose* pose_B)
{
    cd_shape_pose a = *pose_A, b = *pose_B;
    for (int i = 0; i < 3; ++i) a.p[i] -= pose_B->p[i], b.p[i] = 0;
    pair->pose_A = &a, pair->pose_B = &b;
    function(pair);
    for (int k = 0; k < pair->count; ++k)
        for (int i = 0; i < 3; ++i) pair->point[k].a[i] += pose_B->p[i], pair->point[k].b[i] += pose_B->p[i];
}

int cd_collide(const cd_shape_geometry* A, const cd_shape_pose* pose_A, const cd_shape_geometry* B,
               const cd_shape_pose* pose_B, double margin, cd_pair_cache* cache, cd_contact_point* point, int capacity)
{
    const cd_pair_function function = pair_functions[A->kind][B->kind];
    cd_pair_cache          none     = {0};
    cd_pair pair = {.margin = margin, .cache = cache ? cache : &none, .point = point, .capacity = capacity};
    if (function) {
        pair.A = A, pair.B = B;
        run(function, &pair, pose_A, pose_B);
    } else if (pair_functions[B->kind][A->kind]) {
        pair.A = B, pair.B = A;
        run(pair_functions[B->kind][A->kind], &pair, pose_B, pose_A);
        for (int k = 0; k < pair.count; ++k) exchange_point(&pair.point[k]);
    }
    return pair.count;
}
