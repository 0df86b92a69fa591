// SPDX-License-Identifier: BSD-3-Clause
// Update of the pairs of the broad phase: pairs whose fat boxes parted are removed; every shape that was inserted
// again searches both trees; new pairs are sorted and merged with the others.
#include "contact/broad/broad_phase.h"

typedef struct cd_proxy {
    cd_box fat;
    bool   fixed, used, unbounded, moved;
} cd_proxy;

void cd_broad_layout(cd_broad_phase* b, cd_arena* arena, int shapes, int pairs)
{
    cd_dynamic_tree_layout(&b->tree[0], arena, shapes);
    cd_dynamic_tree_layout(&b->tree[1], arena, shapes);
    CD_ARENA_ARRAY(arena, b->proxy, shapes);
    CD_ARENA_ARRAY(arena, b->unbounded, shapes);
    CD_ARENA_ARRAY(arena, b->moved, shapes);
    CD_ARENA_ARRAY(arena, b->pair, pairs);
    CD_ARENA_ARRAY(arena, b->key, pairs);
    CD_ARENA_ARRAY(arena, b->merged, pairs);
}

void cd_broad_clear(cd_broad_phase* b, int shapes, int pairs)
{
    cd_dynamic_tree_clear(&b->tree[0], shapes);
    cd_dynamic_tree_clear(&b->tree[1], shapes);
    for (int i = 0; i < shapes; ++i) b->proxy[i] = (cd_proxy){.used = false};
    b->nshape        = shapes;
    b->pair_capacity = pairs;
    b->npair = b->nunbounded = b->nmoved = 0;
    b->filter                            = NULL;
    b->filter_context                    = NULL;
}

static bool bounded(const cd_box* box)
{
    for (int i = 0; i < 3; ++i)
        if (!(isfinite(box->lower[i]) && isfinite(box->upper[i]))) return false;
    return true;
}

static void note_moved(cd_broad_phase* b, int shape)
{
    if (b->proxy[shape].moved) return;
    b->proxy[shape].moved = true;
    b->moved[b->nmoved++] = shape;
}

void cd_broad_add(cd_broad_phase* b, int shape, bool fixed, const cd_box* box, double margin)
{
    cd_proxy* p = &b->proxy[shape];
    *p = (cd_proxy){.fat = cd_box_grown(box, margin), .fixed = fixed, .used = true, .unbounded = !bounded(box)};
    if (p->unbounded)
        b->unbounded[b->nunbounded++] = shape;
    else
        cd_dynamic_tree_insert(&b->tree[fixed], shape, &p->fat);
    note_moved(b, shape);
}

void cd_broad_move(cd_broad_phase* b, int shape, const cd_box* box, double margin)
{
    cd_proxy* p = &b->proxy[shape];
    if (p->unbounded || cd_box_contains(&p->fat, box)) return;
    p->fat = cd_box_grown(box, margin);
    cd_dynamic_tree_remove(&b->tree[p->fixed], shape);
    cd_dynamic_tree_insert(&b->tree[p->fixed], shape, &p->fat);
    note_moved(b, shape);
}

typedef struct collector {
    cd_broad_phase* phase;
    int             shape, count; // count: of new keys
    bool            full;
} collector;

static void collect(void* context, int other)
{
    collector*            c = context;
    const cd_broad_phase* b = c->phase;
    const int             i = c->shape < other ? c->shape : other, j = c->shape < other ? other : c->shape;
    if (i == j || (b->proxy[i].fixed && b->proxy[j].fixed)) return;
    if (b->proxy[other].moved && other < c->shape) return; // found from there
    if (b->filter && !b->filter(b->filter_context, i, j)) return;
    if (c->count == b->pair_capacity)
        c->full = true;
    else
        b->key[c->count++] = (uint64_t)i << 32 | (uint32_t)j;
}

static void collect_unbounded(collector* c)
{
    const cd_broad_phase* b = c->phase;
    for (int k = 0; k < b->nunbounded; ++k) collect(c, b->unbounded[k]);
    if (!b->proxy[c->shape].unbounded) return;
    for (int j = 0; j < b->nshape; ++j)
        if (b->proxy[j].used && !b->proxy[j].unbounded) collect(c, j);
}

static void sift(uint64_t* x, int i, int n)
{
    const uint64_t value = x[i];
    for (int c = 2 * i + 1; c < n; i = c, c = 2 * i + 1) {
        if (c + 1 < n && x[c + 1] > x[c]) ++c;
        if (x[c] <= value) break;
        x[i] = x[c];
    }
    x[i] = value;
}

static void heap_sort(uint64_t* x, int n)
{
    for (int i = n / 2 - 1; i >= 0; --i) sift(x, i, n);
    for (int i = n - 1; i > 0; --i) {
        const uint64_t t = x[0];
        x[0]             = x[i];
        x[i]             = t;
        sift(x, 0, i);
    }
}

static void remove_parted(cd_broad_phase* b)
{
    int kept = 0;
    for (int k = 0; k < b->npair; ++k) {
        const cd_proxy *p = &b->proxy[b->pair[k].a], *q = &b->proxy[b->pair[k].b];
        if (cd_box_overlap(&p->fat, &q->fat)) b->pair[kept++] = b->pair[k];
    }
    b->npair = kept;
}

// Union of the sorted pairs and the sorted new keys; false: too many.
static bool merge(cd_broad_phase* b, int nkey)
{
    int n = 0, i = 0, j = 0;
    while (i < b->npair || j < nkey) {
        const uint64_t old  = i < b->npair ? (uint64_t)b->pair[i].a << 32 | (uint32_t)b->pair[i].b : UINT64_MAX;
        const uint64_t new_ = j < nkey ? b->key[j] : UINT64_MAX, next = old < new_ ? old : new_;
        i += old == next;
        while (j < nkey && b->key[j] == next) ++j;
        if (n == b->pair_capacity) return false;
        b->merged[n++] = next;
    }
    for (int k = 0; k < n; ++k) b->pair[k] = (cd_broad_pair){(int)(b->merged[k] >> 32), (int)(uint32_t)b->merged[k]};
    b->npair = n;
    return true;
}

static bool fail(cd_broad_phase* b) // every shape searches again at the next update
{
    b->npair = b->nmoved = 0;
    for (int i = 0; i < b->nshape; ++i) {
        b->proxy[i].moved = false;
        if (b->proxy[i].used) note_moved(b, i);
    }
    return false;
}

bool cd_broad_update(cd_broad_phase* b)
{
    collector c = {.phase = b};
    if (b->nmoved == 0) return true;
    remove_parted(b);
    for (int k = 0; k < b->nmoved; ++k) {
        c.shape           = b->moved[k];
        const cd_proxy* p = &b->proxy[c.shape];
        if (!p->unbounded)
            for (int t = 0; t < (p->fixed ? 1 : 2); ++t) cd_dynamic_tree_search(&b->tree[t], &p->fat, collect, &c);
        collect_unbounded(&c);
    }
    if (c.full) return fail(b);
    heap_sort(b->key, c.count);
    if (!merge(b, c.count)) return fail(b);
    for (int k = 0; k < b->nmoved; ++k) b->proxy[b->moved[k]].moved = false;
    b->nmoved = 0;
    return true;
}
