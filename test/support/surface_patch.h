// SPDX-License-Identifier: BSD-3-Clause
// Triangulated surfaces for tests: grids over a rectangle with a height function, and spheres by subdivision of longitude and
// latitude.
#pragma once

#include "contact/mesh/triangle_mesh.h"

#include <stdlib.h>

typedef double surface_height(double x, double y);

// Mesh of nx x ny cells over [x0, x1] x [y0, y1], two triangles each; the diagonals alternate.
static inline cd_triangle_mesh* grid_mesh(int nx, int ny, double x0, double x1, double y0, double y1, surface_height* z)
{
    const int   nvertex = (nx + 1) * (ny + 1), ntriangle = 2 * nx * ny;
    double*     x = calloc((size_t)nvertex * 3, sizeof *x);
    int*        t = calloc((size_t)ntriangle * 3, sizeof *t);
    const char* reason;
    for (int j = 0, v = 0; j <= ny; ++j)
        for (int i = 0; i <= nx; ++i, v += 3) {
            x[v]     = x0 + (x1 - x0) * i / nx;
            x[v + 1] = y0 + (y1 - y0) * j / ny;
            x[v + 2] = z ? z(x[v], x[v + 1]) : 0;
        }
    for (int j = 0, k = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) {
            const int a = j * (nx + 1) + i, b = a + 1, c = a + nx + 2, d = a + nx + 1, odd = (i + j) & 1;
            const int corner[6] = {a, b, odd ? d : c, odd ? b : a, c, d};
            for (int q = 0; q < 6; ++q) t[k++] = corner[q];
        }
    cd_triangle_mesh* mesh = cd_triangle_mesh_create(nvertex, x, ntriangle, t, &reason);
    free(x);
    free(t);
    return mesh;
}

// Closed mesh of the unit sphere with 4 n^2 - 4 n triangles.
static inline cd_triangle_mesh* sphere_mesh(int n, double radius)
{
    const int   m = 2 * n, nvertex = m * (n + 1), ntriangle = 2 * m * n;
    double*     x = calloc((size_t)nvertex * 3, sizeof *x);
    int*        t = calloc((size_t)ntriangle * 3, sizeof *t);
    const char* reason;
    for (int j = 0, v = 0; j <= n; ++j)
        for (int i = 0; i < m; ++i, v += 3) {
            const double polar = acos(-1) * j / n, angle = acos(-1) * i / n, ring = j % n ? radius * sin(polar) : 0;
            x[v]     = ring * cos(angle);
            x[v + 1] = ring * sin(angle);
            x[v + 2] = radius * cos(polar);
        }
    for (int j = 0, k = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
            const int a = j * m + i, b = j * m + (i + 1) % m, c = a + m, d = b + m;
            const int corner[6] = {a, c, d, a, d, b};
            for (int q = 0; q < 6; ++q) t[k++] = corner[q];
        }
    cd_triangle_mesh* mesh = cd_triangle_mesh_create(nvertex, x, ntriangle, t, &reason);
    free(x);
    free(t);
    return mesh;
}
