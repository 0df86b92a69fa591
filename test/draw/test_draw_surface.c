// SPDX-License-Identifier: BSD-3-Clause
// Shapes of contacts in pictures: faces of curved shapes enclose, seen from outside, nearly the volume of the shape; planes
// and height fields have the extent and heights that are given; shapes move with their bodies.
#include "test.h"

#include "contact/shape/hull.h"
#include "draw/scene.h"
#include "math/pi.h"

static const cardan_pose turned = {{1, 2, 3}, {0.5, 0.5, 0.5, 0.5}};

// Scene of one shape, on ground.
static cd_scene scene_of(const cardan_shape* shape)
{
    cardan_description* d = cardan_description_create("one");
    cd_scene            scene;
    cardan_report       report = {0};
    CHECK(cardan_description_add_shape(d, shape) == 0);
    const cardan_description_view view = cardan_description_get_view(d);
    CHECK(cd_scene_create(&view, NULL, &scene, &report) == CARDAN_OK);
    cardan_description_destroy(d);
    return scene;
}

// Volume of the faces by the divergence theorem, about a point near them.
static double volume_of(const cd_scene* scene, cd_xyz origin)
{
    double volume = 0;
    for (int i = 0; i < scene->nprimitive; ++i) {
        const cd_primitive* p = &scene->primitive[i];
        CHECK(p->kind == CD_PRIMITIVE_FACE && p->solid && p->shape == 1);
        const cd_xyz a = xyz_sub(scene->point[p->first], origin);
        for (int k = 1; k + 1 < p->count; ++k)
            volume += xyz_dot(a, xyz_cross(xyz_sub(scene->point[p->first + k], origin),
                                           xyz_sub(scene->point[p->first + k + 1], origin))) /
                      6;
    }
    return volume;
}

static void check_volume(cardan_shape_kind kind, double a, double b, double c, double expected)
{
    cardan_shape shape = cardan_shape_default(CARDAN_GROUND, kind);
    shape.pose         = turned;
    shape.size[0]      = a;
    shape.size[1]      = b;
    shape.size[2]      = c;
    cd_scene     scene = scene_of(&shape);
    const double v     = volume_of(&scene, (cd_xyz){1, 2, 3});
    CHECK(v < expected && v > 0.95 * expected); // the corners of the faces lie on the surface
    cd_scene_destroy(&scene);
}

static void test_volumes(void)
{
    check_volume(CARDAN_SHAPE_CAPSULE, 0.7, 0.2, 0, CD_PI * 0.04 * (0.7 + 4.0 / 3 * 0.2));
    check_volume(CARDAN_SHAPE_ELLIPSOID, 0.2, 0.3, 0.5, 4 * CD_PI / 3 * 0.03);
    // a torus whose section is a dodecagon: 12/2 sin(30 degrees) / pi = 0.955 of the circle, around 28 faces 0.992
    cardan_shape torus = cardan_shape_default(CARDAN_GROUND, CARDAN_SHAPE_TORUS);
    torus.size[0]      = 0.5;
    torus.size[1]      = 0.1;
    cd_scene     scene = scene_of(&torus);
    const double v = volume_of(&scene, (cd_xyz){0, 0, 0}), expected = 2 * CD_PI * CD_PI * 0.5 * 0.01;
    CHECK(v > 0.93 * expected && v < 0.96 * expected);
    cd_scene_destroy(&scene);
}

static void test_hull(void) // of a cube with a point inside: its six faces
{
    if (!cd_hull_is_available()) return;
    double points[27] = {0.5, 0.5, 0.5};
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k) points[3 * i + 3 + k] = i >> k & 1;
    cardan_shape shape = cardan_shape_default(CARDAN_GROUND, CARDAN_SHAPE_HULL);
    shape.npoint       = 9;
    shape.point        = points;
    cd_scene scene     = scene_of(&shape);
    CHECK(scene.nprimitive == 6);
    CHECK_NEAR(volume_of(&scene, (cd_xyz){0, 0, 0}), 1, 1e-14);
    cd_scene_destroy(&scene);
}

static void test_ground(void)
{
    cardan_shape plane = cardan_shape_default(CARDAN_GROUND, CARDAN_SHAPE_PLANE);
    plane.size[0]      = 4;
    plane.size[1]      = 6;
    cd_scene scene     = scene_of(&plane);
    CHECK(scene.nprimitive == 1 && scene.npoint == 4 && !scene.primitive[0].solid);
    for (int i = 0; i < 4; ++i)
        CHECK(fabs(scene.point[i].x) == 2 && fabs(scene.point[i].y) == 3 && scene.point[i].z == 0);
    cd_scene_destroy(&scene);

    enum { NX = 60, NY = 3 };
    double height[NX * NY];
    for (int j = 0; j < NY; ++j)
        for (int i = 0; i < NX; ++i) height[i + NX * j] = 0.1 * i + j;
    cardan_shape field = cardan_shape_default(CARDAN_GROUND, CARDAN_SHAPE_HEIGHT_FIELD);
    field.field        = (cardan_height_grid){.nx = NX, .ny = NY, .spacing = {0.5, 2}, .height = height};
    scene              = scene_of(&field);
    double left = INFINITY, right = -INFINITY;
    for (int i = 0; i < scene.npoint; ++i) { // z = 0.1 i + j of the grid, also where lines are left out
        const cd_xyz p = scene.point[i];
        CHECK_NEAR(p.z, 0.1 * (p.x / 0.5 + (NX - 1) / 2.0) + p.y / 2 + 1, 1e-13);
        left  = fmin(left, p.x);
        right = fmax(right, p.x);
    }
    CHECK_NEAR(right - left, 0.5 * (NX - 1), 1e-13);
    for (int i = 0; i < scene.nprimitive; ++i) { // upward
        const cd_primitive* p = &scene.primitive[i];
        const cd_xyz *      q = &scene.point[p->first], n = xyz_cross(xyz_sub(q[1], q[0]), xyz_sub(q[2], q[0]));
        CHECK(n.z > 0);
    }
    cd_scene_destroy(&scene);
}

static void test_many(void) // beyond the number of faces: simpler primitives at the same place
{
    cardan_description* d     = cardan_description_create("many");
    cardan_shape        shape = cardan_shape_default(CARDAN_GROUND, CARDAN_SHAPE_TORUS);
    shape.size[0]             = 1;
    shape.size[1]             = 0.1;
    for (int i = 0; i < 60; ++i) CHECK(cardan_description_add_shape(d, &shape) == i);
    const cardan_description_view view   = cardan_description_get_view(d);
    cardan_report                 report = {0};
    cd_scene                      scene;
    CHECK(cd_scene_create(&view, NULL, &scene, &report) == CARDAN_OK);
    const cd_primitive* last = &scene.primitive[scene.nprimitive - 1];
    CHECK(scene.nprimitive < 14000 && last->kind == CD_PRIMITIVE_BAR && last->shape == 60);
    CHECK_NEAR(xyz_length(last->a), 1, 1e-14);
    cd_scene_destroy(&scene);
    cardan_description_destroy(d);
}

int main(void)
{
    RUN(test_volumes());
    RUN(test_hull());
    RUN(test_ground());
    RUN(test_many());
    return test_end();
}
