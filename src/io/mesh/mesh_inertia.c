// SPDX-License-Identifier: BSD-3-Clause
// Volume, mass centre and inertia of a closed mesh, exact up to round-off. By the divergence theorem the integrals are
// sums over the signed tetrahedra of the triangles (a, b, c) and one point o (Lien and Kajiya 1984; Mirtich 1996 reduces
// the same integrals to line integrals). With d = a . (b x c), s = a + b + c:
//
//   V = sum d / 6,   int x dV = sum d s / 24,   int x x' dV = sum d (a a' + b b' + c c' + s s') / 120
//   I = tr(S) 1 - S,   S = int x x' dV - V m m',   m = int x dV / V
//
// o is the centre of the enclosing box, so that a mesh far from its origin loses no digits.
#include "io/mesh/mesh.h"

#include <math.h>

static void box_centre(int nvertex, const double* vertex, double centre[3])
{
    for (int k = 0; k < 3; ++k) {
        double lower = INFINITY, upper = -INFINITY;
        for (int i = 0; i < nvertex; ++i) {
            lower = fmin(lower, vertex[3 * (size_t)i + (size_t)k]);
            upper = fmax(upper, vertex[3 * (size_t)i + (size_t)k]);
        }
        centre[k] = nvertex > 0 ? lower / 2 + upper / 2 : 0;
    }
}

// Sums over the triangles: volume, first moments, second moments.
typedef struct moments {
    double volume, first[3], second[3][3];
} moments;

static void add_triangle(moments* m, const double x[3][3])
{
    const double *a = x[0], *b = x[1], *c = x[2];
    const double  d =
        a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    const double s[3] = {a[0] + b[0] + c[0], a[1] + b[1] + c[1], a[2] + b[2] + c[2]};
    m->volume += d / 6;
    for (int i = 0; i < 3; ++i) {
        m->first[i] += d * s[i] / 24;
        for (int k = 0; k < 3; ++k)
            m->second[i][k] += d * (a[i] * a[k] + b[i] * b[k] + c[i] * c[k] + s[i] * s[k]) / 120;
    }
}

cd_mesh_integrals cd_mesh_integrate(int nvertex, const double* vertex, int ntriangle, const int* triangle)
{
    double  o[3];
    moments m = {0};
    box_centre(nvertex, vertex, o);
    for (int t = 0; t < ntriangle; ++t) {
        double x[3][3];
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k)
                x[i][k] = vertex[3 * (size_t)triangle[3 * (size_t)t + (size_t)i] + (size_t)k] - o[k];
        add_triangle(&m, (const double(*)[3])x);
    }
    cd_mesh_integrals r = {.volume = m.volume};
    if (m.volume == 0) return r;
    double S[3][3];
    for (int i = 0; i < 3; ++i) {
        r.centre[i] = o[i] + m.first[i] / m.volume;
        for (int k = 0; k < 3; ++k) S[i][k] = m.second[i][k] - m.first[i] * m.first[k] / m.volume;
    }
    r.inertia[0] = S[1][1] + S[2][2];
    r.inertia[1] = S[2][2] + S[0][0];
    r.inertia[2] = S[0][0] + S[1][1];
    r.inertia[3] = -S[0][1];
    r.inertia[4] = -S[0][2];
    r.inertia[5] = -S[1][2];
    return r;
}
