// SPDX-License-Identifier: BSD-3-Clause
// Rays against height fields: triangles hit exactly as a mesh of the same triangles, also at edges and vertices;
// smooth surfaces at points of the surface, and at no later one.
#include "contact/field/surface_field.h"
#include "contact/ray/ray.h"

#include "random_shapes.h"
#include "surface_patch.h"
#include "test.h"

static double hills(double x, double y) { return 0.2 * sin(3 * x + 0.4) * cos(4 * y) + 0.1 * x * y; }

enum { NX = 37, NY = 23 };

static cd_height_field* field_of(cd_field_kind kind)
{
    const char* reason;
    double      z[NX * NY];
    for (int k = 0; k < NX * NY; ++k) z[k] = hills(-1 + 2.0 / (NX - 1) * (k % NX), -1 + 2.0 / (NY - 1) * (k / NX));
    return cd_height_field_create(
        &(cd_field_description){
            .kind = kind, .nx = NX, .ny = NY, .x0 = -1, .y0 = -1, .dx = 2.0 / (NX - 1), .dy = 2.0 / (NY - 1), .z = z},
        &reason);
}

static cd_triangle_mesh* mesh_of(const cd_height_field* f)
{
    const int   n = 2 * f->cells_x * f->cells_y;
    double*     x = calloc((size_t)n * 9, sizeof *x);
    int*        t = calloc((size_t)n * 3, sizeof *t);
    const char* reason;
    for (int k = 0; k < n; ++k) {
        d3 corner[3];
        cd_field_corners(f, k, corner);
        for (int i = 0; i < 3; ++i) d3_put(corner[i], x + 9 * k + 3 * i), t[3 * k + i] = 3 * k + i;
    }
    cd_triangle_mesh* mesh = cd_triangle_mesh_create(3 * n, x, n, t, &reason);
    free(x);
    free(t);
    return mesh;
}

static cd_ray random_ray(shape_dice* dice)
{
    cd_ray ray = {.length = shape_unit(dice) < 0.5 ? INFINITY : 2};
    for (int i = 0; i < 3; ++i) ray.origin[i] = shape_range(dice, -1.5, 1.5);
    const d3 target = {{shape_range(dice, -1, 1), shape_range(dice, -1, 1), shape_range(dice, -0.3, 0.3)}};
    d3_put(d3_unit(d3_sub(target, d3_of(ray.origin))), ray.direction);
    return ray;
}

static void check_triangles(void)
{
    cd_height_field*        f    = field_of(CD_FIELD_TRIANGLES);
    cd_triangle_mesh*       mesh = mesh_of(f);
    const cd_shape_geometry a = {.kind = CD_SHAPE_HEIGHT_FIELD, .field = f}, b = {.kind = CD_SHAPE_MESH, .mesh = mesh};
    shape_dice              dice = {1};
    int                     hits = 0;
    CHECK(mesh->nvertex == NX * NY);
    for (int k = 0; k < 50000; ++k) {
        const cd_ray ray = random_ray(&dice);
        cd_ray_hit   p, q;
        const bool   hit = cd_ray_cast(&a, &shape_identity, &ray, &p);
        CHECK(hit == cd_ray_cast(&b, &shape_identity, &ray, &q));
        if (!hit) continue;
        ++hits;
        CHECK(p.distance == q.distance && p.part == q.part);
    }
    CHECK(hits > 5000);
    int       through = 0;
    const int cases   = test_cases(50000, 500000);
    for (int k = 0; k < cases; ++k) { // at edges and vertices
        const cd_mesh_edge* e = &mesh->edge[(int)shape_range(&dice, 0, mesh->nedge)];
        if (e->dihedral == CD_DIHEDRAL_OPEN) continue;
        const double s = k % 3 ? shape_range(&dice, 0.01, 0.99) : 0;
        const d3 u = mesh->vertex[e->vertex[0]], target = d3_add_scaled(u, s, d3_sub(mesh->vertex[e->vertex[1]], u));
        if (fabs(target.e[0]) > 0.99 || fabs(target.e[1]) > 0.99) continue;
        d3 from   = shape_direction(&dice);
        from.e[2] = 2 + fabs(from.e[2]);
        if (k % 5 == 0) from = d3_axis(2);
        cd_ray ray = {.length = INFINITY};
        d3_put(d3_add(target, from), ray.origin);
        d3_put(d3_unit(d3_neg(from)), ray.direction);
        cd_ray_hit hit;
        if (!cd_ray_cast(&a, &shape_identity, &ray, &hit)) ++through;
    }
    CHECK(through == 0);
    cd_triangle_mesh_destroy(mesh);
    cd_height_field_destroy(f);
}

static void saddle(const void* context, double x, double y, cd_height* h)
{
    (void)context;
    *h = (cd_height){hills(x, y),
                     0.6 * cos(3 * x + 0.4) * cos(4 * y) + 0.1 * y,
                     -0.8 * sin(3 * x + 0.4) * sin(4 * y) + 0.1 * x,
                     0,
                     0,
                     0};
}

static void check_smooth(cd_height_field* f)
{
    const cd_shape_geometry g    = {.kind = CD_SHAPE_HEIGHT_FIELD, .field = f};
    shape_dice              dice = {2};
    int                     hits = 0;
    for (int k = 0; k < 20000 && !test_broken; ++k) {
        const cd_ray ray   = random_ray(&dice);
        cd_ray_hit   hit   = {.distance = fmin(ray.length, 6)};
        const bool   found = cd_ray_cast(&g, &shape_identity, &ray, &hit);
        cd_height    h;
        if (found) {
            ++hits;
            cd_height_evaluate(f, hit.point[0], hit.point[1], &h);
            CHECK(fabs(hit.point[2] - h.z) < 1e-13);
            CHECK(d3_norm(d3_sub(cd_height_normal(&h), d3_of(hit.normal))) < 1e-12);
            CHECK(d3_dot(d3_of(hit.normal), d3_of(ray.direction)) < 0);
        }
        double previous = -1; // no crossing from above before the hit
        for (int i = 0; i < 400; ++i) {
            const d3 x = d3_add_scaled(d3_of(ray.origin), hit.distance * (1 - 1e-9) * i / 399, d3_of(ray.direction));
            if (!cd_height_inside(f, x.e[0], x.e[1])) {
                previous = -1;
                continue;
            }
            cd_height_evaluate(f, x.e[0], x.e[1], &h);
            CHECK(!(previous > 1e-9 && x.e[2] - h.z < -1e-9));
            previous = x.e[2] - h.z;
        }
    }
    CHECK(hits > 2000);
    cd_height_field_destroy(f);
}

int main(void)
{
    const char* reason;
    RUN(check_triangles());
    RUN(check_smooth(field_of(CD_FIELD_SMOOTH)));
    RUN(check_smooth(cd_height_field_create(&(cd_field_description){.kind     = CD_FIELD_FORMULA,
                                                                    .nx       = 41,
                                                                    .ny       = 41,
                                                                    .x0       = -1,
                                                                    .y0       = -1,
                                                                    .dx       = 0.05,
                                                                    .dy       = 0.05,
                                                                    .function = saddle},
                                            &reason)));
    return test_end();
}
