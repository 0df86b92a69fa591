// SPDX-License-Identifier: BSD-3-Clause
// Rays per second on one core: a wavy grid of 100,000 triangles as mesh and as height field, rays from above in all directions of
// a cone of 45 degrees, in random order and along a line as under a wheel.
#include "clock.h"
#include "contact/field/height_field.h"
#include "contact/mesh/triangle_mesh.h"
#include "contact/ray/ray.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 251, NY = 201, RAYS = 1 << 14 }; // 250 x 200 cells: 100,000 triangles

typedef struct batch {
    cd_shape_geometry shape;
    cd_ray            ray[RAYS];
    int               hits;
    double            sum; // of distances, so that nothing is left out
} batch;

static double uniform(uint64_t* state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static double height(double x, double y) { return 0.3 * sin(0.7 * x) * cos(0.5 * y) + 0.05 * sin(4 * x + 3 * y); }

static void fill_rays(batch* b, bool along_a_line)
{
    uint64_t state = 1;
    for (int k = 0; k < RAYS; ++k) {
        const double angle = 6.283185307179586 * uniform(&state), slope = along_a_line ? 0.2 : uniform(&state);
        const double x = along_a_line ? 0.001 * k - 8 : 20 * uniform(&state) - 10;
        const double y = along_a_line ? 0.01 * (k % 41) : 16 * uniform(&state) - 8, n = sqrt(1 + slope * slope);
        b->ray[k] = (cd_ray){{x, y, 2}, {slope * cos(angle) / n, slope * sin(angle) / n, -1 / n}, 10};
    }
}

static void cast(void* on)
{
    static const cd_shape_pose at = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
    batch*                     b  = on;
    b->hits                       = 0;
    for (int k = 0; k < RAYS; ++k) {
        cd_ray_hit hit;
        if (cd_ray_cast(&b->shape, &at, &b->ray[k], &hit)) ++b->hits, b->sum += hit.distance;
    }
}

static void report(const char* name, batch* b)
{
    for (int line = 0; line < 2; ++line) {
        fill_rays(b, line);
        cast(b);
        const double us = clock_time(cast, b, clock_calls(cast, b, 5e5));
        printf("%-32s %-8s %8.2f million rays/s  %5.1f %% hit\n", name, line ? "line" : "random", RAYS / us,
               100.0 * b->hits / RAYS);
    }
}

int main(void)
{
    static double x[3 * NX * NY], z[NX * NY];
    static int    t[6 * (NX - 1) * (NY - 1)];
    static batch  b;
    const char*   reason = NULL;
    for (int k = 0; k < NX * NY; ++k) {
        x[3 * k]     = 0.08 * (k % NX) - 10;
        x[3 * k + 1] = 0.08 * (k / NX) - 8; // NOLINT: row
        x[3 * k + 2] = z[k] = height(x[3 * k], x[3 * k + 1]);
    }
    for (int j = 0, k = 0; j < NY - 1; ++j)
        for (int i = 0; i < NX - 1; ++i) {
            const int a = j * NX + i, corner[6] = {a, a + 1, a + NX + 1, a, a + NX + 1, a + NX};
            for (int q = 0; q < 6; ++q) t[k++] = corner[q];
        }
    clock_pin();
    cd_triangle_mesh* mesh = cd_triangle_mesh_create(NX * NY, x, 2 * (NX - 1) * (NY - 1), t, &reason);
    if (!mesh) return 1;
    b.shape = (cd_shape_geometry){.kind = CD_SHAPE_MESH, .mesh = mesh};
    report("mesh of 100,000 triangles", &b);
    for (int kind = CD_FIELD_TRIANGLES; kind <= CD_FIELD_SMOOTH; ++kind) {
        cd_height_field* field = cd_height_field_create(
            &(cd_field_description){
                .kind = (cd_field_kind)kind, .nx = NX, .ny = NY, .x0 = -10, .y0 = -8, .dx = 0.08, .dy = 0.08, .z = z},
            &reason);
        if (!field) return 1;
        b.shape = (cd_shape_geometry){.kind = CD_SHAPE_HEIGHT_FIELD, .field = field};
        report(kind == CD_FIELD_SMOOTH ? "height field, smooth" : "height field, triangles", &b);
        cd_height_field_destroy(field);
    }
    cd_triangle_mesh_destroy(mesh);
    return 0;
}
