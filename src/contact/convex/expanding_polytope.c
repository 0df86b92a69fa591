// SPDX-License-Identifier: BSD-3-Clause
// Direction of the least overlap of two convex cores: the face of the difference A - B that is nearest to the origin. A polytope
// inside A - B starts as a tetrahedron. The face with the least distance from the origin, negative if the origin is outside
// it, is expanded to the support point along its normal, until the support point is on the face. The origin need not be inside
// the first tetrahedron.
//
// van den Bergen 2001, Proximity queries and penetration depth computation on 3D game objects (Game Developers Conference).
#include "contact/contact_tolerances.h"
#include "contact/convex/convex.h"

enum { VERTICES = 96, FACES = 2 * VERTICES };
typedef struct face {
    int    v[3];
    d3     m; // outward unit normal
    double h; // m.y on the face
} face;
typedef struct polytope {
    int  nvertex, nface;
    d3   y[VERTICES], a[VERTICES], b[VERTICES];
    face face[FACES];
} polytope;

static int add_vertex(polytope* t, const cd_pair* p, d3 direction)
{
    t->y[t->nvertex] = cd_difference_support(p, direction, &t->a[t->nvertex], &t->b[t->nvertex]);
    return t->nvertex++;
}

// False: the three points are on a line.
static bool add_face(polytope* t, int i, int j, int k)
{
    const d3     m    = d3_cross(d3_sub(t->y[j], t->y[i]), d3_sub(t->y[k], t->y[i]));
    const double size = d3_norm(m);
    if (t->nface == FACES || !(size > 0)) return false;
    const d3 unit       = d3_scale(1 / size, m);
    t->face[t->nface++] = (face){{i, j, k}, unit, d3_dot(unit, t->y[i])};
    return true;
}

// Farther of the two extreme points along +-u from the point x, in the direction u.
static void add_farther(polytope* t, const cd_pair* p, d3 u, d3 x)
{
    const int i = add_vertex(t, p, u), j = add_vertex(t, p, d3_neg(u));
    if (fabs(d3_dot(u, d3_sub(t->y[j], x))) > fabs(d3_dot(u, d3_sub(t->y[i], x))))
        t->y[i] = t->y[j], t->a[i] = t->a[j], t->b[i] = t->b[j];
    --t->nvertex;
}

// False: A - B is flat.
static bool first_tetrahedron(polytope* t, const cd_pair* p)
{
    add_vertex(t, p, d3_axis(0));
    add_vertex(t, p, d3_neg(d3_axis(0)));
    const d3 u = d3_sub(t->y[1], t->y[0]);
    if (!(d3_norm(u) > 0)) return false;
    add_farther(t, p, d3_orthogonal(d3_unit(u)), t->y[0]);
    const d3 normal = d3_cross(u, d3_sub(t->y[2], t->y[0]));
    if (!(d3_norm(normal) > 0)) return false;
    add_farther(t, p, d3_unit(normal), t->y[0]);
    const double volume = d3_dot(normal, d3_sub(t->y[3], t->y[0]));
    if (volume == 0) return false;
    const int swap = volume > 0;
    return add_face(t, 0, 1 + swap, 2 - swap) && add_face(t, 0, 3, 1 + swap) && add_face(t, 0, 2 - swap, 3) &&
           add_face(t, 1 + swap, 3, 2 - swap);
}

static int nearest_face(const polytope* t, const cd_pair* p)
{
    int best = -1;
    for (int f = 0; f < t->nface; ++f)
        if ((best < 0 || t->face[f].h < t->face[best].h) && cd_is_on_front(p, d3_neg(t->face[f].m))) best = f;
    return best < 0 ? 0 : best;
}

// Replace the faces that see vertex w by faces from their boundary to w.
static bool expand(polytope* t, int w, double tolerance)
{
    int edge[3 * FACES][2], n = 0;
    for (int f = 0; f < t->nface;) {
        const face* q = &t->face[f];
        if (d3_dot(q->m, t->y[w]) <= q->h + tolerance) {
            ++f;
            continue;
        }
        for (int k = 0; k < 3; ++k, ++n) edge[n][0] = q->v[k], edge[n][1] = q->v[(k + 1) % 3];
        t->face[f] = t->face[--t->nface];
    }
    for (int i = 0; i < n; ++i) {
        bool inner = false;
        for (int j = 0; j < n && !inner; ++j) inner = edge[j][0] == edge[i][1] && edge[j][1] == edge[i][0];
        if (!inner && !add_face(t, edge[i][0], edge[i][1], w)) return false;
    }
    return n > 0;
}

// Points of A and B over the point of a face that is nearest to the origin.
static void points_of(const polytope* t, const face* f, cd_convex_result* r)
{
    const d3 y = d3_scale(f->h, f->m), *v[3] = {&t->y[f->v[0]], &t->y[f->v[1]], &t->y[f->v[2]]};
    double   w[3], sum                       = 0;
    for (int k = 0; k < 3; ++k) {
        w[k] = fmax(0, d3_dot(f->m, d3_cross(d3_sub(*v[(k + 1) % 3], y), d3_sub(*v[(k + 2) % 3], y))));
        sum += w[k];
    }
    r->n = d3_neg(f->m), r->d = -f->h;
    r->a = r->b = d3_zero();
    for (int k = 0; k < 3; ++k) {
        const double weight = sum > 0 ? w[k] / sum : 1.0 / 3;
        r->a                = d3_add_scaled(r->a, weight, t->a[f->v[k]]);
        r->b                = d3_add_scaled(r->b, weight, t->b[f->v[k]]);
    }
}

bool cd_expanding_polytope(const cd_pair* p, cd_convex_result* r)
{
    const double length = cd_pair_length(p);
    polytope     t;
    t.nvertex = t.nface = 0;
    if (!first_tetrahedron(&t, p)) return false;
    for (;;) {
        const face f = t.face[nearest_face(&t, p)];
        points_of(&t, &f, r);
        if (t.nvertex == VERTICES || t.nface > FACES - 8) return true;
        const int w = add_vertex(&t, p, f.m);
        if (d3_dot(f.m, t.y[w]) - f.h <= cd_polytope_accuracy * length) return true;
        if (!expand(&t, w, cd_clip_accuracy * length) || t.nface == 0) return true;
    }
}
