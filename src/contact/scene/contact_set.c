// SPDX-License-Identifier: BSD-3-Clause
// Search of the contact points of a scene at a state, and records that continue from search to search.
//
// A new point inherits the record with the same pair and features; else the nearest old point of the same pair; else it is
// new. Pairs are tested by the boxes of their shapes first.
#include "contact/scene/contact_set.h"

#include "contact/scene/scene_tolerances.h"
#include "contact/shape/shape.h"

void cd_contact_set_layout(const cd_contact_scene* scene, cd_arena* arena, cd_contact_set* set)
{
    CD_ARENA_ARRAY(arena, set->contact, scene->capacity);
    CD_ARENA_ARRAY(arena, set->previous, scene->capacity);
    CD_ARENA_ARRAY(arena, set->kept, scene->capacity);
    CD_ARENA_ARRAY(arena, set->found, CD_CONTACT_POINTS_MAX);
    CD_ARENA_ARRAY(arena, set->cache, scene->npair);
    CD_ARENA_ARRAY(arena, set->bounds, 6 * scene->nshape);
}

void cd_contact_set_init(const cd_contact_scene* scene, cd_contact_set* set)
{
    set->scene    = scene;
    set->capacity = scene->capacity;
    set->n        = 0;
    set->next_id  = 0;
}

cd_shape_pose cd_scene_shape_pose(const cd_scene_shape* shape, const cd_world_motion* world)
{
    const frame   T    = world->pose[shape->frame.link];
    const mat3    R    = m3_mul_m3(T.R, m3_const(shape->frame.R));
    const vec3    p    = v3_add(T.p, m3_mul(T.R, v3_const(shape->frame.p)));
    cd_shape_pose pose = {{R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz}, {p.x, p.y, p.z}};
    return pose;
}

void cd_contact_put(cd_contact* c, const cd_contact_point* p)
{
    c->found_key = p->key;
    c->gap       = p->gap;
    c->doubtful  = p->doubtful;
    c->lost      = false;
    d3_put(d3_of(p->a), c->a);
    d3_put(d3_of(p->b), c->b);
    d3_put(d3_of(p->normal), c->normal);
    cd_contact_complete(c);
}

// A point that a search found: with its place on both links, where a continuation carries it.
static void put_found(cd_contact* c, const cd_contact_point* p, const cd_world_motion* world)
{
    c->key = p->key;
    cd_contact_put(c, p);
    const frame A = world->pose[c->link[0]], B = world->pose[c->link[1]];
    const vec3  a = m3_tmul(A.R, v3_sub(v3_const(p->a), A.p)), b = m3_tmul(B.R, v3_sub(v3_const(p->b), B.p)),
               n = m3_tmul(B.R, v3_const(p->normal));
    for (int i = 0; i < 3; ++i) {
        c->on_a[i]        = v3_component(a, i);
        c->on_b[i]        = v3_component(b, i);
        c->normal_on_b[i] = v3_component(n, i);
    }
}

void cd_contact_complete(cd_contact* c)
{
    const d3 n = d3_of(c->normal), t1 = d3_orthogonal(n);
    d3_put(d3_scale(0.5, d3_add(d3_of(c->a), d3_of(c->b))), c->point);
    d3_put(t1, c->tangent[0]);
    d3_put(d3_cross(n, t1), c->tangent[1]);
}

bool cd_contacts_are_close(const cd_contact_set* set, const cd_contact* c, const cd_contact_point* p, double* distance)
{
    const d3 middle = d3_scale(0.5, d3_add(d3_of(p->a), d3_of(p->b)));
    *distance       = d3_norm(d3_sub(middle, d3_of(c->point)));
    return *distance <= cd_same_contact_distance * set->scene->length && d3_dot(d3_of(p->normal), d3_of(c->normal)) > 0;
}

static bool boxes_overlap(const cd_contact_set* set, const cd_scene_pair* pair, double margin)
{
    const double *a = set->bounds + 6 * pair->shape[0], *b = set->bounds + 6 * pair->shape[1];
    for (int i = 0; i < 3; ++i)
        if (a[i] > b[3 + i] + margin || b[i] > a[3 + i] + margin) return false;
    return true;
}

static void new_record(cd_contact_set* set, int pair, cd_contact* c)
{
    const cd_contact_scene* s = set->scene;
    const cd_scene_pair*    p = &s->pair[pair];
    *c = (cd_contact){.id = set->next_id++, .pair = pair, .properties = &s->properties[p->properties]};
    for (int i = 0; i < 2; ++i) {
        c->body[i] = s->shape[p->shape[i]].body;
        c->link[i] = s->shape[p->shape[i]].frame.link;
    }
}

// The old record that a point continues: the same features, else the nearest. Index in `previous`, or -1.
static int match(const cd_contact_set* set, int from, int to, const cd_contact_point* p, bool same_features)
{
    double nearest = INFINITY, distance;
    int    found   = -1;
    for (int i = from; i < to; ++i) {
        const cd_contact* old = &set->previous[i];
        if (old->id < 0) continue; // taken
        if (same_features ? old->key == p->key : cd_contacts_are_close(set, old, p, &distance) && distance < nearest) {
            found = i;
            if (same_features) break;
            nearest = distance;
        }
    }
    return found;
}

// Records of the found points of a pair: first those with known features, so that others cannot take their records.
static void add_pair(cd_contact_set* set, int pair, int nfound, int from, int to, const cd_world_motion* world)
{
    int old[CD_CONTACT_POINTS_MAX];
    for (int pass = 0; pass < 2; ++pass)
        for (int i = 0; i < nfound; ++i) {
            if (pass == 1 && old[i] >= 0) continue;
            old[i] = match(set, from, to, &set->found[i], pass == 0);
            if (old[i] < 0) continue;
            set->kept[old[i]]        = set->previous[old[i]];
            set->previous[old[i]].id = -1;
        }
    for (int i = 0; i < nfound; ++i) {
        if (set->n == set->capacity) {
            set->overflow = true;
            return;
        }
        cd_contact* c = &set->contact[set->n++];
        if (old[i] >= 0)
            *c = set->kept[old[i]];
        else
            new_record(set, pair, c);
        c->moved = old[i] >= 0 && c->key != set->found[i].key;
        put_found(c, &set->found[i], world);
    }
}

void cd_contact_set_search(const cardan_model* m, const cd_world_motion* world, double margin, cd_contact_set* set)
{
    const cd_contact_scene* s         = set->scene;
    const int               nprevious = set->n;
    int                     from = 0, to = 0;
    (void)m;
    if (!(margin > 0)) margin = s->settings.margin > 0 ? s->settings.margin : cd_default_margin * s->length;
    for (int i = 0; i < nprevious; ++i) set->previous[i] = set->contact[i];
    for (int i = 0; i < s->nshape; ++i) {
        const cd_shape_pose pose = cd_scene_shape_pose(&s->shape[i], world);
        cd_shape_bounds(&s->shape[i].geometry, &pose, set->bounds + 6 * i, set->bounds + 6 * i + 3);
    }
    set->n        = 0;
    set->overflow = false;
    for (int i = 0; i < s->npair; ++i) {
        const cd_scene_pair* pair = &s->pair[i];
        for (from = to; to < nprevious && set->previous[to].pair == i;) ++to;
        if (!boxes_overlap(set, pair, margin)) continue;
        const cd_shape_pose a = cd_scene_shape_pose(&s->shape[pair->shape[0]], world),
                            b = cd_scene_shape_pose(&s->shape[pair->shape[1]], world);
        const int nfound = cd_collide(&s->shape[pair->shape[0]].geometry, &a, &s->shape[pair->shape[1]].geometry, &b,
                                      margin, &set->cache[i], set->found, CD_CONTACT_POINTS_MAX);
        add_pair(set, i, nfound, from, to, world);
    }
}
