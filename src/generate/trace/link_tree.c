// SPDX-License-Identifier: BSD-3-Clause
// Link tree from the links of a model: constants without round-off, axes antiparallel to those of the parent flipped.
//
//   flipped by F = diag(1, -1, -1):   R -> R F,  q -> -q;   inside the link  x -> F x,  J -> F J F
#include "generate/trace/link_tree.h"

#include "model/description.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double roundoff_tolerance = 1e-15, parallel_tolerance = 1e-14;

// Set to zero what is small compared with `size`; round_rotation also rounds to 1 and -1.
static void zero_roundoff(int n, double* x, double size)
{
    for (int i = 0; i < n; ++i)
        if (fabs(x[i]) <= roundoff_tolerance * size) x[i] = 0;
}

static double largest_magnitude(int n, const double* x)
{
    double largest = 0;
    for (int i = 0; i < n; ++i) largest = fmax(largest, fabs(x[i]));
    return largest;
}

static void round_rotation(double R[9])
{
    for (int i = 0; i < 9; ++i) {
        const double whole = nearbyint(R[i]);
        if (fabs(R[i] - whole) <= roundoff_tolerance) R[i] = whole;
    }
}

static void flip_inertia(cd_tree_link* b)
{
    b->h[1] = -b->h[1];
    b->h[2] = -b->h[2];
    b->J[3] = -b->J[3];
    b->J[4] = -b->J[4];
}

// Tree transform of a child of a flipped link: F R, F p.
static void flip_tree_transform(cd_tree_link* b)
{
    for (int i = 3; i < 9; ++i) b->R[i] = -b->R[i];
    b->p[1] = -b->p[1];
    b->p[2] = -b->p[2];
}

static void flip_rotation_columns(cd_tree_link* b)
{
    for (int i = 0; i < 9; ++i)
        if (i % 3) b->R[i] = -b->R[i];
}

static bool has_axis(const cd_tree_link* b) { return b->motion <= CD_SCREW; }

static void set_tree_transform(const cd_link_tree* s, int i)
{
    cd_tree_link*       b      = &s->link[i];
    const cd_tree_link* parent = b->parent >= 0 ? &s->link[b->parent] : NULL;
    if (parent && parent->is_flipped) flip_tree_transform(b);
    round_rotation(b->R);
    zero_roundoff(3, b->p, largest_magnitude(3, b->p));
    if (!parent || !has_axis(parent) || !has_axis(b)) return;
    if (b->R[8] < -1 + parallel_tolerance) {
        b->is_flipped = true;
        flip_rotation_columns(b);
        flip_inertia(b);
    }
    b->is_parallel = b->R[8] > 1 - parallel_tolerance;
    if (b->is_parallel) b->parallel_offset = par_atan2(s->model->description->parametric, b->R[3], b->R[0]);
}

static void copy_link(const cardan_model* m, int i, cd_tree_link* b)
{
    const cd_link*           link      = &m->link[i];
    const cd_tree_transform* transform = &m->tree_transform[i];
    *b                                 = (cd_tree_link){.parent     = link->parent,
                                                        .motion     = link->motion,
                                                        .q          = link->q,
                                                        .v          = link->v,
                                                        .nv         = link->nv,
                                                        .model_link = i,
                                                        .pitch      = transform->pitch,
                                                        .m          = link->m};
    memcpy(b->R, transform->R, sizeof b->R);
    memcpy(b->p, transform->p, sizeof b->p);
    memcpy(b->h, link->h, sizeof b->h);
    memcpy(b->J, link->second_moment, sizeof b->J);
    zero_roundoff(3, b->h, largest_magnitude(3, b->h));
    zero_roundoff(6, b->J, largest_magnitude(6, b->J));
}

cd_link_tree* cd_link_tree_create(const cardan_model* m)
{
    cd_link_tree* s = cd_allocate(1, sizeof *s);
    if (!s) return NULL;
    s->model    = m;
    s->nlink    = m->nlink;
    s->nq       = m->nq;
    s->nv       = m->nv;
    s->link     = cd_allocate((size_t)m->nlink + 1, sizeof *s->link);
    s->armature = cd_allocate((size_t)m->nv + 1, sizeof *s->armature);
    memcpy(s->gravity, m->view.gravity, sizeof s->gravity);
    if (!s->link || !s->armature) {
        cd_link_tree_destroy(s);
        return NULL;
    }
    for (int i = 0; i < m->nv; ++i) s->armature[i] = m->armature[i];
    for (int i = 0; i < m->nlink; ++i) {
        copy_link(m, i, &s->link[i]);
        set_tree_transform(s, i);
    }
    cd_link_tree_choose_axes(s);
    return s;
}

void cd_link_tree_destroy(cd_link_tree* s)
{
    if (!s) return;
    free(s->link);
    free(s->armature);
    free(s);
}

// Links with an axis parallel to that of the parent use the axes of the parent. A chain of them starts in the axes
// before its first joint, unless that joint is the first of the tree: then the rotation about a fixed axis drops out.
void cd_link_tree_choose_axes(cd_link_tree* s)
{
    for (int i = 0; i < s->nlink; ++i) s->link[i].axes = CD_AXES_OWN;
    for (int i = 0; i < s->nlink; ++i) {
        cd_tree_link* b = &s->link[i];
        if (!b->is_parallel) continue;
        cd_tree_link* parent = &s->link[b->parent];
        b->axes              = CD_AXES_PARENT;
        if (parent->axes == CD_AXES_OWN && parent->parent >= 0) parent->axes = CD_AXES_AT_ZERO;
    }
}
