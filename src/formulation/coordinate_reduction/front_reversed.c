// SPDX-License-Identifier: BSD-3-Clause
// Elimination from ground outward: in every branch of ground the parents along the path from the deepest link to ground
// are reversed, and the joint between two of these links is eliminated with the inner one, traversed backwards. The
// path ends at a copy of ground, which six rows constrain.
//
//   inward    V(link) = V(parent) moved + S u          outward    V(parent) = (V(link) - S u) moved
//
// The deepest link has no parent: its motion is six free velocities, numbered after all others.
#include "formulation/coordinate_reduction/fronts.h"

#include <stdlib.h>

bool cd_fronts_reverse_tree(const cardan_model* m, cd_fronts* f)
{
    int* depth   = cd_allocate((size_t)m->nlink, sizeof(int));
    int* branch  = cd_allocate((size_t)m->nlink, sizeof(int)); // link of the branch whose parent is ground
    int* deepest = cd_allocate((size_t)m->nlink, sizeof(int));
    if (!depth || !branch || !deepest) {
        free(depth), free(branch), free(deepest);
        return false;
    }
    for (int i = 0; i < m->nlink; ++i) {
        const int parent = m->link[i].parent;
        depth[i]         = parent < 0 ? 0 : depth[parent] + 1;
        branch[i]        = parent < 0 ? i : branch[parent];
        deepest[i]       = i;
        if (depth[i] > depth[deepest[branch[i]]]) deepest[branch[i]] = i;
        f->parent[i] = parent;
        f->joint[i]  = i;
        f->v[i]      = m->link[i].v;
        f->nv[i]     = m->link[i].nv;
    }
    for (int first = 0; first < m->nlink; ++first) {
        if (m->link[first].parent >= 0) continue;
        const int root = deepest[first], ground = m->nlink + f->nroot;
        for (int i = root; i >= 0; i = m->link[i].parent) {
            const int inner  = m->link[i].parent >= 0 ? m->link[i].parent : ground;
            f->parent[inner] = i;
            f->joint[inner]  = i;
            f->v[inner]      = m->link[i].v;
            f->nv[inner]     = m->link[i].nv;
        }
        f->parent[root] = f->joint[root] = -1;
        f->v[root]                       = m->nv + 6 * f->nroot;
        f->nv[root]                      = 6;
        ++f->nroot;
    }
    f->n = m->nlink + f->nroot;
    free(depth), free(branch), free(deepest);
    return true;
}

void cd_reduction_swap_order(cd_reduction_workspace* w)
{
    const cd_fronts f = w->fronts;
    w->fronts         = w->alternate;
    w->alternate      = f;
}

// Add the rows of a copy of ground: it does not move.
void cd_front_add_ground_rows(cd_reduction_workspace* w, cd_front* x, int ground)
{
    for (int j = 0; j < 6; ++j) {
        const int id  = w->nrow + 6 * ground + j;
        real*     row = x->R + x->nrow * x->stride;
        if (w->redundant[id] && !w->rank_updated) continue;
        for (int i = 0; i < x->stride; ++i) row[i] = r_const(i == j);
        w->pending_row[x->nrow++] = id;
    }
}
