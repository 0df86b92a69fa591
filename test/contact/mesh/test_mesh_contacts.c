// SPDX-License-Identifier: BSD-3-Clause
// Contact points of convex shapes with triangle meshes: a flat mesh of 10,000 triangles is a plane, also where feet
// are exactly on edges and vertices; the least gap is that of a search over all triangles; normals are in the cones of
// the surface.
#include "contact/contact_geometry.h"
#include "contact/shape/shape.h"
#include "contact/triangle.h"

#include "random_shapes.h"
#include "surface_patch.h"
#include "test.h"

enum { CELLS_X = 100, CELLS_Y = 50 }; // 10,000 triangles of 0.125 x 0.125 (edges at exact numbers)

static double flat(double x, double y)
{
    (void)x, (void)y;
    return 0;
}

// Place along the plane for position k of n: along x, through cells, along edges and exactly through vertices.
static void slide(int k, int n, double* x, double* y)
{
    *x = -5 + 10.0 * k / n;
    *y = k % 4 == 0 ? 0.125 * (k % 17 - 8) : k % 4 == 1 ? 0.0625 : 0.3 * sin(0.1 * k);
    if (k % 8 == 0) *x = 0.125 * (k % 79 - 39);
}

// The contact points with a flat mesh are those with the plane: as many, at the same feet, with the normal and the
// gaps of the plane.
static void check_slide(const cd_shape_geometry* g, const cd_shape_pose* turn, double depth, int expected, int n)
{
    cd_triangle_mesh*       mesh    = grid_mesh(CELLS_X, CELLS_Y, -6.25, 6.25, -3.125, 3.125, flat);
    const cd_shape_geometry surface = {.kind = CD_SHAPE_MESH, .mesh = mesh}, plane = {.kind = CD_SHAPE_PLANE};
    CHECK(mesh->ntriangle == 10000);
    double worst = 0;
    for (int k = 0; k < n && !test_broken; ++k) {
        double x, y;
        slide(k, n, &x, &y);
        cd_shape_pose    pose = *turn;
        cd_contact_point point[CD_CONTACT_POINTS_MAX], foot[CD_CONTACT_POINTS_MAX];
        pose.p[0] = x, pose.p[1] = y, pose.p[2] -= depth;
        const int nfoot = cd_collide(g, &pose, &plane, &shape_identity, 0.01, NULL, foot, CD_CONTACT_POINTS_MAX);
        const int count = cd_collide(g, &pose, &surface, &shape_identity, 0.01, NULL, point, CD_CONTACT_POINTS_MAX);
        CHECK(count == nfoot && count == expected);
        for (int i = 0; i < count; ++i) {
            CHECK(fabs(point[i].normal[0]) < 1e-15 && fabs(point[i].normal[1]) < 1e-15);
            CHECK(fabs(point[i].normal[2] - 1) < 1e-15);
            CHECK(cd_contact_feature(&point[i], 1) == cd_feature(CD_FEATURE_FACE, 0)); // one face, one key
            double gap = INFINITY;
            for (int q = 0; q < nfoot; ++q)
                if (hypot(point[i].b[0] - foot[q].b[0], point[i].b[1] - foot[q].b[1]) < 1e-9) gap = foot[q].gap;
            worst = fmax(worst, fabs(point[i].gap - gap));
            for (int q = 0; q < i; ++q) CHECK(point[q].key < point[i].key);
        }
        if (test_broken) printf("at position %d: %.17g %.17g, %d points, %d expected\n", k, x, y, count, expected);
    }
    CHECK(worst < 1e-12);
    cd_triangle_mesh_destroy(mesh);
}

// At gap 0, apart and overlapping
static void check_slides(const cd_shape_geometry* g, const cd_shape_pose* pose, int expected, int n)
{
    check_slide(g, pose, 0, expected, n);
    check_slide(g, pose, -1e-3, expected, n / 10);
    check_slide(g, pose, 1e-6, expected, n / 10);
    check_slide(g, pose, 1e-2, expected, n / 10);
}

static cd_shape_pose turned(d3 axis, double angle, double height)
{
    cd_shape_pose pose = {.p = {0, 0, height}};
    shape_rotation(axis, angle, pose.R);
    return pose;
}

static void check_sphere_slides(void)
{
    const cd_shape_pose pose = turned(d3_axis(2), 0.3, 0.25);
    check_slides(&(cd_shape_geometry){.kind = CD_SHAPE_SPHERE, .size = {0.25}}, &pose, 1, 10000);
}

static void check_box_slides(void)
{
    const cd_shape_pose     straight = turned(d3_axis(2), 0, 0.25), pose = turned(d3_axis(2), 0.3, 0.25);
    const cd_shape_geometry sharp = {.kind = CD_SHAPE_BOX, .size = {0.4, 0.3, 0.25}};
    const cd_shape_geometry round = {.kind = CD_SHAPE_BOX, .size = {0.4, 0.3, 0.25}, .rounding = 0.01};
    check_slides(&sharp, &pose, 4, 10000);
    check_slides(&sharp, &straight, 4, 1000);
    check_slides(&round, &pose, 4, 1000);
    const cd_shape_geometry small = {.kind = CD_SHAPE_BOX, .size = {0.02, 0.03, 0.25}}; // smaller than a triangle
    check_slides(&small, &pose, 4, 1000);
}

static void check_other_slides(void)
{
    const cd_shape_pose lying = turned(d3_axis(0), acos(0), 0.1), up = turned(d3_axis(2), 0.3, 0.3);
    check_slides(&(cd_shape_geometry){.kind = CD_SHAPE_CAPSULE, .size = {0.1, 0.4}}, &lying, 2, 500);
    check_slides(&(cd_shape_geometry){.kind = CD_SHAPE_CYLINDER, .size = {0.1, 0.4}}, &lying, 2, 500);
    check_slides(&(cd_shape_geometry){.kind = CD_SHAPE_CYLINDER, .size = {0.2, 0.3}}, &up, 8, 500);
    check_slides(&(cd_shape_geometry){.kind = CD_SHAPE_ELLIPSOID, .size = {0.2, 0.5, 0.3}}, &up, 1, 500);
    check_slides(&(cd_shape_geometry){.kind = CD_SHAPE_TORUS, .size = {0.2, 0.3}}, &up, 3, 500);
    const cd_shape_pose leaning = turned(d3_axis(0), 0.5, 0.2 * sin(0.5) + 0.05);
    check_slides(&(cd_shape_geometry){.kind = CD_SHAPE_TORUS, .size = {0.2, 0.05}}, &leaning, 1, 500);
    const cd_shape_pose tilted = turned(d3_axis(0), 0.5, 0.3 * cos(0.5) + 0.2 * sin(0.5));
    check_slides(&(cd_shape_geometry){.kind = CD_SHAPE_CYLINDER, .size = {0.2, 0.3}}, &tilted, 1, 500);
}

// Distance of a point from a triangle (Ericson, Real-time collision detection, 2005, by projection on edges).
static double point_triangle(d3 x, const d3 c[3])
{
    const d3 n      = d3_unit(d3_cross(d3_sub(c[1], c[0]), d3_sub(c[2], c[0])));
    double   least  = INFINITY;
    bool     inside = true;
    for (int i = 0; i < 3; ++i) {
        const d3     along = d3_sub(c[(i + 1) % 3], c[i]), from = d3_sub(x, c[i]);
        const double s = fmax(0, fmin(1, d3_dot(from, along) / d3_dot(along, along)));
        least          = fmin(least, d3_norm(d3_add_scaled(from, -s, along)));
        if (d3_dot(from, d3_cross(n, along)) < 0) inside = false;
    }
    return inside ? fabs(d3_dot(d3_sub(x, c[0]), n)) : least;
}

static double bumps(double x, double y) { return 0.15 * sin(5 * x) * cos(4 * y) + 0.1 * fabs(x); }

static void corners(const cd_triangle_mesh* m, int t, d3 c[3])
{
    for (int i = 0; i < 3; ++i) c[i] = m->vertex[m->corner[t][i]];
}

// Spheres outside of a bumpy surface and of a closed body: the least gap is that of all triangles, and every point is a local
// minimum of the distance: the triangles near it are behind the plane through it.
static void check_spheres_against_search(cd_triangle_mesh* mesh, bool closed)
{
    const cd_shape_geometry surface  = {.kind = CD_SHAPE_MESH, .mesh = mesh};
    shape_dice              dice     = {closed ? 5u : 9u};
    int                     touching = 0;
    const int               cases    = test_cases(10000, 1000000);
    for (int k = 0; k < cases && !test_broken; ++k) {
        const cd_shape_geometry g    = {.kind = CD_SHAPE_SPHERE, .size = {shape_range(&dice, 0.05, 0.4)}};
        const cd_shape_pose     at   = random_shape_pose(&dice, 1);
        cd_shape_pose           pose = shape_identity;
        d3                      centre;
        if (closed) {
            centre = d3_scale(shape_range(&dice, 1, 1.5), shape_direction(&dice));
        } else {
            centre      = (d3){{shape_range(&dice, -0.6, 0.6), shape_range(&dice, -0.6, 0.6), 0}};
            centre.e[2] = bumps(centre.e[0], centre.e[1]) + shape_range(&dice, 0.02, 0.5);
        }
        d3_put(centre, pose.p);
        double least = INFINITY;
        for (int t = 0; t < mesh->ntriangle; ++t) {
            d3 c[3];
            corners(mesh, t, c);
            least = fmin(least, point_triangle(centre, c) - g.size[0]);
        }
        // both shapes moved by the same motion
        cd_shape_pose moved = at;
        d3_put(d3_add(d3_rotate(at.R, centre), d3_of(at.p)), moved.p);
        cd_contact_point point[CD_CONTACT_POINTS_MAX];
        const int        count = cd_collide(&g, &moved, &surface, &at, 0.1, NULL, point, CD_CONTACT_POINTS_MAX);
        double           found = INFINITY;
        for (int i = 0; i < count; ++i) {
            found      = fmin(found, point[i].gap);
            const d3 n = d3_of(point[i].normal);
            CHECK_NEAR(d3_norm(n), 1, 1e-14);
            CHECK(d3_norm(d3_sub(d3_sub(d3_of(point[i].a), d3_of(point[i].b)), d3_scale(point[i].gap, n))) < 1e-13);
        }
        CHECK((least < 0.1) == (count > 0));
        if (count > 0) CHECK_NEAR(found, least, 1e-12);
        touching += count > 0;
        // the order (mesh, sphere) gives the same points with exchanged roles
        cd_contact_point other[CD_CONTACT_POINTS_MAX];
        CHECK(cd_collide(&surface, &at, &g, &moved, 0.1, NULL, other, CD_CONTACT_POINTS_MAX) == count);
    }
    CHECK(touching > cases / 4);
    cd_triangle_mesh_destroy(mesh);
}

// A sphere in a groove of two planes touches both, and none of the edges along it; on a ridge only the edge.
static double groove(double x, double y)
{
    (void)y;
    return fabs(x);
}
static double ridge(double x, double y)
{
    (void)y;
    return -fabs(x);
}

static void check_groove_and_ridge(void)
{
    cd_contact_point  point[CD_CONTACT_POINTS_MAX];
    const double      r    = 0.5;
    cd_shape_pose     pose = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0.03, r * sqrt(2)}};
    cd_shape_geometry g = {.kind = CD_SHAPE_SPHERE, .size = {r}}, surface = {.kind = CD_SHAPE_MESH};
    cd_triangle_mesh* mesh = grid_mesh(20, 20, -2, 2, -2, 2, groove);
    surface.mesh           = mesh;
    CHECK(cd_collide(&g, &pose, &surface, &shape_identity, 1e-3, NULL, point, CD_CONTACT_POINTS_MAX) == 2);
    for (int i = 0; i < 2; ++i) {
        CHECK(fabs(point[i].gap) < 1e-15);
        CHECK_NEAR(fabs(point[i].normal[0]), sqrt(0.5), 1e-15);
        CHECK_NEAR(point[i].normal[2], sqrt(0.5), 1e-15);
    }
    cd_triangle_mesh_destroy(mesh);
    mesh         = grid_mesh(20, 20, -2, 2, -2, 2, ridge);
    surface.mesh = mesh;
    for (int k = 0; k < 100; ++k) {
        const double tilt = -0.7 + 0.014 * k; // within 45 degrees of the vertical
        pose.p[0] = (r + 0.01) * sin(tilt), pose.p[2] = (r + 0.01) * cos(tilt), pose.p[1] = 0.02 * k - 1;
        CHECK(cd_collide(&g, &pose, &surface, &shape_identity, 0.1, NULL, point, CD_CONTACT_POINTS_MAX) == 1);
        CHECK_NEAR(point[0].gap, 0.01, 1e-14);
        CHECK_NEAR(point[0].normal[0], sin(tilt), 1e-14);
    }
    cd_triangle_mesh_destroy(mesh);
}

// Least gap of a shape to all triangles of which it is on the front, each on its own.
static double least_gap_of_all(const cd_shape_geometry* g, const cd_shape_pose* pose, const cd_triangle_mesh* m,
                               double margin)
{
    double least = INFINITY;
    cd_box box;
    cd_shape_bounds(g, pose, box.lower, box.upper);
    box = cd_box_grown(&box, margin);
    for (int t = 0; t < m->ntriangle; ++t) {
        cd_triangle      triangle;
        cd_contact_point point[CD_CONTACT_POINTS_MAX];
        for (int i = 0; i < 3; ++i) d3_put(m->vertex[m->corner[t][i]], triangle.corner[i]);
        const cd_box bounds = cd_box_of_points(
            (const d3[]){d3_of(triangle.corner[0]), d3_of(triangle.corner[1]), d3_of(triangle.corner[2])}, 3);
        if (!cd_box_overlap(&bounds, &box)) continue;
        const int n = cd_collide_triangle(g, pose, &triangle, margin, NULL, point, CD_CONTACT_POINTS_MAX);
        for (int i = 0; i < n; ++i) {
            const cd_box at = cd_box_of_points((const d3[]){d3_of(point[i].b)}, 1);
            if (cd_box_overlap(&at, &box)) least = fmin(least, point[i].gap);
        }
    }
    return least;
}

// Distance of a point from a whole mesh
static double distance_of_all(const cd_triangle_mesh* m, d3 x)
{
    double least = INFINITY;
    for (int t = 0; t < m->ntriangle; ++t) {
        d3 c[3];
        corners(m, t, c);
        least = fmin(least, point_triangle(x, c));
    }
    return least;
}

// Shapes near a mesh at random poses. Apart: the least gap is that of all triangles. Overlapping: there is a contact with a
// negative gap. All: b is on the mesh, a - b = gap n, the normal is one of the surface at b.
static void check_shapes_against_search(cd_shape_kind kind, cd_triangle_mesh* mesh, bool closed, int cases)
{
    const cd_shape_geometry surface = {.kind = CD_SHAPE_MESH, .mesh = mesh};
    shape_dice              dice    = {(uint64_t)kind * 2 + closed + 100};
    int                     apart = 0, overlap = 0, lost = 0;
    const double            margin = 0.1;
    for (int k = 0; k < cases && !test_broken; ++k) {
        cd_shape_geometry    g    = random_shape(&dice, kind);
        const cd_shape_type* type = cd_shape_type_of(&g);
        for (int i = 0; i < 3; ++i) g.size[i] *= 0.5;
        cd_shape_pose pose = random_shape_pose(&dice, 0);
        const d3      up   = closed ? shape_direction(&dice) : d3_axis(2);
        uint32_t      feature;
        const double  reach =
            type->offset(&g) -
            d3_dot(up, d3_rotate(pose.R, type->support(&g, d3_neg(d3_rotate_back(pose.R, up)), &feature)));
        if (closed) {
            d3_put(d3_scale(0.95 + reach + shape_range(&dice, -0.02, 0.15), up), pose.p);
        } else {
            pose.p[0] = shape_range(&dice, -0.3, 0.3), pose.p[1] = shape_range(&dice, -0.3, 0.3);
            pose.p[2] = bumps(pose.p[0], pose.p[1]) + reach + shape_range(&dice, -0.02, 0.2);
        }
        cd_contact_point point[CD_CONTACT_POINTS_MAX];
        const int    n = cd_collide(&g, &pose, &surface, &shape_identity, margin, NULL, point, CD_CONTACT_POINTS_MAX);
        const double least = least_gap_of_all(&g, &pose, mesh, margin);
        double       found = INFINITY;
        for (int i = 0; i < n; ++i) {
            const d3 a = d3_of(point[i].a), b = d3_of(point[i].b), normal = d3_of(point[i].normal);
            found = fmin(found, point[i].gap);
            CHECK_NEAR(d3_norm(normal), 1, 1e-13);
            CHECK(d3_norm(d3_sub(d3_sub(a, b), d3_scale(point[i].gap, normal))) < 1e-9);
            if (!point[i].doubtful && point[i].gap > -0.02 && k % 50 == 0) CHECK(distance_of_all(mesh, b) < 1e-8);
            if (i > 0) CHECK(point[i - 1].key <= point[i].key);
        }
        if (least > 1e-9) {
            ++apart;
            CHECK((least < margin - 1e-9) <= (n > 0));
            if (least < margin - 1e-9) CHECK(fabs(found - least) < 1e-9);
        } else {
            ++overlap;
            if (!(found < 0)) ++lost;
        }
        if (test_broken) printf("kind %d case %d: gap %.12g, of all triangles %.12g\n", kind, k, found, least);
        if (kind == CD_SHAPE_HULL) random_shape_free(&g);
    }
    CHECK(apart > cases / 3 && overlap > cases / 50 && lost == 0);
}

static void check_shapes(cd_shape_kind kind)
{
    cd_triangle_mesh *rough = grid_mesh(24, 20, -1, 1, -1, 1, bumps), *ball = sphere_mesh(6, 1);
    const int         cases = test_cases(2000, 500000);
    check_shapes_against_search(kind, rough, false, cases);
    check_shapes_against_search(kind, ball, true, cases);
    cd_triangle_mesh_destroy(rough);
    cd_triangle_mesh_destroy(ball);
}

// A mesh of a cube on a plane rests on its corners, as the box does; a tilted ball of triangles on its lowest vertex.
static void check_mesh_on_plane(void)
{
    double    x[24];
    const int quad[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
    int       t[36];
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k) x[3 * i + k] = (i >> k & 1 ? 0.5 : -0.5) * (1 + 0.2 * k);
    for (int f = 0; f < 6; ++f)
        for (int k = 0; k < 6; ++k) t[6 * f + k] = quad[4 * f + (const int[]){0, 1, 2, 0, 2, 3}[k]];
    const char*             reason;
    cd_triangle_mesh*       cube = cd_triangle_mesh_create(8, x, 12, t, &reason);
    const cd_shape_geometry mesh = {.kind = CD_SHAPE_MESH, .mesh = cube}, plane = {.kind = CD_SHAPE_PLANE};
    const cd_shape_geometry box  = {.kind = CD_SHAPE_BOX, .size = {0.5, 0.6, 0.7}};
    shape_dice              dice = {4};
    for (int k = 0; k < 200; ++k) {
        cd_shape_pose pose = random_shape_pose(&dice, 0), ground = random_shape_pose(&dice, 2);
        if (k % 2)
            shape_rotation(d3_axis(2), shape_range(&dice, 0, 6), pose.R),
                pose.p[2] = 0.7 + shape_range(&dice, -0.1, 0.1);
        cd_contact_point p[CD_CONTACT_POINTS_MAX], q[CD_CONTACT_POINTS_MAX];
        if (k % 2) ground = shape_identity;
        const int n = cd_collide(&mesh, &pose, &plane, &ground, 0.2, NULL, p, CD_CONTACT_POINTS_MAX);
        CHECK(n == cd_collide(&box, &pose, &plane, &ground, 0.2, NULL, q, CD_CONTACT_POINTS_MAX));
        if (k % 2) CHECK(n == 4);
        for (int i = 0; i < n; ++i) {
            CHECK(d3_norm(d3_sub(d3_of(p[i].a), d3_of(q[i].a))) < 1e-14);
            CHECK(fabs(p[i].gap - q[i].gap) < 1e-14);
            CHECK(d3_norm(d3_sub(d3_of(p[i].normal), d3_of(q[i].normal))) == 0);
        }
    }
    for (int e = 0; e < cube->nedge; ++e) // outward: twelve convex edges, six diagonals
        CHECK(cube->edge[e].dihedral == CD_DIHEDRAL_CONVEX || cube->edge[e].dihedral == CD_DIHEDRAL_FLAT);
    cd_triangle_mesh_destroy(cube);
}

int main(void)
{
    RUN(check_sphere_slides());
    RUN(check_box_slides());
    RUN(check_other_slides());
    for (cd_shape_kind kind = CD_SHAPE_SPHERE; kind <= CD_SHAPE_HULL; ++kind) RUN(check_shapes(kind));
    RUN(check_mesh_on_plane());
    RUN(check_groove_and_ridge());
    RUN(check_spheres_against_search(grid_mesh(24, 20, -1, 1, -1, 1, bumps), false));
    RUN(check_spheres_against_search(sphere_mesh(8, 1), true));
    return test_end();
}
