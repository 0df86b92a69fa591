// SPDX-License-Identifier: BSD-3-Clause
// Separating axis of two convex polyhedra A and B that overlap: the normal n from B to A with the largest separation s(n), among
// the normals of their faces and the cross products of their edges. Two edges can be on the surface of A - B only if the arc
// between the normals of the faces of one crosses the arc of the negative normals of the other on the unit sphere. Edges
// without two different faces (a segment, a triangle) are tried with their separation.
//
// The axis of a face is preferred to that of two edges, and the axis of the last call to a new one, within small relative
// differences, which vanish at touching: the gap is continuous there.
//
// Gregorius 2013, The Separating Axis Test between Convex Polyhedra (Game Developers Conference).
#include "contact/convex/convex.h"
#include "contact/contact_tolerances.h"
#include "contact/shape/polyhedron.h"

typedef struct view {
    cd_polyhedron        p;
    const cd_shape_pose* pose;
} view;

static d3 normal_of(const view* v, int face) { return d3_rotate(v->pose->R, v->p.normal[face]); }
static d3 vertex_of(const view* v, int i) { return cd_to_world(v->pose, v->p.vertex[i]); }

typedef struct axis {
    d3       n;
    double   s;
    uint32_t feature[2];
} axis;

// Separation along the face of one polyhedron: the lowest vertex of the other one above it.
static axis face_axis(const view* F, const view* X, int face, bool of_A)
{
    const d3       n = normal_of(F, face), down = d3_neg(d3_rotate_back(X->pose->R, n));
    uint32_t       vertex;
    const d3       x       = cd_to_world(X->pose, cd_polyhedron_support(&X->p, down, &vertex));
    const double   height  = F->p.height[face] + d3_dot(n, d3_of(F->pose->p));
    const uint32_t feature = cd_feature(CD_FEATURE_FACE, face);
    return (axis){of_A ? d3_neg(n) : n, d3_dot(n, x) - height, {of_A ? feature : vertex, of_A ? vertex : feature}};
}

static axis best_face(const cd_pair* pair, const view* F, const view* X, bool of_A)
{
    axis best = {.s = -INFINITY};
    for (int f = 0; f < F->p.nface; ++f) {
        const axis next = face_axis(F, X, f, of_A);
        if (next.s > best.s && cd_is_on_front(pair, next.n)) best = next;
    }
    return best;
}

static bool has_arc(const view* v, int edge)
{
    const int* face = v->p.edge[edge].face;
    return face[0] >= 0 && face[1] >= 0 && d3_dot(v->p.normal[face[0]], v->p.normal[face[1]]) > -0.999;
}

// The arcs a to b and c to d on the unit sphere cross.
static bool arcs_cross(d3 a, d3 b, d3 c, d3 d)
{
    const d3     ba = d3_cross(b, a), dc = d3_cross(d, c);
    const double cba = d3_dot(c, ba), dba = d3_dot(d, ba), adc = d3_dot(a, dc), bdc = d3_dot(b, dc);
    return cba * dba <= 0 && adc * bdc <= 0 && cba * bdc >= 0;
}

// Axis of two edges; false: it cannot be the best one.
static bool edge_axis(const cd_pair* pair, const view* A, const view* B, int i, int j, axis* result)
{
    const cd_edge *e = &A->p.edge[i], *f = &B->p.edge[j];
    const bool     arcs = has_arc(A, i) && has_arc(B, j);
    if (arcs && !arcs_cross(normal_of(A, e->face[0]), normal_of(A, e->face[1]), d3_neg(normal_of(B, f->face[0])),
                            d3_neg(normal_of(B, f->face[1]))))
        return false;
    const d3     x = vertex_of(A, e->vertex[0]), y = vertex_of(B, f->vertex[0]);
    const d3     u = d3_sub(vertex_of(A, e->vertex[1]), x), v = d3_sub(vertex_of(B, f->vertex[1]), y);
    d3           n    = d3_cross(u, v);
    const double size = d3_norm(n);
    if (!(size > cd_parallel_slope * d3_norm(u) * d3_norm(v))) return false;
    n = d3_scale(1 / size, n);
    if (arcs) {
        const d3 outward = d3_add(normal_of(A, e->face[0]), normal_of(A, e->face[1]));
        if (d3_dot(n, outward) > 0) n = d3_neg(n); // -n is the outward normal of A
        *result = (axis){n, d3_dot(n, d3_sub(x, y)), {0}};
    } else {
        const double s = cd_separation(pair, n), t = cd_separation(pair, d3_neg(n));
        const bool   forward = cd_is_on_front(pair, n) && (s >= t || !cd_is_on_front(pair, d3_neg(n)));
        *result              = (axis){forward ? n : d3_neg(n), forward ? s : t, {0}};
        if (!(fabs(result->s - d3_dot(result->n, d3_sub(x, y))) <= cd_pair_accuracy(pair)))
            return false; // other parts are nearer along this axis
    }
    result->feature[0] = cd_feature(CD_FEATURE_EDGE, i);
    result->feature[1] = cd_feature(CD_FEATURE_EDGE, j);
    return true;
}

// The edges are extreme along the axis, also where arcs touch or lie in one plane.
static bool is_valid(const cd_pair* pair, const axis* x)
{
    return cd_is_on_front(pair, x->n) && fabs(x->s - cd_separation(pair, x->n)) <= cd_pair_accuracy(pair);
}

static axis best_edges(const cd_pair* pair, const view* A, const view* B)
{
    axis best = {.s = -INFINITY};
    for (int i = 0; i < A->p.nedge; ++i)
        for (int j = 0; j < B->p.nedge; ++j) {
            axis next;
            if (edge_axis(pair, A, B, i, j, &next) && next.s > best.s && is_valid(pair, &next)) best = next;
        }
    return best;
}

// Area of a face, for the choice between parallel faces.
static double area(const cd_polyhedron* p, uint32_t feature)
{
    const int face = cd_feature_index(feature), start = p->face_start[face], end = p->face_start[face + 1];
    d3        sum = d3_zero();
    const d3  o   = p->vertex[p->face_vertex[start]];
    for (int i = start + 1; i + 1 < end; ++i)
        sum =
            d3_add(sum, d3_cross(d3_sub(p->vertex[p->face_vertex[i]], o), d3_sub(p->vertex[p->face_vertex[i + 1]], o)));
    return d3_norm(sum);
}

// The axis of the last call, computed again; false: there was none.
static bool last_axis(const cd_pair* pair, const view* A, const view* B, axis* last)
{
    const uint32_t* f = pair->cache->feature;
    if (!pair->cache->features) return false;
    const cd_feature_kind a = cd_feature_kind_of(f[0]), b = cd_feature_kind_of(f[1]);
    const int             i = cd_feature_index(f[0]), j = cd_feature_index(f[1]);
    if (a == CD_FEATURE_FACE && i < A->p.nface)
        *last = face_axis(A, B, i, true);
    else if (b == CD_FEATURE_FACE && j < B->p.nface)
        *last = face_axis(B, A, j, false);
    else
        return a == CD_FEATURE_EDGE && b == CD_FEATURE_EDGE && i < A->p.nedge && j < B->p.nedge &&
               edge_axis(pair, A, B, i, j, last);
    return true;
}

// x is to be preferred to the best axis.
static bool preferred(const axis* x, const axis* best, double length)
{
    return x->s >= best->s - cd_axis_preference * fabs(best->s) - cd_axis_tie * length;
}

// Points of two edges, or of a vertex and its foot on a face.
static void points_of(const view* A, const view* B, const axis* x, cd_convex_result* r)
{
    const int i = cd_feature_index(x->feature[0]), j = cd_feature_index(x->feature[1]);
    if (cd_feature_kind_of(x->feature[0]) == CD_FEATURE_EDGE) {
        const d3     p = vertex_of(A, A->p.edge[i].vertex[0]), u = d3_sub(vertex_of(A, A->p.edge[i].vertex[1]), p);
        const d3     q = vertex_of(B, B->p.edge[j].vertex[0]), v = d3_sub(vertex_of(B, B->p.edge[j].vertex[1]), q);
        const d3     normal = d3_cross(u, v), away = d3_sub(q, p);
        const double t = d3_dot(d3_cross(away, v), normal) / d3_dot(normal, normal);
        r->a           = d3_add_scaled(p, t, u);
        r->b           = d3_add_scaled(r->a, -x->s, x->n);
    } else if (cd_feature_kind_of(x->feature[0]) == CD_FEATURE_FACE) {
        r->b = vertex_of(B, j);
        r->a = d3_add_scaled(r->b, x->s, x->n);
    } else {
        r->a = vertex_of(A, i);
        r->b = d3_add_scaled(r->a, -x->s, x->n);
    }
}

bool cd_separating_axis(const cd_pair* pair, cd_convex_result* r)
{
    cd_polyhedron_storage store_A, store_B;
    view                  A = {.pose = pair->pose_A}, B = {.pose = pair->pose_B};
    if (!cd_polyhedron_of(pair->A, &store_A, &A.p) || !cd_polyhedron_of(pair->B, &store_B, &B.p)) return false;
    const double length = cd_pair_length(pair);
    const axis   a = best_face(pair, &A, &B, true), b = best_face(pair, &B, &A, false), e = best_edges(pair, &A, &B);
    axis         best = a.s > b.s ? a : b, last;
    if (a.s > -INFINITY && b.s > -INFINITY && d3_norm(d3_cross(a.n, b.n)) <= cd_parallel_slope && d3_dot(a.n, b.n) > 0)
        best =
            !pair->one_sided && area(&A.p, a.feature[0]) > area(&B.p, b.feature[1]) * (1 + cd_axis_preference) ? a : b;
    const axis face = best;
    if (e.s > best.s) best = e;
    if (last_axis(pair, &A, &B, &last) && is_valid(pair, &last) && preferred(&last, &best, length))
        best = last;
    else if (preferred(&face, &best, length))
        best = face;
    if (!(best.s > -INFINITY)) return false;
    r->n = best.n, r->d = best.s;
    r->feature[0] = best.feature[0], r->feature[1] = best.feature[1];
    points_of(&A, &B, &best, r);
    return true;
}
