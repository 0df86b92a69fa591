// SPDX-License-Identifier: BSD-3-Clause
// Efforts of motors on mechanisms whose masses differ by many decades: units and masses of one motor do not influence
// another. Reference: the efforts that balance a heavy slide and a light four-bar next to it or on it, the latter by
// virtual work of its weights.
#include "analysis_models.h"

#include <math.h>

static const char* const formulations[] = {"dense", "lagrange", "augmented", "order-n", "reduction", "embedding"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

// A slide of mass `mass`, perpendicular or parallel to gravity, with a force of 1 N; a four-bar of light rods on
// `base`.
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

// Torque at A that balances the four-bar: at 1 rad/s of A, B moves by (-0.01, 0.003), and w_b, w_c follow from v_C =
// v_B + w_b (-0.01, 0.027) = w_c (-0.02, 0.01); m g / 2 of every rod at each of its ends.
static double balancing_torque(double rod)
{
    const double det = -0.01 * -0.01 - 0.02 * 0.027; // of [ -0.01 0.02; 0.027 -0.01 ] (w_b, w_c) = (0.01, -0.003)
    const double w_c = (-0.01 * -0.003 - 0.027 * 0.01) / det;
    return rod * 9.81 / 2 * (2 * 0.003 + 2 * 0.01 * w_c);
}

typedef struct balance {
    double effort[3], residual;
    int    redundant;
} balance;

static balance balance_with(const char* text, const char* formulation, int n, const char* const* name)
{
    scene   s;
    balance x     = {.residual = NAN};
    double  a[64] = {0};
    if (scene_text(&s, text, formulation, 0, NULL)) {
        cardan_motor   motor[3];
        cardan_motors* motors;
        for (int i = 0; i < n; ++i) motor[i] = (cardan_motor){scene_joint(&s, name[i]), 0};
        CHECK(cardan_motors_create(s.data, n, motor, &motors, &s.report) == CARDAN_OK);
        CHECK(cardan_motors_efforts(motors, a, x.effort, &x.redundant, &x.residual, &s.report) == CARDAN_OK);
        cardan_motors_destroy(motors);
    }
    scene_close(&s);
    return x;
}

static void test_slide(const char* text, double rod, double slide)
{
    static const char* const name[] = {"S", "A", "D"};
    for (int f = 0; f < FORMULATIONS; ++f) {
        const balance two   = balance_with(text, formulations[f], 2, name),
                      three = balance_with(text, formulations[f], 3, name);
        CHECK(two.residual == 0 && two.redundant == 0);
        CHECK_NEAR(two.effort[0] / slide, 1, 1e-9);
        CHECK_NEAR(two.effort[1] / balancing_torque(rod), 1, 1e-6);
        // the third motor shares the load of the second in the ratio of their velocities: the least sum of squares
        const double w_c = (-0.01 * -0.003 - 0.027 * 0.01) / (-0.01 * -0.01 - 0.02 * 0.027);
        CHECK(three.residual == 0 && three.redundant == 1);
        CHECK_NEAR(three.effort[0] / slide, 1, 1e-9);
        CHECK_NEAR(three.effort[2] / three.effort[1], w_c, 1e-6);
        CHECK_NEAR((three.effort[1] + w_c * three.effort[2]) / balancing_torque(rod), 1, 1e-6);
        CHECK(balance_with(text, formulations[f], 1, name).residual > 100);        // the four-bar is not balanced
        CHECK(balance_with(text, formulations[f], 2, name + 1).residual > 0.5e-7); // the slide is not balanced
    }
}

int main(void)
{
    RUN(test_slide(SLIDE("1e7", "x", "ground", "1e-4"), 1e-4, -1));
    RUN(test_slide(SLIDE("1e5", "y", "ground", "1e-4"), 1e-4, 9.81e5));
    RUN(test_slide(SLIDE("4e4", "y", "dome", "0.005"), 0.005, 9.81 * (4e4 + 0.015)));
    return test_end();
}
