// SPDX-License-Identifier: BSD-3-Clause
// Rays against triangle meshes: the tree is traversed with the near child first; a stack keeps the far ones with the
// distance at which their boxes are entered. Of two triangles hit at the same distance, that with the smaller number
// is returned.
#include "contact/mesh/triangle_mesh.h"
#include "contact/ray/ray_triangle.h"
#include "contact/ray/slab_test.h"

typedef struct search {
    const cd_triangle_mesh* mesh;
    cd_sheared_ray          shear;
    double                  best;
    int                     triangle; // -1: none
} search;

static void test_leaf(search* s, int leaf)
{
    const cd_triangle_mesh* m     = s->mesh;
    const int               start = ~leaf >> 3, end = start + (~leaf & 7);
    for (int i = start; i < end; ++i) {
        const int  t = m->tree.triangle[i];
        const int* c = m->corner[t];
        double     distance;
        if (cd_ray_triangle(&s->shear, &m->vertex[c[0]], &m->vertex[c[1]], &m->vertex[c[2]], s->best,
                            s->triangle < 0 || t < s->triangle, &distance))
            s->best = distance, s->triangle = t;
    }
}

static void traverse(search* s, const cd_slab_ray* slab)
{
    struct {
        int    at;
        double enter;
    } stack[CD_TREE_DEPTH];
    int depth = 0, at = s->mesh->tree.root;
    for (;;) {
        while (at >= 0) {
            const cd_tree_node* node = &s->mesh->tree.node[at];
            double              enter[2];
            const bool          hit[2] = {cd_slab_enter(slab, &node->box[0], s->best, &enter[0]),
                                          cd_slab_enter(slab, &node->box[1], s->best, &enter[1])};
            if (hit[0] && hit[1]) {
                const int near       = enter[1] < enter[0];
                stack[depth].at      = node->child[!near];
                stack[depth++].enter = enter[!near];
                at                   = node->child[near];
            } else if (hit[0] || hit[1]) {
                at = node->child[hit[1]];
            } else {
                break;
            }
        }
        if (at < 0) test_leaf(s, at);
        do {
            if (depth == 0) return;
            --depth;
        } while (stack[depth].enter > s->best * (1 + cd_ray_slack));
        at = stack[depth].at;
    }
}

bool cd_ray_mesh(const cd_shape_geometry* g, const cd_local_ray* ray, cd_local_hit* hit)
{
    search            s    = {g->mesh, cd_shear(ray), ray->length, -1};
    const cd_slab_ray slab = cd_slab_of(ray->origin, ray->direction);
    traverse(&s, &slab);
    if (s.triangle < 0) return false;
    *hit = (cd_local_hit){s.best, g->mesh->normal[s.triangle], s.triangle};
    return true;
}
