// SPDX-License-Identifier: BSD-3-Clause
// Geometry of known contact points at a new state. The records and their order remain; a point whose features no longer
// touch is continued by the nearest point of its pair, else as a point of A at a plane of B. Nothing that later searches
// use is changed, so that states that are tried and discarded leave no trace.
#include "contact/scene/contact_set.h"

#include "contact/scene/scene_tolerances.h"

// The point as it was last found: a fixed on A, the plane through b fixed on B.
static void carry(cd_contact* c, const cd_world_motion* world)
{
    const frame A = world->pose[c->link[0]], B = world->pose[c->link[1]];
    const vec3  a = v3_add(A.p, m3_mul(A.R, v3_const(c->on_a))), b = v3_add(B.p, m3_mul(B.R, v3_const(c->on_b))),
               n = m3_mul(B.R, v3_const(c->normal_on_b));
    c->gap       = v3_dot(v3_sub(a, b), n);
    for (int i = 0; i < 3; ++i) {
        c->a[i]      = v3_component(a, i);
        c->normal[i] = v3_component(n, i);
        c->b[i]      = c->a[i] - c->gap * c->normal[i];
    }
    cd_contact_complete(c);
    c->lost = c->moved = true;
}

// Number of the found point that continues record c, or -1; `taken`: points that other records use.
static int continuation(const cd_contact_set* set, const cd_contact* c, int nfound, const bool* taken,
                        bool same_features)
{
    double nearest = INFINITY, distance;
    int    found   = -1;
    for (int i = 0; i < nfound; ++i) {
        const cd_contact_point* p = &set->found[i];
        if (taken[i]) continue;
        if (same_features && p->key == c->key) return i;
        if (same_features || !cd_contacts_are_close(set, c, p, &distance) || !(distance < nearest)) continue;
        nearest = distance;
        found   = i;
    }
    return found;
}

// Records from .. to - 1 of one pair.
static void follow_pair(cd_contact_set* set, int from, int to, bool open_too, const cd_world_motion* world)
{
    const cd_contact_scene* s           = set->scene;
    const cd_scene_pair*    pair        = &s->pair[set->contact[from].pair];
    cd_pair_cache           cache       = set->cache[set->contact[from].pair];
    const cd_shape_pose     a           = cd_scene_shape_pose(&s->shape[pair->shape[0]], world),
                        b               = cd_scene_shape_pose(&s->shape[pair->shape[1]], world);
    bool   taken[CD_CONTACT_POINTS_MAX] = {false}, done[CD_CONTACT_POINTS_MAX] = {false};
    double margin = cd_follow_margin * s->length;
    for (int i = from; i < to; ++i) margin = fmax(margin, 2 * set->contact[i].gap);
    const int nfound = cd_collide(&s->shape[pair->shape[0]].geometry, &a, &s->shape[pair->shape[1]].geometry, &b,
                                  margin, &cache, set->found, CD_CONTACT_POINTS_MAX);
    for (int pass = 0; pass < 2; ++pass)
        for (int i = from; i < to; ++i) {
            cd_contact* c = &set->contact[i];
            if (done[i - from] || (!open_too && c->state.mode == CD_CONTACT_OPEN)) continue;
            if (pass == 1) carry(c, world);
            const int p = continuation(set, c, nfound, taken, pass == 0);
            if (p < 0) continue;
            taken[p] = done[i - from] = true;
            cd_contact_put(c, &set->found[p]);
            c->moved = pass == 1;
        }
}

void cd_contact_set_follow(const cardan_model* m, const cd_world_motion* world, bool open_too, cd_contact_set* set)
{
    (void)m;
    for (int from = 0, to; from < set->n; from = to) {
        bool needed = open_too;
        for (to = from; to < set->n && set->contact[to].pair == set->contact[from].pair; ++to)
            needed |= set->contact[to].state.mode != CD_CONTACT_OPEN;
        if (needed) follow_pair(set, from, to, open_too, world);
    }
}
