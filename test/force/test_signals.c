// SPDX-License-Identifier: BSD-3-Clause
// Signals of formulas: relative positions, velocities and angles of markers against the motions of the markers, and
// rates against finite differences.
#include "random_tree.h"
#include "test.h"

static const char* const names[] = {"x(ma, mb)",  "y(ma, mb)",        "z(ma, mb)",     "vx(ma, mb)",
                                    "vy(ma, mb)", "vz(ma, mb)",       "wx(ma, mb)",    "wy(ma, mb)",
                                    "wz(ma, mb)", "distance(ma, mb)", "speed(ma, mb)", "angle(ma, mb, x)",
                                    "y(ma)",      "vz(ma)",           "wx(ma)",        "angle(ma, mb)"};

enum { X, VX = 3, WX = 6, DISTANCE = 9, SPEED, ANGLE_X, WORLD_Y, WORLD_VZ, WORLD_WX, ANGLE_Z, COUNT };

typedef struct scene {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
    cardan_expression   formula[COUNT];
    double              q[14], v[12];
} scene;

static bool open_scene(scene* s, uint64_t seed)
{
    dice d = {seed};
    *s     = (scene){.description = cardan_description_create("scene")};
    for (int i = 0; i < 2; ++i) {
        cardan_body b = cardan_body_default(i ? "b" : "a");
        random_inertia(&d, &b);
        cardan_description_add_body(s->description, &b);
        const cardan_marker m = {.name = i ? "mb" : "ma", .body = i, .pose = random_pose(&d)};
        cardan_description_add_marker(s->description, &m);
    }
    for (int i = 0; i < COUNT; ++i)
        CHECK(cardan_description_parse(s->description, names[i], cardan_location_none(), &s->formula[i], NULL) ==
              CARDAN_OK);
    CHECK(cardan_model_compile(s->description, CARDAN_TREE_BREADTH_FIRST, &s->model, NULL) == CARDAN_OK);
    CHECK(cardan_data_create(s->model, 0, &s->data, NULL) == CARDAN_OK);
    if (!s->data) return false;
    random_state(&d, s->model, s->q, s->v);
    return true;
}

// All values at time h along constant velocities.
static void values_at(scene* s, double h, double value[COUNT])
{
    double dq[12], q[14];
    for (int i = 0; i < 12; ++i) dq[i] = h * s->v[i];
    cardan_model_integrate_position(s->model, s->q, dq, q);
    cardan_data_set_state(s->data, 0, q, s->v, NULL);
    for (int i = 0; i < COUNT; ++i) value[i] = cardan_data_evaluate_expression(s->data, s->formula[i]);
}

static void test_markers(uint64_t seed)
{
    const double  h = 1e-5;
    scene         s;
    double        before[COUNT], after[COUNT], now[COUNT], r[3], w[3], back[4], x[3], rotation[4], axis[3];
    cardan_motion a, b;
    if (open_scene(&s, seed)) {
        values_at(&s, -h, before);
        values_at(&s, h, after);
        values_at(&s, 0, now);
        cardan_data_marker_motion(s.data, cardan_description_find_marker(s.description, "ma"), NULL, &a);
        cardan_data_marker_motion(s.data, cardan_description_find_marker(s.description, "mb"), NULL, &b);
        for (int i = 0; i < 3; ++i) {
            r[i] = a.p[i] - b.p[i];
            w[i] = a.w[i] - b.w[i];
        }
        q4_conjugate(b.q, back);
        q4_rotate(back, r, x);
        for (int i = 0; i < 3; ++i) CHECK_NEAR(now[X + i], x[i], 1e-13);
        q4_rotate(back, w, x);
        for (int i = 0; i < 3; ++i) CHECK_NEAR(now[WX + i], x[i], 1e-13);
        for (int i = 0; i < 3; ++i) CHECK_NEAR((after[X + i] - before[X + i]) / (2 * h), now[VX + i], 1e-8);
        CHECK_NEAR(now[DISTANCE], sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), 1e-13);
        CHECK_NEAR((after[DISTANCE] - before[DISTANCE]) / (2 * h), now[SPEED], 1e-8);
        CHECK_NEAR(now[WORLD_Y], a.p[1], 1e-14);
        CHECK_NEAR(now[WORLD_VZ], a.v[2], 1e-14);
        CHECK_NEAR(now[WORLD_WX], a.w[0], 1e-14);
        // the angle about x is the direction of y of a in the y z plane of b, about z that of x of a
        q4_mul(back, a.q, rotation);
        q4_rotate(rotation, (const double[3]){0, 1, 0}, axis);
        CHECK_NEAR(now[ANGLE_X], atan2(axis[2], axis[1]), 1e-13);
        q4_rotate(rotation, (const double[3]){1, 0, 0}, axis);
        CHECK_NEAR(now[ANGLE_Z], atan2(axis[1], axis[0]), 1e-13);
    }
    cardan_data_destroy(s.data);
    cardan_model_destroy(s.model);
    cardan_description_destroy(s.description);
}

int main(void)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) RUN(test_markers(seed));
    return test_end();
}
