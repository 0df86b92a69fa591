// SPDX-License-Identifier: BSD-3-Clause
// Link tree from the links of a model: constants without round-off, axes antiparallel to those of the parent flipped.
//
//   flipped by F = diag(1, -1, -1):   R -> R F,  q -> -q;   inside the link  x -> F x,  J -> F J F
#include "generate/trace/link_tree.h"

#include "math/norm_inf.h"
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

static void round_rotation(double R[9])
{
    for (int i = 0; i < 9; ++i) {
        const double whole = nearbyint(R[i]);
        if (fabs(R[i] - whole) <= roundoff_tolerance) R[i] = whole;
    }
}

static void flip_inertia(cd_tree_link* link)
{
    link->h[1] = -link->h[1];
    link->h[2] = -link->h[2];
    link->J[3] = -link->J[3];
    link->J[4] = -link->J[4];
}

// Tree transform of a child of a flipped link: F R, F p.
static void flip_tree_transform(cd_tree_link* link)
{
    for (int i = 3; i < 9; ++i) link->R[i] = -link->R[i];
    link->p[1] = -link->p[1];
    link->p[2] = -link->p[2];
}

static void flip_rotation_columns(cd_tree_link* link)
{
    for (int i = 0; i < 9; ++i)
        if (i % 3) link->R[i] = -link->R[i];
}

static bool has_axis(const cd_tree_link* link) { return link->motion <= CD_SCREW; }

static void set_tree_transform(const cd_link_tree* tree, int i)
{
    cd_tree_link*       link   = &tree->link[i];
    const cd_tree_link* parent = link->parent >= 0 ? &tree->link[link->parent] : NULL;
    if (parent && parent->is_flipped) flip_tree_transform(link);
    round_rotation(link->R);
    zero_roundoff(3, link->p, cd_norm_inf(3, link->p));
    if (!parent || !has_axis(parent) || !has_axis(link)) return;
    if (link->R[8] < -1 + parallel_tolerance) {
        link->is_flipped = true;
        flip_rotation_columns(link);
        flip_inertia(link);
    }
    link->is_parallel = link->R[8] > 1 - parallel_tolerance;
    if (link->is_parallel)
        link->parallel_offset = par_atan2(tree->model->description->parametric, link->R[3], link->R[0]);
}

static void copy_link(const cardan_model* m, int i, cd_tree_link* tree_link)
{
    const cd_link*           link      = &m->link[i];
    const cd_tree_transform* transform = &m->tree_transform[i];
    *tree_link                         = (cd_tree_link){.parent     = link->parent,
                                                        .motion     = link->motion,
                                                        .q          = link->q,
                                                        .v          = link->v,
                                                        .nv         = link->nv,
                                                        .model_link = i,
                                                        .pitch      = transform->pitch,
                                                        .m          = link->m};
    memcpy(tree_link->R, transform->R, sizeof tree_link->R);
    memcpy(tree_link->p, transform->p, sizeof tree_link->p);
    memcpy(tree_link->h, link->h, sizeof tree_link->h);
    memcpy(tree_link->J, link->second_moment, sizeof tree_link->J);
    zero_roundoff(3, tree_link->h, cd_norm_inf(3, tree_link->h));
    zero_roundoff(6, tree_link->J, cd_norm_inf(6, tree_link->J));
}

cd_link_tree* cd_link_tree_create(const cardan_model* m)
{
    cd_link_tree* tree = cd_allocate(1, sizeof *tree);
    if (!tree) return NULL;
    tree->model    = m;
    tree->nlink    = m->nlink;
    tree->nq       = m->nq;
    tree->nv       = m->nv;
    tree->link     = cd_allocate((size_t)m->nlink + 1, sizeof *tree->link);
    tree->armature = cd_allocate((size_t)m->nv + 1, sizeof *tree->armature);
    memcpy(tree->gravity, m->view.gravity, sizeof tree->gravity);
    if (!tree->link || !tree->armature) {
        cd_link_tree_destroy(tree);
        return NULL;
    }
    for (int i = 0; i < m->nv; ++i) tree->armature[i] = m->armature[i];
    for (int i = 0; i < m->nlink; ++i) {
        copy_link(m, i, &tree->link[i]);
        set_tree_transform(tree, i);
    }
    cd_link_tree_choose_axes(tree);
    return tree;
}

void cd_link_tree_destroy(cd_link_tree* tree)
{
    if (!tree) return;
    free(tree->link);
    free(tree->armature);
    free(tree);
}

// Links with an axis parallel to that of the parent use the axes of the parent. A chain of them starts in the axes
// before its first joint, unless that joint is the first of the tree: then the rotation about a fixed axis drops out.
void cd_link_tree_choose_axes(cd_link_tree* tree)
{
    for (int i = 0; i < tree->nlink; ++i) tree->link[i].axes = CD_AXES_OWN;
    for (int i = 0; i < tree->nlink; ++i) {
        cd_tree_link* link = &tree->link[i];
        if (!link->is_parallel) continue;
        cd_tree_link* parent = &tree->link[link->parent];
        link->axes           = CD_AXES_PARENT;
        if (parent->axes == CD_AXES_OWN && parent->parent >= 0) parent->axes = CD_AXES_AT_ZERO;
    }
}
