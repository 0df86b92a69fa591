// SPDX-License-Identifier: BSD-3-Clause
// A point mass on a pin, or all but on it: the rotation of its body has no inertia but is determined by the loop, so
// that the mechanism has one motion and nothing is wrong with it. Lagrange's equation of the four-bar gives it.
#include "analysis_models.h"

#include <math.h>

static const char* const formulations[] = {"dense",   "augmented", "augmented-last", "augmented-dense",
                                           "order-n", "lagrange",  "reduction",      "embedding"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

static const char four_bar[] = "cardan: 1\n"
                               "name: pin\n"
                               "gravity: [0, -9.81, 0]\n"
                               "parameters: {beside: 0}\n"
                               "points: {B: [0.2, 0.5, 0], E: [0.6, 1.2, 0], F: [-0.3, 1.4, 0], G: [-0.6, 0.4, 0]}\n"
                               "bodies:\n"
                               "  fg: {rod: [F, G]}\n"
                               "  ef: {at: [=-0.3+beside, 1.4, 0], mass: 3}\n"
                               "  be: {rod: [B, E], mass: 1}\n"
                               "joints:\n"
                               "  G: {revolute: [ground, fg], at: G, axis: z}\n"
                               "  F: {revolute: [ef, fg], at: F, axis: z}\n"
                               "  E: {revolute: [be, ef], at: E, axis: z}\n"
                               "  B: {revolute: [ground, be], at: B, axis: z, start: {v: 1}}\n";

// Angle of FG where BE has turned by x: F is on the circles about E and G.
static double angle(double x)
{
    const double e[2] = {0.2 + 0.4 * cos(x) - 0.7 * sin(x), 0.5 + 0.4 * sin(x) + 0.7 * cos(x)};
    const double ef2 = 0.9 * 0.9 + 0.2 * 0.2, gf2 = 0.3 * 0.3 + 1;
    const double d[2] = {e[0] + 0.6, e[1] - 0.4}, d2 = d[0] * d[0] + d[1] * d[1];
    const double along = (gf2 - ef2 + d2) / (2 * d2), across = sqrt(gf2 / d2 - along * along);
    return atan2(along * d[1] + across * d[0], along * d[0] - across * d[1]);
}

// (I + J k^2) a + J k k' w^2 = Q, with k = d angle / dx; I of the rod about B, J of the mass about G.
static double acceleration(void)
{
    const double h = 1e-4, I = (0.4 * 0.4 + 0.7 * 0.7) / 3, J = 3 * (0.3 * 0.3 + 1);
    const double k = (angle(h) - angle(-h)) / (2 * h), slope = (angle(h) - 2 * angle(0) + angle(-h)) / (h * h);
    const double Q = -9.81 * (0.2 + 3 * 0.3 * k);
    return (Q - J * k * slope) / (I + J * k * k);
}

static void test_pin(void)
{
    static const char* const beside[] = {"0", "1e-12", "1e-10", "1e-9", "1e-8", "1e-7", "1e-6"};
    CHECK_NEAR(acceleration(), -4.42111, 2e-5);
    for (size_t i = 0; i < sizeof beside / sizeof *beside; ++i)
        for (int f = 0; f < FORMULATIONS; ++f) {
            scene                          s;
            double                         a[64];
            const cardan_parameter_setting setting = {.name = "beside", .value = beside[i]};
            if (scene_text(&s, four_bar, formulations[f], 1, &setting)) {
                const bool good = cardan_accelerate(s.data, a, NULL, &s.report) == CARDAN_OK;
                if (!good) printf("%s, %s m beside its pin\n", formulations[f], beside[i]), scene_tell(&s);
                CHECK(good);
                if (good) {
                    double q[64], v[64], rate[64];
                    cardan_joint_motions(s.data, a, q, v, rate);
                    CHECK_NEAR(rate[s.m.joint_range[scene_joint(&s, "B")].v], acceleration(),
                               1e-6 + 3 * atof(beside[i]));
                }
            }
            scene_close(&s);
        }
}

// The four-bar with a bob that hangs at `place` from E.
static void with_bob(size_t size, char* text, const char* place)
{
    char joints[1024];
    snprintf(text, size, "%s  P: {revolute: [be, bob], at: E, axis: z}\n", four_bar);
    char* bodies = strstr(text, "joints:\n");
    snprintf(joints, sizeof joints, "%s", bodies);
    snprintf(bodies, size - (size_t)(bodies - text), "  bob: {at: %s, mass: 2}\n%s", place, joints);
}

// What hangs beside the loop is determined by nothing but its inertia: none that rounding has made is taken for one.
static void test_loose(void)
{
    static const char* const rest[] = {"dense", "augmented", "augmented-last", "augmented-dense", "order-n"};
    char                     text[2048];
    with_bob(sizeof text, text, "E");
    for (size_t f = 0; f < sizeof rest / sizeof *rest; ++f) {
        scene  s;
        double a[64];
        if (scene_text(&s, text, rest[f], 0, NULL)) {
            CHECK(cardan_accelerate(s.data, a, NULL, &s.report) == CARDAN_SINGULAR);
            if (s.report.count > 0) CHECK_HAS(s.report.message[s.report.count - 1].text, "'P'");
        }
        scene_close(&s);
    }
}

// A micrometre is an inertia, though one of 1e-12 of what it is a difference of.
static void test_micrometre(void)
{
    static const char* const       all[]   = {"order-n", "augmented", "dense", "reduction", "regularized"};
    const cardan_parameter_setting setting = {.name = "beside", .value = "1e-6"};
    double                         first   = 0;
    char                           text[2048];
    with_bob(sizeof text, text, "[=0.6+beside, 1.2, 0]");
    for (size_t f = 0; f < sizeof all / sizeof *all; ++f) {
        scene  s;
        double a[64], q[64], v[64], rate[64] = {0};
        if (scene_text(&s, text, all[f], 1, &setting)) {
            CHECK(cardan_accelerate(s.data, a, NULL, &s.report) == CARDAN_OK);
            cardan_joint_motions(s.data, a, q, v, rate);
            const double turn = rate[s.m.joint_range[scene_joint(&s, "P")].v];
            if (f == 0) first = turn;
            CHECK(fabs(first) > 1e5);
            CHECK_NEAR(turn / first, 1, 1e-9);
        }
        scene_close(&s);
    }
}

int main(void)
{
    RUN(test_pin());
    RUN(test_micrometre());
    RUN(test_loose());
    return test_end();
}
