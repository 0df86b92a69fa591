// SPDX-License-Identifier: BSD-3-Clause
// Links to bones: constants cleaned, axes that point against their parent's turned over.
//
//   turned over by F = diag(1, -1, -1):   R -> R F,  q -> -q;   inside the bone  x -> F x,  J -> F J F
#include "generate/skeleton.h"

#include "model/description.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double clean = 1e-15, straight = 1e-14;

// Zero is what is small beside the largest; so are 1 and -1 in rotations.
static void clean_vector(int n, double* x, double size)
{
    for (int i = 0; i < n; ++i)
        if (fabs(x[i]) <= clean * size) x[i] = 0;
}

static double largest(int n, const double* x)
{
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

static void clean_rotation(double R[9])
{
    for (int i = 0; i < 9; ++i) {
        const double whole = nearbyint(R[i]);
        if (fabs(R[i] - whole) <= clean) R[i] = whole;
    }
}

static void flip_inside(cd_bone* b)
{
    b->h[1] = -b->h[1];
    b->h[2] = -b->h[2];
    b->J[3] = -b->J[3];
    b->J[4] = -b->J[4];
}

// Mount of a child of a bone that was turned over: F R, F p.
static void flip_before(cd_bone* b)
{
    for (int i = 3; i < 9; ++i) b->R[i] = -b->R[i];
    b->p[1] = -b->p[1];
    b->p[2] = -b->p[2];
}

static void flip_behind(cd_bone* b)
{
    for (int i = 0; i < 9; ++i)
        if (i % 3) b->R[i] = -b->R[i];
}

static bool has_axis(const cd_bone* b) { return b->motion <= CD_HELIX; }

static void place(const cd_skeleton* s, int i)
{
    cd_bone*       b      = &s->bone[i];
    const cd_bone* parent = b->parent >= 0 ? &s->bone[b->parent] : NULL;
    if (parent && parent->flipped) flip_before(b);
    clean_rotation(b->R);
    clean_vector(3, b->p, largest(3, b->p));
    if (!parent || !has_axis(parent) || !has_axis(b)) return;
    if (b->R[8] < -1 + straight) {
        b->flipped = true;
        flip_behind(b);
        flip_inside(b);
    }
    b->parallel = b->R[8] > 1 - straight;
    if (b->parallel) b->offset = l_atan2(s->model->description->ledger, b->R[3], b->R[0]);
}

static void take_link(const cardan_model* m, int i, cd_bone* b)
{
    const cd_link*  link  = &m->link[i];
    const cd_mount* mount = &m->mount[i];
    *b                    = (cd_bone){.parent = link->parent,
                                      .motion = link->motion,
                                      .q      = link->q,
                                      .v      = link->v,
                                      .nv     = link->nv,
                                      .link   = i,
                                      .pitch  = mount->pitch,
                                      .m      = link->m};
    memcpy(b->R, mount->R, sizeof b->R);
    memcpy(b->p, mount->p, sizeof b->p);
    memcpy(b->h, link->h, sizeof b->h);
    memcpy(b->J, link->J, sizeof b->J);
    clean_vector(3, b->h, largest(3, b->h));
    clean_vector(6, b->J, largest(6, b->J));
}

cd_skeleton* cd_skeleton_create(const cardan_model* m)
{
    cd_skeleton* s = cd_allocate(1, sizeof *s);
    if (!s) return NULL;
    s->model    = m;
    s->nbone    = m->nlink;
    s->nq       = m->nq;
    s->nv       = m->nv;
    s->bone     = cd_allocate((size_t)m->nlink + 1, sizeof *s->bone);
    s->armature = cd_allocate((size_t)m->nv + 1, sizeof *s->armature);
    memcpy(s->gravity, m->view.gravity, sizeof s->gravity);
    if (!s->bone || !s->armature) {
        cd_skeleton_destroy(s);
        return NULL;
    }
    for (int i = 0; i < m->nv; ++i) s->armature[i] = m->armature[i];
    for (int i = 0; i < m->nlink; ++i) {
        take_link(m, i, &s->bone[i]);
        place(s, i);
    }
    cd_skeleton_choose_axes(s);
    return s;
}

void cd_skeleton_destroy(cd_skeleton* s)
{
    if (!s) return;
    free(s->bone);
    free(s->armature);
    free(s);
}

// Bones behind a parallel one share its parent's axes; a chain of them starts in the axes before its first joint,
// unless that joint is the first of the tree: turning about a fixed axis then drops out.
void cd_skeleton_choose_axes(cd_skeleton* s)
{
    for (int i = 0; i < s->nbone; ++i) s->bone[i].axes = CD_AXES_OWN;
    for (int i = 0; i < s->nbone; ++i) {
        cd_bone* b = &s->bone[i];
        if (!b->parallel) continue;
        cd_bone* parent = &s->bone[b->parent];
        b->axes         = CD_AXES_SAME;
        if (parent->axes == CD_AXES_OWN && parent->parent >= 0) parent->axes = CD_AXES_BEFORE;
    }
}
