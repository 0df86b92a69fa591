// SPDX-License-Identifier: BSD-3-Clause
// Distance of two convex cores: the point of the difference A - B that is nearest to the origin, by the algorithm of Gilbert,
// Johnson and Keerthi. A simplex of points of A - B is reduced to the face nearest to the origin, and a support point towards
// the origin is added. With v the nearest point of the simplex and w the support point in the direction -v,
//
//   |v| - v.w/|v| >= 0
//
// bounds the error of the distance |v|.
//
// Gilbert, Johnson, Keerthi 1988, A fast procedure for computing the distance between complex objects; Ericson, Real-Time
// Collision Detection (2005), section 5.1 (nearest points of simplices).
#include "contact/convex/convex.h"
#include "contact/contact_tolerances.h"

typedef struct simplex {
    int    n;
    d3     y[4], a[4], b[4];
    double weight[4];
} simplex;

static void keep(simplex* s, int n, const int* index, const double* weight)
{
    simplex t = {.n = n};
    for (int i = 0; i < n; ++i) {
        t.y[i]      = s->y[index[i]];
        t.a[i]      = s->a[index[i]];
        t.b[i]      = s->b[index[i]];
        t.weight[i] = weight[i];
    }
    *s = t;
}

static d3 combine(const d3* x, const simplex* s)
{
    d3 sum = d3_zero();
    for (int i = 0; i < s->n; ++i) sum = d3_add_scaled(sum, s->weight[i], x[i]);
    return sum;
}

// Point of a segment nearest to the origin: weights of its ends.
static int nearest_on_segment(const d3* y, const int index[2], int out[3], double weight[3])
{
    const d3     along = d3_sub(y[index[1]], y[index[0]]);
    const double t = -d3_dot(y[index[0]], along), length = d3_dot(along, along);
    if (t <= 0 || length == 0) return out[0] = index[0], weight[0] = 1, 1;
    if (t >= length) return out[0] = index[1], weight[0] = 1, 1;
    out[0] = index[0], out[1] = index[1];
    weight[1] = t / length, weight[0] = 1 - weight[1];
    return 2;
}

static double squared_distance(const d3* y, int n, const int* index, const double* weight)
{
    d3 sum = d3_zero();
    for (int i = 0; i < n; ++i) sum = d3_add_scaled(sum, weight[i], y[index[i]]);
    return d3_dot(sum, sum);
}

// The same of a triangle: its interior, or the nearest of its sides.
static int nearest_on_triangle(const d3* y, const int index[3], int out[3], double weight[3])
{
    const d3     A = y[index[0]], B = y[index[1]], C = y[index[2]];
    const d3     normal = d3_cross(d3_sub(B, A), d3_sub(C, A));
    const double area   = d3_dot(normal, normal);
    const double w[3]   = {d3_dot(normal, d3_cross(B, C)), d3_dot(normal, d3_cross(C, A)),
                           d3_dot(normal, d3_cross(A, B))};
    if (area > 0 && w[0] > 0 && w[1] > 0 && w[2] > 0) {
        const double sum = w[0] + w[1] + w[2];
        for (int i = 0; i < 3; ++i) out[i] = index[i], weight[i] = w[i] / sum;
        return 3;
    }
    int    n     = 0;
    double least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const int    side[2] = {index[k], index[(k + 1) % 3]};
        int          part[3];
        double       u[3];
        const int    m = nearest_on_segment(y, side, part, u);
        const double q = squared_distance(y, m, part, u);
        if (q >= least) continue;
        least = q, n = m;
        for (int i = 0; i < m; ++i) out[i] = part[i], weight[i] = u[i];
    }
    return n;
}

// Reduce the simplex to its face nearest to the origin. False: the origin is inside a tetrahedron.
static bool reduce(simplex* s)
{
    const int all[4]    = {0, 1, 2, 3};
    int       best[3]   = {0};
    double    weight[3] = {1};
    int       n         = 1;
    if (s->n == 2) {
        n = nearest_on_segment(s->y, all, best, weight);
    } else if (s->n == 3) {
        n = nearest_on_triangle(s->y, all, best, weight);
    } else if (s->n == 4) {
        static const int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
        double           least       = INFINITY;
        bool             inside      = true;
        for (int f = 0; f < 4; ++f) {
            const d3 A           = s->y[faces[f][0]],
                     normal      = d3_cross(d3_sub(s->y[faces[f][1]], A), d3_sub(s->y[faces[f][2]], A));
            const double towards = d3_dot(normal, d3_sub(s->y[faces[f][3]], A)), origin = -d3_dot(normal, A);
            if (towards != 0 && origin * towards > 0) continue; // the origin is on the inner side of this face
            inside = false;
            int          part[3];
            double       u[3];
            const int    m = nearest_on_triangle(s->y, faces[f], part, u);
            const double q = squared_distance(s->y, m, part, u);
            if (q >= least) continue;
            least = q, n = m;
            for (int i = 0; i < m; ++i) best[i] = part[i], weight[i] = u[i];
        }
        if (inside) return false;
    }
    keep(s, n, best, weight);
    return true;
}

static bool contains(const simplex* s, d3 y)
{
    for (int i = 0; i < s->n; ++i)
        if (memcmp(&s->y[i], &y, sizeof y) == 0) return true;
    return false;
}

double cd_gjk(const cd_pair* p, double enough, cd_convex_result* r)
{
    const double touch = cd_pair_touch(p);
    d3           start = d3_sub(d3_of(p->pose_A->p), d3_of(p->pose_B->p));
    if (p->cache->valid) start = d3_rotate(p->pose_B->R, d3_of(p->cache->direction));
    if (!(d3_norm(start) > 0)) start = d3_axis(0);
    simplex s       = {.n = 1, .weight = {1}};
    s.y[0]          = cd_difference_support(p, d3_neg(start), &s.a[0], &s.b[0]);
    double distance = d3_norm(s.y[0]);
    for (int k = 0; k < CD_GJK_STEPS && distance > touch; ++k) {
        const d3     v = combine(s.y, &s);
        d3           a, b;
        const d3     w     = cd_difference_support(p, d3_neg(v), &a, &b);
        const double lower = d3_dot(v, w) / distance;
        r->n               = d3_scale(1 / distance, v);
        r->a = combine(s.a, &s), r->b = combine(s.b, &s);
        if (lower > enough) return lower;
        if (distance - lower <= cd_gjk_accuracy * distance || contains(&s, w)) return distance;
        const simplex last = s;
        s.y[s.n] = w, s.a[s.n] = a, s.b[s.n] = b;
        ++s.n;
        if (!reduce(&s)) return 0;
        const double next = d3_norm(combine(s.y, &s));
        if (!(next < distance)) { // round-off
            s = last;
            return distance;
        }
        distance = next;
    }
    return distance > touch ? distance : 0;
}
