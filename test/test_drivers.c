// SPDX-License-Identifier: BSD-3-Clause
// Efforts of drivers: where drivers repeat each other they are of one choice with the reactions, balance them, are the
// same by every formulation, and are told not to be unique; where laws contradict each other in accelerations alone,
// the drivers are named.
#include "analysis_models.h"

static const char* const formulations[] = {"dense",   "lagrange",  "augmented", "augmented-last",
                                           "order-n", "reduction", "embedding"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

#define FOUR_BAR(a, d)                                                                                                 \
    "cardan: 1\n"                                                                                                      \
    "name: four bar\n"                                                                                                 \
    "gravity: [0, -9.81, 0]\n"                                                                                         \
    "points: {A: [0, 0, 0], B: [0.3, 0.4, 0], C: [1.5, 1.2, 0], D: [1.4, 0, 0]}\n"                                     \
    "bodies:\n"                                                                                                        \
    "  crank:   {rod: [A, B], mass: 1}\n"                                                                              \
    "  coupler: {rod: [B, C], mass: 2}\n"                                                                              \
    "  rocker:  {rod: [C, D], mass: 1.5}\n"                                                                            \
    "joints:\n"                                                                                                        \
    "  a: {revolute: [ground, crank], at: A, axis: z" a "}\n"                                                          \
    "  b: {revolute: [crank, coupler], at: B, axis: z}\n"                                                              \
    "  c: {revolute: [coupler, rocker], at: C, axis: z}\n"                                                             \
    "  d: {revolute: [ground, rocker], at: D, axis: z" d "}\n"

typedef struct answer {
    double          effort[4];
    bool            unique[4];
    cardan_reaction reaction[4];
} answer;

// At rest, where the laws hold it.
static bool solve(const char* text, const char* formulation, answer* x)
{
    scene      s;
    double     a[64] = {0};
    const bool good =
        scene_text(&s, text, formulation, 0, NULL) && cardan_accelerate(s.data, a, NULL, &s.report) == CARDAN_OK;
    if (!good) scene_tell(&s);
    CHECK(good);
    if (good) {
        cardan_driver_efforts(s.data, a, x->effort, x->unique);
        CHECK(cardan_reactions(s.data, a, x->reaction) == CARDAN_OK);
    }
    scene_close(&s);
    return good;
}

// Moments of crank and rocker about their pivots, by the forces that the coupler exerts at (0.3, 0.4) and (1.5, 1.2).
static void test_balance(void)
{
    const double g     = 9.81;
    answer       first = {0};
    for (int f = 0; f < FORMULATIONS; ++f) {
        answer x;
        if (!solve(FOUR_BAR(", driver: =0", ", driver: =0*t"), formulations[f], &x)) continue;
        const double *b = x.reaction[1].force, *c = x.reaction[2].force; // on the coupler, on the rocker
        CHECK_NEAR(x.effort[0], 0.3 * b[1] - 0.4 * b[0] + 0.15 * g, 1e-9);
        CHECK_NEAR(x.effort[1], -(0.1 * c[1] - 1.2 * c[0]) + 0.05 * 1.5 * g, 1e-9);
        CHECK(!x.unique[0] && !x.unique[1]);
        if (f == 0) first = x;
        for (int i = 0; i < 2; ++i) CHECK_NEAR(x.effort[i], first.effort[i], 1e-9);
        for (int i = 0; i < 2; ++i) CHECK_NEAR(b[i], first.reaction[1].force[i], 1e-9);
    }
}

// One driver alone: its effort is the only one, by virtual work of the weights.
static void test_alone(void)
{
    double both = 0;
    for (int f = 0; f < FORMULATIONS; ++f) {
        answer x;
        if (!solve(FOUR_BAR(", driver: =0", ""), formulations[f], &x)) continue;
        CHECK(x.unique[0]);
        CHECK(!x.reaction[0].unique); // across the plane
        if (f == 0) both = x.effort[0];
        CHECK_NEAR(x.effort[0], both, 1e-9);
    }
    // at a unit rate of the crank coupler and rocker turn by w and wr: -0.4 - 0.8 w = -1.2 wr, 0.3 + 1.2 w = 0.1 wr
    const double wr = 0.3 / 1.7, w = (0.1 * wr - 0.3) / 1.2;
    CHECK_NEAR(-0.4 - 0.8 * w, -1.2 * wr, 1e-12);
    CHECK_NEAR(both, 9.81 * (1 * 0.15 + 2 * (0.3 + 0.6 * w) + 1.5 * 0.05 * wr), 1e-9);
}

// Two drivers on one joint share its load evenly.
static void test_twice(void)
{
    for (int f = 0; f < FORMULATIONS; ++f) {
        answer x;
        if (!solve("cardan: 1\nname: twice\nbodies:\n  p: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}\njoints:\n"
                   "  h: {revolute: [ground, p], at: [0, 0, 0], axis: y, driver: =0}\nconstraints:\n  second: {driver: "
                   "h, law: =0*t}\n",
                   formulations[f], &x))
            continue;
        for (int i = 0; i < 2; ++i) CHECK_NEAR(x.effort[i], -9.81 / 4, 1e-9);
        CHECK(!x.unique[0] && !x.unique[1]);
    }
}

static void test_contradiction(void)
{
    for (int f = 0; f < FORMULATIONS; ++f) {
        scene  s;
        double a[64];
        if (scene_text(&s, FOUR_BAR(", driver: =0.5*t^2", ", driver: =0.5*t^2"), formulations[f], 0, NULL)) {
            CHECK(cardan_accelerate(s.data, a, NULL, &s.report) == CARDAN_INCONSISTENT);
            CHECK_HAS(s.report.message[s.report.count - 1].text,
                      "at t = 0 s driver of 'a' and driver of 'd' cannot be followed together");
        }
        scene_close(&s);
    }
}

int main(void)
{
    RUN(test_balance());
    RUN(test_alone());
    RUN(test_twice());
    RUN(test_contradiction());
    return test_end();
}
