// SPDX-License-Identifier: BSD-3-Clause
// Rays against triangle meshes: no ray aimed at an edge or a vertex falls through; the nearest triangle is that of a
// search over all triangles; back sides are not hit.
#include "contact/ray/ray.h"
#include "contact/ray/ray_triangle.h"

#include "random_shapes.h"
#include "surface_patch.h"
#include "test.h"

static double wave(double x, double y) { return 0.3 * sin(3 * x) * cos(2 * y); }

// Rays from above onto points of edges and onto vertices inside a wavy grid: each hits, at the height of the target.
static void check_watertight(const cd_triangle_mesh* mesh, double unit)
{
    const cd_shape_geometry g       = {.kind = CD_SHAPE_MESH, .mesh = mesh};
    shape_dice              random  = {5};
    int                     through = 0;
    double                  worst   = 0;
    const int               cases   = test_cases(100000, 1000000);
    for (int k = 0; k < cases; ++k) {
        const int           e    = (int)shape_range(&random, 0, mesh->nedge);
        const cd_mesh_edge* edge = &mesh->edge[e];
        if (edge->dihedral == CD_DIHEDRAL_OPEN) continue;
        const double s = k % 3 ? shape_range(&random, 0.01, 0.99) : 0;
        const d3     a = mesh->vertex[edge->vertex[0]], b = mesh->vertex[edge->vertex[1]];
        const d3     target = d3_add_scaled(a, s, d3_sub(b, a));
        if (fabs(target.e[0]) > 0.95 * unit || fabs(target.e[1]) > 0.95 * unit) continue; // border
        d3 from   = shape_direction(&random);
        from.e[2] = 2 + fabs(from.e[2]); // steeper than the surface
        if (k % 5 == 0) from = d3_axis(2);
        const d3 origin = d3_add_scaled(target, unit * shape_range(&random, 0.5, 3), from);
        cd_ray   ray    = {.length = INFINITY};
        d3_put(origin, ray.origin);
        d3_put(d3_unit(d3_neg(from)), ray.direction);
        cd_ray_hit hit;
        if (!cd_ray_cast(&g, &shape_identity, &ray, &hit))
            ++through;
        else
            worst = fmax(worst, fabs(hit.distance - d3_norm(d3_sub(origin, target))) / unit);
    }
    CHECK(through == 0);
    CHECK(worst < 1e-12);
}

static void check_wavy_grid(void)
{
    cd_triangle_mesh* mesh = grid_mesh(60, 50, -1, 1, -1, 1, wave);
    CHECK(mesh && mesh->nedge == 60 * 51 + 50 * 61 + 3000);
    check_watertight(mesh, 1);
    cd_triangle_mesh_destroy(mesh);
}

static void check_nearest_of_all(void)
{
    cd_triangle_mesh*       mesh   = sphere_mesh(12, 1);
    const cd_shape_geometry g      = {.kind = CD_SHAPE_MESH, .mesh = mesh};
    shape_dice              random = {11};
    int                     hits   = 0;
    for (int k = 0; k < 20000; ++k) {
        const cd_shape_pose  pose   = random_shape_pose(&random, 1);
        const d3             local  = d3_scale(shape_range(&random, 0, 3), shape_direction(&random));
        const d3             toward = d3_scale(shape_range(&random, 0, 1.2), shape_direction(&random));
        const cd_local_ray   l      = {local, d3_unit(d3_sub(toward, local)), shape_range(&random, 0, 4)};
        double               best   = l.length;
        int                  first  = -1;
        const cd_sheared_ray shear  = cd_shear(&l);
        for (int t = 0; t < mesh->ntriangle; ++t) {
            const int* c = mesh->corner[t];
            double     distance;
            if (cd_ray_triangle(&shear, &mesh->vertex[c[0]], &mesh->vertex[c[1]], &mesh->vertex[c[2]], best, false,
                                &distance))
                best = distance, first = t;
        }
        cd_ray ray = {.length = l.length};
        d3_put(l.origin, ray.origin);
        d3_put(l.direction, ray.direction);
        cd_ray_hit hit;
        const bool found = cd_ray_cast(&g, &shape_identity, &ray, &hit);
        CHECK(found == (first >= 0));
        if (found) {
            ++hits;
            CHECK(hit.part == first && hit.distance == best);
            CHECK(d3_dot(d3_of(hit.normal), l.direction) < 0);
        }
        // the same in the world
        cd_ray moved = {.length = l.length};
        d3_put(d3_add(d3_rotate(pose.R, l.origin), d3_of(pose.p)), moved.origin);
        d3_put(d3_rotate(pose.R, l.direction), moved.direction);
        cd_ray_hit other;
        if (cd_ray_cast(&g, &pose, &moved, &other) && found) CHECK_NEAR(other.distance, hit.distance, 1e-11);
        if (test_broken) break;
    }
    CHECK(hits > 5000);
    cd_triangle_mesh_destroy(mesh);
}

// From inside a closed mesh, and from below a surface: back sides only.
static void check_back_sides(void)
{
    cd_triangle_mesh*       mesh   = sphere_mesh(10, 1);
    const cd_shape_geometry g      = {.kind = CD_SHAPE_MESH, .mesh = mesh};
    shape_dice              random = {3};
    for (int k = 0; k < 2000; ++k) {
        cd_ray     ray = {.length = INFINITY};
        cd_ray_hit hit;
        d3_put(d3_scale(0.9, shape_direction(&random)), ray.origin);
        d3_put(shape_direction(&random), ray.direction);
        CHECK(!cd_ray_cast(&g, &shape_identity, &ray, &hit));
    }
    cd_triangle_mesh_destroy(mesh);
}

static void check_refused_meshes(void)
{
    const double point[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0}, bad[9] = {0, 0, NAN, 1, 0, 0, 0, 1, 0};
    const char*  reason;
    CHECK(!cd_triangle_mesh_create(3, point, 0, NULL, &reason));
    CHECK_TEXT(reason, "it has no triangles");
    CHECK(!cd_triangle_mesh_create(3, point, 1, (const int[]){0, 1, 3}, &reason));
    CHECK_TEXT(reason, "a triangle refers to a vertex that does not exist");
    CHECK(!cd_triangle_mesh_create(3, bad, 1, (const int[]){0, 1, 2}, &reason));
    CHECK_TEXT(reason, "a coordinate is not finite");
    CHECK(!cd_triangle_mesh_create(4, point, 1, (const int[]){0, 1, 3}, &reason)); // two equal corners
    CHECK_TEXT(reason, "all its triangles are without area");
    cd_triangle_mesh* mesh = cd_triangle_mesh_create(4, point, 2, (const int[]){0, 1, 2, 0, 2, 3}, &reason);
    CHECK(mesh && mesh->nvertex == 3 && mesh->ntriangle == 2 && mesh->nedge == 3); // welded: front and back
    for (int e = 0; mesh && e < mesh->nedge; ++e) CHECK(mesh->edge[e].dihedral == CD_DIHEDRAL_CONVEX);
    cd_triangle_mesh_destroy(mesh);
}

int main(void)
{
    RUN(check_refused_meshes());
    RUN(check_wavy_grid());
    RUN(check_nearest_of_all());
    RUN(check_back_sides());
    return test_end();
}
