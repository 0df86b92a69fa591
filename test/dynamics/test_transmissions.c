// SPDX-License-Identifier: BSD-3-Clause
// Efforts of transmissions (gears, belts, racks, worms, couplings) against closed forms, for all formulations that
// support constraints; and which of them are not unique.
#include "test.h"

#include <cardan/cardan.h>
#include <math.h>
#include <string.h>

enum { MAX_TRANSMISSIONS = 8 };

typedef struct scene {
    cardan_description* d;
    cardan_model*       m;
    cardan_data*        data;
    cardan_report       report;
    double              a[32];
    int                 n;
    cardan_transmission t[MAX_TRANSMISSIONS];
} scene;

static bool open_scene(scene* s, const char* text, int formulation)
{
    *s                   = (scene){0};
    cardan_status status = cardan_description_load_text(text, "scene.yaml", NULL, &s->d, &s->report);
    if (!status) status = cardan_model_compile(s->d, cardan_formulation_tree_policy(formulation), &s->m, &s->report);
    if (!status) status = cardan_data_create(s->m, formulation, &s->data, &s->report);
    if (status) return false;
    const cardan_model_view view = cardan_model_get_view(s->m);
    CHECK(cardan_data_set_state(s->data, 0, view.q_start, view.v_start, view.state_start) == CARDAN_OK);
    CHECK(cardan_data_accelerate(s->data, s->a, NULL, &s->report) == CARDAN_OK);
    s->n = cardan_data_transmission_count(s->data);
    CHECK(s->n <= MAX_TRANSMISSIONS);
    CHECK(cardan_data_all_reactions(s->data, s->a, NULL, NULL, s->t) == CARDAN_OK);
    return true;
}

static void close_scene(scene* s)
{
    cardan_data_destroy(s->data);
    cardan_model_destroy(s->m);
    cardan_description_destroy(s->d);
}

typedef struct expected {
    const char* name;
    int         n;
    const char* joint[3];
    const char* unit[3];
    double      effort[3];
} expected;

static void check(const scene* s, int i, const expected* w, double tolerance)
{
    const cardan_transmission* t = &s->t[i];
    CHECK(strcmp(t->name, w->name) == 0 && t->n == w->n && t->unique);
    for (int k = 0; k < w->n; ++k) {
        CHECK(strcmp(cardan_model_joint_name(s->m, t->joint[k]), w->joint[k]) == 0);
        CHECK(t->axis[k] == 0 && strcmp(t->unit[k], w->unit[k]) == 0);
        CHECK_NEAR(t->effort[k], w->effort[k], tolerance * (1 + fabs(w->effort[k])));
    }
}

static void check_all(const char* text, int count, const expected* w)
{
    int tried = 0;
    for (int f = 0; f < cardan_formulation_count(); ++f) {
        scene      s;
        const bool exact = cardan_formulation_is_exact(f);
        if (open_scene(&s, text, f)) {
            ++tried;
            CHECK(s.n == count);
            for (int i = 0; i < count && s.n == count; ++i) check(&s, i, &w[i], exact ? 1e-11 : 1e-4);
        }
        close_scene(&s);
    }
    CHECK(tried >= 8);
}

// Wheels of 20 and 50 teeth, 0.3 and 0.8 kg m^2, under torques of 2 and 1 N m. Of the first: a = (2 - 0.4 * 1) / (0.3 +
// 0.16 * 0.8).
static void test_gear(void)
{
    const double   a = (2 - 0.4) / (0.3 + 0.16 * 0.8), tooth = 0.3 * a - 2;
    const expected w = {"g", 2, {"a", "b"}, {"N m", "N m"}, {tooth, 2.5 * tooth}};
    check_all(
        "cardan: 1\nbodies:\n  w1: {at: [0, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.3]}\n  w2: {at: [1, 0, 0], "
        "mass: 1, inertia: [0.1, 0.1, 0.8]}\n"
        "joints:\n  a: {revolute: [ground, w1], at: [0, 0, 0], axis: z}\n  b: {revolute: [ground, w2], at: [1, 0, "
        "0], axis: z}\n"
        "constraints: {g: {gear: [a, b], teeth: [20, 50]}}\nforces: {m: {actuator: a, effort: 2}, l: {actuator: "
        "b, effort: 1}}\n",
        1, &w);
}

// Sun (20), planet (15) on a carrier, fixed ring (50): the mesh at the sun couples sun, carrier and planet, that at the
// ring carrier and planet.
static void test_planet(void)
{
    const double k = 1 + 50.0 / 20, wp = 1 - 50.0 / 15, I = 0.02 * k * k + 0.05 + 0.5 * 0.35 * 0.35 + 0.01 * wp * wp,
                 ac    = 3 * k / I;
    const double   sun = 0.02 * k * ac - 3, lambda1 = -sun / 20; // on the sun: -20 lambda1
    const double   planet = 0.01 * wp * ac;                      // about its own axis, sum of all torques on it
    const double   ring   = planet + 15 * lambda1;               // of the second mesh: planet = -15 lambda1 + ring
    const expected w[2]   = {{"mesh1", 3, {"s", "c", "p"}, {"N m", "N m", "N m"}, {sun, -sun, -15 * lambda1}},
                             {"mesh2", 2, {"c", "p"}, {"N m", "N m"}, {ring * 50 / 15, ring}}};
    check_all(
        "cardan: 1\nparameters: {zs: 20, zp: 15, zr: 50}\nbodies:\n  sun: {at: [0, 0, 0], mass: 1, inertia: [0.1, "
        "0.1, 0.02]}\n"
        "  carrier: {at: [0, 0, 0], mass: 2, inertia: [0.1, 0.1, 0.05]}\n  planet: {at: [0.35, 0, 0], mass: 0.5, "
        "inertia: [0.01, 0.01, 0.01]}\n"
        "joints:\n  s: {revolute: [ground, sun], at: [0, 0, 0], axis: z}\n  c: {revolute: [ground, carrier], at: "
        "[0, 0, 0], axis: z}\n"
        "  p: {revolute: [carrier, planet], at: [0.35, 0, 0], axis: z}\n"
        "constraints:\n  mesh1: {coupler: [s, c, p], factors: [=zs, =-zs, =zp]}\n  mesh2: {coupler: [c, p], "
        "factors: [=zr, =zp]}\n"
        "forces: {m: {actuator: s, effort: 3}}\n",
        2, w);
}

// Belt and rack: 2 kg hang from a pinion of 0.03 m on a pulley that a belt couples to another one. And a joint that
// mimics another: the coupling has the name of the joint.
static void test_belt_rack_mimic(void)
{
    const double g = 9.81, J = 0.008 + 4 * 0.002, a = -2 * g * 0.03 / (2 * 0.0009 + J), force = 2 * (0.03 * a + g),
                 belt   = 0.002 * 2 * a;
    const expected w[2] = {{"bt", 2, {"a", "b"}, {"N m", "N m"}, {belt, -2 * belt}},
                           {"rp", 2, {"b", "r"}, {"N m", "N"}, {-0.03 * force, force}}};
    check_all(
        "cardan: 1\ngravity: [0, -9.81, 0]\nbodies:\n  p1: {at: [0, 0, 0], mass: 1, inertia: [0.001, 0.001, 0.002]}\n"
        "  p2: {at: [0.5, 0, 0], mass: 1, inertia: [0.004, 0.004, 0.008]}\n  rack: {at: [0, 0.05, 0], mass: 2, "
        "inertia: [0.1, 0.1, 0.1]}\n"
        "joints:\n  a: {revolute: [ground, p1], at: [0, 0, 0], axis: z}\n  b: {revolute: [ground, p2], at: [0.5, 0, "
        "0], axis: z}\n"
        "  r: {prismatic: [ground, rack], at: [0, 0.05, 0], axis: y}\n"
        "constraints:\n  bt: {belt: [a, b], radii: [0.05, 0.1]}\n  rp: {rack_pinion: [b, r], radius: 0.03}\n",
        2, w);
    const double   alpha = 5 / (0.3 + 0.8 / 9), on_b = 0.8 * alpha / 3;
    const expected mimic = {"b", 2, {"b", "a"}, {"N m", "N m"}, {on_b, -on_b / 3}};
    check_all(
        "cardan: 1\nbodies:\n  w1: {at: [0, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.3]}\n  w2: {at: [1, 0, 0], "
        "mass: 1, inertia: [0.1, 0.1, 0.8]}\n"
        "joints:\n  a: {revolute: [ground, w1], at: [0, 0, 0], axis: z}\n  b: {revolute: [ground, w2], at: [1, 0, "
        "0], axis: z}\n"
        "couplings: [{joint: b, to: a, factor: =1/3}]\nforces: {m: {actuator: a, effort: 5}}\n",
        1, &mimic);
}

// The worm drives: the wheel gets 0.4 of its power, J2 a2 = 0.4 * 20 T, J1 a1 = 1 - T, a1 = 20 a2.
static void test_worm(void)
{
    const double   T = 1 / (1 + 0.001 * 20 * 0.4 * 20 / 0.2);
    const expected w = {"wg", 2, {"w", "g"}, {"N m", "N m"}, {-T, 0.4 * 20 * T}};
    check_all("cardan: 1\ngravity: [0, 0, 0]\nbodies:\n  worm: {at: [0, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.001]}\n  "
              "wheel: {at: [0, 0.1, 0], mass: 2, inertia: [0.1, 0.2, 0.1]}\n"
              "joints:\n  w: {revolute: [ground, worm], at: [0, 0, 0], axis: z, start: {v: 10}}\n  g: {revolute: "
              "[ground, wheel], at: [0, 0.1, 0], axis: y, start: {v: 0.5}}\n"
              "constraints: {wg: {worm: [w, g], ratio: 20, efficiency: 0.4, back_efficiency: 0}}\nforces: {m: "
              "{actuator: w, effort: 1}}\n",
              1, &w);
}

// Two equal gears share the effort of one; it is not unique.
static void test_redundant_gears(void)
{
    const double a = (2 - 0.4) / (0.3 + 0.16 * 0.8), tooth = 0.3 * a - 2;
    for (int f = 0; f < cardan_formulation_count(); ++f) {
        scene s;
        if (open_scene(&s,
                       "cardan: 1\nbodies:\n  w1: {at: [0, 0, 0], mass: 1, inertia: [0.1, 0.1, 0.3]}\n  w2: {at: [1, "
                       "0, 0], mass: 1, inertia: [0.1, 0.1, 0.8]}\n"
                       "joints:\n  a: {revolute: [ground, w1], at: [0, 0, 0], axis: z}\n  b: {revolute: [ground, w2], "
                       "at: [1, 0, 0], axis: z}\n"
                       "constraints: {g: {gear: [a, b], teeth: [20, 50]}, h: {gear: [a, b], teeth: [20, 50]}}\n"
                       "forces: {m: {actuator: a, effort: 2}, l: {actuator: b, effort: 1}}\n",
                       f)) {
            CHECK(s.n == 2);
            for (int i = 0; i < s.n; ++i) {
                CHECK(!s.t[i].unique);
                CHECK_NEAR(s.t[i].effort[0], tooth / 2, cardan_formulation_is_exact(f) ? 1e-10 : 1e-4);
            }
        }
        close_scene(&s);
    }
}

int main(void)
{
    RUN(test_gear());
    RUN(test_planet());
    RUN(test_belt_rack_mimic());
    RUN(test_worm());
    RUN(test_redundant_gears());
    return test_end();
}
