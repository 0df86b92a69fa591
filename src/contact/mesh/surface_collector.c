// SPDX-License-Identifier: BSD-3-Clause
// Collection of contact points of a surface: duplicates, capacity, order.
#include "contact/mesh/surface_collector.h"

#include <stddef.h>

// Parts of a surface in the order in which duplicates are kept.
static int rank(const cd_contact_point* p)
{
    switch (cd_feature_kind_of(cd_contact_feature(p, 1))) {
    case CD_FEATURE_FACE:
        return 0;
    case CD_FEATURE_CORNER:
        return 1;
    case CD_FEATURE_CLIP:
        return 2;
    case CD_FEATURE_EDGE:
        return 3;
    default:
        return 4;
    }
}

static bool preferred(const cd_contact_point* p, const cd_contact_point* q)
{
    return rank(p) != rank(q) ? rank(p) < rank(q) : p->key < q->key;
}

static bool same_contact(const cd_surface_collector* c, const cd_contact_point* p, const cd_contact_point* q)
{
    return d3_norm(d3_sub(d3_of(p->b), d3_of(q->b))) <= c->near &&
           d3_norm(d3_sub(d3_of(p->normal), d3_of(q->normal))) <= cd_same_normal;
}

void cd_surface_collect(cd_surface_collector* c, const cd_contact_point* p)
{
    cd_pair* pair = c->pair;
    if (!(p->gap < pair->margin)) return;
    int worst = -1;
    for (int k = 0; k < pair->count; ++k) {
        cd_contact_point* q = &pair->point[k];
        if (same_contact(c, p, q)) {
            if (preferred(p, q)) *q = *p;
            return;
        }
        if (worst < 0 || q->gap > pair->point[worst].gap) worst = k;
    }
    if (pair->count < pair->capacity)
        pair->point[pair->count++] = *p;
    else if (worst >= 0 && p->gap < pair->point[worst].gap)
        pair->point[worst] = *p;
}

void cd_surface_finish(cd_surface_collector* c)
{
    cd_contact_point* p = c->pair->point;
    for (int i = 1; i < c->pair->count; ++i) {
        const cd_contact_point moved = p[i];
        int                    j     = i;
        for (; j > 0 && p[j - 1].key > moved.key; --j) p[j] = p[j - 1];
        p[j] = moved;
    }
    for (int i = 0; i < c->pair->count; ++i) {
        d3_put(cd_to_world(c->pair->pose_B, d3_of(p[i].a)), p[i].a);
        d3_put(cd_to_world(c->pair->pose_B, d3_of(p[i].b)), p[i].b);
        d3_put(d3_rotate(c->pair->pose_B->R, d3_of(p[i].normal)), p[i].normal);
    }
}
