// SPDX-License-Identifier: BSD-3-Clause
// Elimination from ground outward: in every branch of ground the links on the way from the deepest one to ground hang from each other the other
// way round, and the joint between two of them leaves with the inner one, backwards. At the end of the way is a copy of ground, which six rows hold.
//
//   inward    V(link) = V(parent) moved + S u          outward    V(parent) = V(link) moved - S moved u
//
// The deepest link hangs from nothing: its motion is six free velocities, behind all others.
#include "formulation/front.h"

#include <stdlib.h>

bool cd_fronts_hang(const cardan_model* m, cd_fronts* f)
{
    int* depth   = cd_allocate((size_t)m->nlink, sizeof(int));
    int* branch  = cd_allocate((size_t)m->nlink, sizeof(int));  // link of the branch that ground carries
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
        f->up[i] = parent;
        f->v[i]  = m->link[i].v;
        f->nv[i] = m->link[i].nv;
    }
    for (int first = 0; first < m->nlink; ++first) {
        if (m->link[first].parent >= 0) continue;
        const int root = deepest[first], ground = m->nlink + f->nroot;
        for (int i = root; i >= 0; i = m->link[i].parent) {
            const int inner = m->link[i].parent >= 0 ? m->link[i].parent : ground;
            f->up[inner]    = i;
            f->v[inner]     = m->link[i].v;
            f->nv[inner]    = m->link[i].nv;
        }
        f->up[root] = -1;
        f->v[root]  = m->nv + 6 * f->nroot;
        f->nv[root] = 6;
        ++f->nroot;
    }
    f->n = m->nlink + f->nroot;
    free(depth), free(branch), free(deepest);
    return true;
}

static spatial moved(spatial S, vec3 d) { return (spatial){S.a, v3_sub(S.l, v3_cross(d, S.a))}; }

// Poses of the copies of ground, columns as they are eliminated. The copies are where the branches begin.
void cd_reduction_turn(const cardan_model* m, cd_reducing* w)
{
    const cd_fronts* f = &w->f;
    for (int i = 0; i < f->n; ++i) {
        const int up = f->up[i];
        if (i >= m->nlink) w->pose[i] = w->pose[up];
        if (up < 0) {
            for (int j = 0; j < 6; ++j) {
                real e[6];
                for (int k = 0; k < 6; ++k) e[k] = r_lift(k == j);
                w->E[f->v[i] + j]     = (spatial){v3(e[0], e[1], e[2]), v3(e[3], e[4], e[5])};
                w->scale[f->v[i] + j] = j < 3 ? w->length : 1;
            }
            continue;
        }
        const bool backward = i >= m->nlink || m->link[i].parent != up;
        for (int v = f->v[i]; v < f->v[i] + f->nv[i]; ++v)
            w->E[v] = backward ? moved(sv_scale(r_lift(-1), w->S[v]), v3_sub(w->pose[i].p, w->pose[up].p)) : w->S[v];
    }
    for (int i = w->nrow; i < w->nrow + 6 * f->nroot; ++i) w->row_scale[i] = (i - w->nrow) % 6 < 3 ? 1 / w->length : 1;
}

void cd_reduction_turn_about(const cardan_model* m, cd_reducing* w)
{
    const cd_fronts f = w->f;
    w->f              = w->aside;
    w->aside          = f;
    w->E              = w->f.nroot > 0 ? w->backward : w->S;
    if (w->f.nroot > 0) cd_reduction_turn(m, w);
}

// The rows of ground: it does not move.
void cd_front_hold(cd_reducing* w, cd_front* x, int ground)
{
    for (int j = 0; j < 6; ++j) {
        const int id  = w->nrow + 6 * ground + j;
        real*     row = x->R + x->nrow * x->stride;
        if (w->idle[id] && !w->learned) continue;
        for (int i = 0; i < x->stride; ++i) row[i] = r_lift(i == j);
        w->open[x->nrow++] = id;
    }
}
