// SPDX-License-Identifier: BSD-3-Clause
// Point mass on a hinge axis or at a small offset from it: the rotation of its body has no inertia but is determined by
// the loop, so the mechanism has one degree of freedom and is regular. Reference: Lagrange's equation of the four-bar.
#include "analysis_models.h"

#include <math.h>

static const char* const formulations[] = {"dense",   "augmented", "augmented-last", "augmented-dense",
                                           "order-n", "lagrange",  "reduction",      "embedding"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

static const char four_bar[] = "cardan: 1\n"
                               "name: pin\n"
                               "gravity: [0, -9.81, 0]\n"
                               "parameters: {offset: 0}\n"
                               "points: {B: [0.2, 0.5, 0], E: [0.6, 1.2, 0], F: [-0.3, 1.4, 0], G: [-0.6, 0.4, 0]}\n"
                               "bodies:\n"
                               "  fg: {rod: [F, G]}\n"
                               "  ef: {at: [=-0.3+offset, 1.4, 0], mass: 3}\n"
                               "  be: {rod: [B, E], mass: 1}\n"
                               "joints:\n"
                               "  G: {revolute: [ground, fg], at: G, axis: z}\n"
                               "  F: {revolute: [ef, fg], at: F, axis: z}\n"
                               "  E: {revolute: [be, ef], at: E, axis: z}\n"
                               "  B: {revolute: [ground, be], at: B, axis: z, start: {v: 1}}\n";

// Angle of FG after a rotation of BE by x: F is an intersection of the circles about E and G.
static double angle(double x)
{
    const double e[2] = {0.2 + 0.4 * cos(x) - 0.7 * sin(x), 0.5 + 0.4 * sin(x) + 0.7 * cos(x)};
    const double ef2 = 0.9 * 0.9 + 0.2 * 0.2, gf2 = 0.3 * 0.3 + 1;
    const double d[2] = {e[0] + 0.6, e[1] - 0.4}, d2 = d[0] * d[0] + d[1] * d[1];
    const double along = (gf2 - ef2 + d2) / (2 * d2), across = sqrt(gf2 / d2 - along * along);
    return atan2(along * d[1] + across * d[0], along * d[0] - across * d[1]);
}

// (I + J k^2) a + J k k' w^2 = Q, with k = d angle / dx, k' = dk; I of the rod about B, J of the mass about G.
static double acceleration(void)
{
    const double h = 1e-4, I = (0.4 * 0.4 + 0.7 * 0.7) / 3, J = 3 * (0.3 * 0.3 + 1);
    const double k = (angle(h) - angle(-h)) / (2 * h), dk = (angle(h) - 2 * angle(0) + angle(-h)) / (h * h);
    const double Q = -9.81 * (0.2 + 3 * 0.3 * k);
    return (Q - J * k * dk) / (I + J * k * k);
}

static void test_pin(void)
{
    static const char* const offset[] = {"0", "1e-12", "1e-10", "1e-9", "1e-8", "1e-7", "1e-6"};
    CHECK_NEAR(acceleration(), -4.42111, 2e-5);
    for (size_t i = 0; i < sizeof offset / sizeof *offset; ++i)
        for (int f = 0; f < FORMULATIONS; ++f) {
            scene                          s;
            double                         a[64];
            const cardan_parameter_setting setting = {.name = "offset", .value = offset[i]};
            if (scene_text(&s, four_bar, formulations[f], 1, &setting)) {
                const bool good = cardan_data_accelerate(s.data, a, NULL, &s.report) == CARDAN_OK;
                if (!good) printf("%s, %s m from the hinge axis\n", formulations[f], offset[i]), scene_tell(&s);
                CHECK(good);
                if (good) {
                    double q[64], v[64], rate[64];
                    cardan_data_joint_motions(s.data, a, q, v, rate);
                    CHECK_NEAR(rate[s.m.joint_range[scene_joint(&s, "B")].v], acceleration(),
                               1e-6 + 3 * atof(offset[i]));
                }
            }
            scene_close(&s);
        }
}

// The four-bar with a point mass `bob` at `place`, hinged to BE at E.
static void with_bob(size_t size, char* text, const char* place)
{
    char joints[1024];
    snprintf(text, size, "%s  P: {revolute: [be, bob], at: E, axis: z}\n", four_bar);
    char* bodies = strstr(text, "joints:\n");
    snprintf(joints, sizeof joints, "%s", bodies);
    snprintf(bodies, size - (size_t)(bodies - text), "  bob: {at: %s, mass: 2}\n%s", place, joints);
}

// A rotation outside the loop without inertia is undetermined: round-off is not accepted as inertia.
static void test_undetermined(void)
{
    static const char* const formulation[] = {"dense", "augmented", "augmented-last", "augmented-dense", "order-n"};
    char                     text[2048];
    with_bob(sizeof text, text, "E");
    for (size_t f = 0; f < sizeof formulation / sizeof *formulation; ++f) {
        scene  s;
        double a[64];
        if (scene_text(&s, text, formulation[f], 0, NULL)) {
            CHECK(cardan_data_accelerate(s.data, a, NULL, &s.report) == CARDAN_SINGULAR);
            if (s.report.count > 0) CHECK_HAS(s.report.message[s.report.count - 1].text, "'P'");
        }
        scene_close(&s);
    }
}

// An offset of one micrometre gives an inertia, although it is 1e-12 of the terms whose difference it is.
static void test_micrometre(void)
{
    static const char* const       formulation_name[] = {"order-n", "augmented", "dense", "reduction", "regularized"};
    const cardan_parameter_setting setting            = {.name = "offset", .value = "1e-6"};
    double                         first              = 0;
    char                           text[2048];
    with_bob(sizeof text, text, "[=0.6+offset, 1.2, 0]");
    for (size_t f = 0; f < sizeof formulation_name / sizeof *formulation_name; ++f) {
        scene  s;
        double a[64], q[64], v[64], rate[64] = {0};
        if (scene_text(&s, text, formulation_name[f], 1, &setting)) {
            CHECK(cardan_data_accelerate(s.data, a, NULL, &s.report) == CARDAN_OK);
            cardan_data_joint_motions(s.data, a, q, v, rate);
            const double acceleration_of_p = rate[s.m.joint_range[scene_joint(&s, "P")].v];
            if (f == 0) first = acceleration_of_p;
            CHECK(fabs(first) > 1e5);
            CHECK_NEAR(acceleration_of_p / first, 1, 1e-9);
        }
        scene_close(&s);
    }
}

int main(void)
{
    RUN(test_pin());
    RUN(test_micrometre());
    RUN(test_undetermined());
    return test_end();
}
