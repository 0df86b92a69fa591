// SPDX-License-Identifier: BSD-3-Clause
// Triangulation of a simple planar polygon by ear clipping (Meisters 1975), in the coordinate plane of its largest
// projection. An ear is a convex vertex whose triangle with its neighbours contains no other vertex; only reflex vertices
// can be inside. After an ear is cut only its neighbours change: O(n r) operations for r reflex vertices. A polygon that
// intersects itself has vertices without ear; then the next vertex is cut, so that the number of triangles is always n - 2
// and their common boundary is the polygon.
#include "io/mesh/mesh.h"

#include <math.h>

// Project into the plane normal to the largest component of the area vector (Newell's method), counter-clockwise.
static void project(int n, const double* p, cd_polygon_work* w)
{
    double area[3] = {0};
    for (int i = 0; i < n; ++i) {
        const double *a = p + 3 * i, *b = p + 3 * ((i + 1) % n);
        for (int k = 0; k < 3; ++k) {
            const int u = (k + 1) % 3, v = (k + 2) % 3;
            area[k] += (a[u] - p[u]) * (b[v] - p[v]) - (a[v] - p[v]) * (b[u] - p[u]);
        }
    }
    int k = fabs(area[1]) > fabs(area[0]) ? 1 : 0;
    if (fabs(area[2]) > fabs(area[k])) k = 2;
    const int u = area[k] < 0 ? (k + 2) % 3 : (k + 1) % 3, v = area[k] < 0 ? (k + 1) % 3 : (k + 2) % 3;
    for (int i = 0; i < n; ++i) {
        w->x[i] = p[3 * i + u] - p[u];
        w->y[i] = p[3 * i + v] - p[v];
    }
}

// Twice the area of a triangle; positive: counter-clockwise.
static double turn(const cd_polygon_work* w, int a, int b, int c)
{
    return (w->x[b] - w->x[a]) * (w->y[c] - w->y[a]) - (w->y[b] - w->y[a]) * (w->x[c] - w->x[a]);
}

static bool same_place(const cd_polygon_work* w, int a, int b) { return w->x[a] == w->x[b] && w->y[a] == w->y[b]; }

static void classify(cd_polygon_work* w, int i)
{
    const int a = w->previous[i], c = w->next[i];
    w->is_reflex[i] = !(turn(w, a, i, c) > 0);
}

static void find_ear(cd_polygon_work* w, int i)
{
    const int a = w->previous[i], c = w->next[i];
    w->is_ear[i] = !w->is_reflex[i];
    for (int k = w->next[c]; k != a && w->is_ear[i]; k = w->next[k])
        if (w->is_reflex[k] && turn(w, a, i, k) >= 0 && turn(w, i, c, k) >= 0 && turn(w, c, a, k) >= 0 &&
            !same_place(w, k, a) && !same_place(w, k, i) && !same_place(w, k, c))
            w->is_ear[i] = false;
}

void cd_polygon_triangulate(int n, const double* position, cd_polygon_work* w, int* triangle)
{
    project(n, position, w);
    for (int i = 0; i < n; ++i) {
        w->previous[i] = (i + n - 1) % n;
        w->next[i]     = (i + 1) % n;
    }
    for (int i = 0; i < n; ++i) classify(w, i);
    for (int i = 0; i < n; ++i) find_ear(w, i);
    int at = 0;
    for (int count = n; count > 2; --count) {
        for (int k = 0; k < count && !w->is_ear[at]; ++k) at = w->next[at];
        const int a = w->previous[at], c = w->next[at];
        *triangle++    = a;
        *triangle++    = at;
        *triangle++    = c;
        w->next[a]     = c;
        w->previous[c] = a;
        classify(w, a);
        classify(w, c);
        find_ear(w, a);
        find_ear(w, c);
        at = c;
    }
}
