// SPDX-License-Identifier: BSD-3-Clause
// What covers what. Marks are painted from the farthest to the nearest by the depth of their middles, except where a
// plane decides: what lies wholly on the eye's side of a face is painted after it, what lies wholly behind before it
// (the plane test of Newell, Newell and Sancha 1972). So a small ball above the far corner of a large box stays in
// sight. Where such rules go in a circle, or bodies pierce each other, the depth of the middles has the last word.
#include "draw/picture.h"

#include "core/memory.h"

#include <stdlib.h>

typedef enum state { WAITING, BEGUN, PAINTED } state;

typedef struct piece {
    int            layer; // bodies first, then joints and mass centres: a drawing shows its joints
    double         depth;
    const cd_mark* mark;
    state          state;
    double         left, right, low, high; // [m] on the picture plane
    bool           face;                   // it has a plane, seen from its front: n.x = offset
    cd_xyz         n;
    double         offset;
} piece;

typedef struct painter {
    const cd_picture* picture;
    const cd_scene*   scene;
    piece*            piece;
    int               count; // of the bodies
    int*              face;  // (nface) pieces
    int               nface;
} painter;

static bool two_ended(cd_mark_kind kind)
{
    return kind == CD_MARK_LINK || kind == CD_MARK_RAIL || kind == CD_MARK_SPUR || kind == CD_MARK_SPRING ||
           kind == CD_MARK_DAMPER;
}

static int corner_count(const cd_mark* m) { return m->kind == CD_MARK_FACE ? m->count : two_ended(m->kind) ? 2 : 1; }

static cd_xyz corner(const cd_scene* scene, const cd_mark* m, int i)
{
    return m->kind == CD_MARK_FACE ? scene->point[m->first + i] : i ? m->b : m->a;
}

// How far a mark reaches from its corners along a unit vector n: balls everywhere, rods square to their length.
static double reach(const cd_mark* m, cd_xyz n)
{
    if (m->kind == CD_MARK_FACE) return 0;
    if (m->kind != CD_MARK_LINK) return m->radius;
    const double c = xyz_dot(n, xyz_unit(xyz_sub(m->b, m->a)));
    return m->radius * sqrt(fmax(0, 1 - c * c));
}

static piece piece_of(const cd_picture* p, const cd_scene* scene, const cd_mark* m)
{
    const bool large = m->symbol == CD_SYMBOL_SLIDER || m->symbol == CD_SYMBOL_PLATE || m->symbol == CD_SYMBOL_SLEEVE ||
                       m->symbol == CD_SYMBOL_SCREW;
    const int    layer = m->kind == CD_MARK_CENTRE ? 3 : m->kind == CD_MARK_JOINT ? (large ? 1 : 2) : 0;
    const double r     = m->kind == CD_MARK_FACE ? 0 : m->radius + p->unit / p->scale;
    const int    count = corner_count(m);
    piece e = {.layer = layer, .mark = m, .left = INFINITY, .right = -INFINITY, .low = INFINITY, .high = -INFINITY};
    for (int i = 0; i < count; ++i) {
        const cd_xyz at = corner(scene, m, i);
        const cd_xy  q  = cd_look_at(p->look, at);
        e.left          = fmin(e.left, q.x - r);
        e.right         = fmax(e.right, q.x + r);
        e.low           = fmin(e.low, q.y - r);
        e.high          = fmax(e.high, q.y + r);
        e.depth += cd_look_depth(p->look, at) / count;
    }
    if (m->kind == CD_MARK_MASS) e.depth += 3 * p->unit / p->scale; // lies on its bar
    e.depth = nearbyint(e.depth * p->scale * 8) / 8;                // differences below an eighth of a pixel are none
    if (m->kind != CD_MARK_FACE) return e;
    e.n                = cd_face_normal(scene, m);
    const double front = xyz_dot(e.n, p->look->toward);
    if (front < 0) e.n = xyz_scale(-1, e.n);
    e.face   = fabs(front) > CD_NOISE;
    e.offset = xyz_dot(e.n, corner(scene, m, 0));
    return e;
}

static int by_depth(const void* a, const void* b)
{
    const piece *x = a, *y = b;
    if (x->layer != y->layer) return x->layer < y->layer ? -1 : 1;
    if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
    if (x->mark->kind != y->mark->kind) return x->mark->kind < y->mark->kind ? -1 : 1;
    return (x->mark > y->mark) - (x->mark < y->mark);
}

// 1: wholly in front of the face, -1: wholly behind, 0: neither, or in its plane.
static int side(const painter* p, const piece* face, const piece* e)
{
    if (!face->face) return 0;
    const double tolerance = 0.125 / p->picture->scale, r = reach(e->mark, face->n);
    double       least = INFINITY, most = -INFINITY;
    for (int i = 0; i < corner_count(e->mark); ++i) {
        const double d = xyz_dot(face->n, corner(p->scene, e->mark, i)) - face->offset;
        least          = fmin(least, d - r);
        most           = fmax(most, d + r);
    }
    return (least > -tolerance) - (most < tolerance);
}

// True where a must be painted before b. If each says it of the other, neither covers the other.
static bool before(const painter* p, const piece* a, const piece* b)
{
    if (a == b || a->right <= b->left || b->right <= a->left || a->high <= b->low || b->high <= a->low) return false;
    return side(p, a, b) - side(p, b, a) > 0;
}

static void visit(painter* p, piece* e)
{
    if (e->state != WAITING) return;
    e->state        = BEGUN;
    const int count = e->face ? p->count : p->nface; // one of two must be a face
    for (int i = 0; i < count; ++i) {
        piece* other = &p->piece[e->face ? i : p->face[i]];
        if (other->state == WAITING && before(p, other, e)) visit(p, other);
    }
    cd_draw_mark(p->picture, p->scene, e->mark);
    e->state = PAINTED;
}

static bool shown(const cd_picture* p, const cd_scene* scene, const cd_mark* m, bool bodies_only)
{
    if (m->kind == CD_MARK_GROUND || (bodies_only && m->kind > CD_MARK_MASS)) return false;
    if (bodies_only &&
        (m->kind == CD_MARK_RAIL || m->kind == CD_MARK_SPUR || m->kind == CD_MARK_SPRING || m->kind == CD_MARK_DAMPER))
        return false;
    return m->kind != CD_MARK_FACE || !m->solid || xyz_dot(cd_face_normal(scene, m), p->look->toward) > CD_NOISE;
}

void cd_paint_scene(const cd_picture* p, const cd_scene* scene, bool bodies_only)
{
    enum { MOST = 20000000 }; // pairs looked at; above, depth must do
    painter all   = {.picture = p, .scene = scene};
    int     count = 0;
    all.piece     = cd_allocate((size_t)scene->nmark, sizeof *all.piece);
    all.face      = cd_allocate((size_t)scene->nmark, sizeof *all.face);
    for (int i = 0; all.piece && all.face && i < scene->nmark; ++i) {
        const cd_mark* m = &scene->mark[i];
        if (m->kind == CD_MARK_GROUND && !bodies_only) cd_draw_ground(p, m);
        if (shown(p, scene, m, bodies_only)) all.piece[count++] = piece_of(p, scene, m);
    }
    if (!all.piece || !all.face) p->svg->failed = true;
    if (count) qsort(all.piece, (size_t)count, sizeof *all.piece, by_depth);
    for (; all.count < count && all.piece[all.count].layer == 0; ++all.count)
        if (all.piece[all.count].face) all.face[all.nface++] = all.count;
    if ((double)all.count * all.nface > MOST) all.count = all.nface = 0;
    for (int i = 0; i < count; ++i) visit(&all, &all.piece[i]);
    free(all.piece);
    free(all.face);
}
