// SPDX-License-Identifier: BSD-3-Clause
// Efforts of motors on mechanisms of many decades: units and masses of one motor say nothing about another. Statics
// gives the efforts that hold a heavy slide and a light four-bar beside it or on it: the four-bar by virtual work of
// its weights.
#include "analysis_models.h"

#include <math.h>

static const char* const formulations[] = {"dense", "lagrange", "augmented", "order-n", "reduction", "embedding"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

// A slide that weighs `mass`, across or along gravity, a push of 1 N on it; a four-bar of light rods on `base`.
#define SLIDE(mass, axis, base, rod)                                                                                   \
    "cardan: 1\n"                                                                                                      \
    "name: slide\n"                                                                                                    \
    "gravity: [0, -9.81, 0]\n"                                                                                         \
    "points: {A: [0, 0, 0], B: [0.003, 0.01, 0], C: [0.03, 0.02, 0], D: [0.02, 0, 0]}\n"                               \
    "bodies:\n"                                                                                                        \
    "  dome: {at: [5, 0, 0], mass: " mass ", inertia: [1e5, 1e5, 1e5]}\n"                                              \
    "  a: {rod: [A, B], mass: " rod "}\n"                                                                              \
    "  b: {rod: [B, C], mass: " rod "}\n"                                                                              \
    "  c: {rod: [C, D], mass: " rod "}\n"                                                                              \
    "joints:\n"                                                                                                        \
    "  S: {prismatic: [ground, dome], at: [5, 0, 0], axis: " axis "}\n"                                                \
    "  A: {revolute: [" base ", a], at: A, axis: z}\n"                                                                 \
    "  B: {revolute: [a, b], at: B, axis: z}\n"                                                                        \
    "  C: {revolute: [b, c], at: C, axis: z}\n"                                                                        \
    "  D: {revolute: [" base ", c], at: D, axis: z}\n"                                                                 \
    "forces:\n"                                                                                                        \
    "  w: {force: [1, 0, 0], on: dome}\n"

// Torque at A that holds the four-bar: at 1 rad/s of A, B moves by (-0.01, 0.003), and w_b, w_c follow from
// v_C = v_B + w_b (-0.01, 0.027) = w_c (-0.02, 0.01); m g / 2 of every rod on each of its ends.
static double holding(double rod)
{
    const double det = -0.01 * -0.01 - 0.02 * 0.027; // of [ -0.01 0.02; 0.027 -0.01 ] (w_b, w_c) = (0.01, -0.003)
    const double w_c = (-0.01 * -0.003 - 0.027 * 0.01) / det;
    return rod * 9.81 / 2 * (2 * 0.003 + 2 * 0.01 * w_c);
}

typedef struct held {
    double effort[3], left;
    int    loose;
} held;

static held hold(const char* text, const char* formulation, int n, const char* const* name)
{
    scene  s;
    held   x     = {.left = NAN};
    double a[64] = {0};
    if (scene_text(&s, text, formulation, 0, NULL)) {
        cardan_motor   motor[3];
        cardan_motors* motors;
        for (int i = 0; i < n; ++i) motor[i] = (cardan_motor){scene_joint(&s, name[i]), 0};
        CHECK(cardan_motors_create(s.data, n, motor, &motors, &s.report) == CARDAN_OK);
        CHECK(cardan_motor_efforts(motors, a, x.effort, &x.loose, &x.left, &s.report) == CARDAN_OK);
        cardan_motors_destroy(motors);
    }
    scene_close(&s);
    return x;
}

static void test_slide(const char* text, double rod, double slide)
{
    static const char* const name[] = {"S", "A", "D"};
    for (int f = 0; f < FORMULATIONS; ++f) {
        const held two = hold(text, formulations[f], 2, name), three = hold(text, formulations[f], 3, name);
        CHECK(two.left == 0 && two.loose == 0);
        CHECK_NEAR(two.effort[0] / slide, 1, 1e-9);
        CHECK_NEAR(two.effort[1] / holding(rod), 1, 1e-6);
        // the third shares the load of the second in the ratio of their speeds: the least sum of squares
        const double w_c = (-0.01 * -0.003 - 0.027 * 0.01) / (-0.01 * -0.01 - 0.02 * 0.027);
        CHECK(three.left == 0 && three.loose == 1);
        CHECK_NEAR(three.effort[0] / slide, 1, 1e-9);
        CHECK_NEAR(three.effort[2] / three.effort[1], w_c, 1e-6);
        CHECK_NEAR((three.effort[1] + w_c * three.effort[2]) / holding(rod), 1, 1e-6);
        CHECK(hold(text, formulations[f], 1, name).left > 100);        // the four-bar falls
        CHECK(hold(text, formulations[f], 2, name + 1).left > 0.5e-7); // the slide gives way
    }
}

int main(void)
{
    RUN(test_slide(SLIDE("1e7", "x", "ground", "1e-4"), 1e-4, -1));
    RUN(test_slide(SLIDE("1e5", "y", "ground", "1e-4"), 1e-4, 9.81e5));
    RUN(test_slide(SLIDE("4e4", "y", "dome", "0.005"), 0.005, 9.81 * (4e4 + 0.015)));
    return test_end();
}
