// SPDX-License-Identifier: BSD-3-Clause
// Efforts of the rotation drivers of a lock whose other rotations are driven, locked or free: their power with that of
// the translations is the rate of the energy; they equal those of a chain of hinges with the same motion and the torque
// about the axis of their driver; two redundant locks share it.
#include "analysis_models.h"

static const char* const formulations[] = {"dense", "lagrange", "augmented", "order-n", "reduction", "embedding"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations, SAMPLES = 41, MAX_DRIVERS = 8 };

typedef struct recording {
    int    n;
    double t[SAMPLES], energy[SAMPLES], effort[SAMPLES][MAX_DRIVERS], power[SAMPLES], reported_power[SAMPLES];
    bool   unique[SAMPLES][MAX_DRIVERS];
    double (*rate)(int index, double t); // rates of the drivers, in their order
    int                index[MAX_DRIVERS];
    cardan_run_summary summary;
} recording;

static bool keep(void* user, cardan_data* data, const cardan_sample* sample)
{
    recording* f = user;
    const int  n = f->n++;
    f->t[n]      = sample->t;
    CHECK(cardan_data_driver_count(data) <= MAX_DRIVERS);
    cardan_data_driver_efforts(data, sample->a, f->effort[n], f->unique[n]);
    f->energy[n]         = sample->energy.kinetic + sample->energy.potential;
    f->reported_power[n] = sample->energy.power;
    f->power[n]          = 0;
    for (int i = 0; f->rate && i < cardan_data_driver_count(data); ++i)
        f->power[n] += f->effort[n][i] * f->rate(f->index[i], sample->t);
    return f->n < SAMPLES;
}

static bool simulate(const char* text, const char* formulation, bool driven, recording* f)
{
    scene               s;
    cardan_run_settings run = cardan_run_default();
    run.end                 = 0.8;
    run.output_interval     = 0.02;
    run.sample_callback     = keep;
    run.user                = f;
    run.tolerance           = 1e-11;
    f->n                    = 0;
    const bool ready        = scene_text(&s, text, formulation, 0, NULL);
    const bool good         = ready && (driven ? cardan_kinematic_analysis(s.data, &run, &f->summary, &s.report)
                                               : cardan_simulate(s.data, &run, &f->summary, &s.report)) == CARDAN_OK;
    if (ready && !good) scene_tell(&s);
    CHECK(good || f->n == SAMPLES);
    scene_close(&s);
    return f->n == SAMPLES;
}

// dE/dt at sample k, order six.
static double slope(const recording* f, int k)
{
    const double h = f->t[k + 1] - f->t[k], *E = f->energy + k;
    return ((E[3] - E[-3]) / 60 - 3 * (E[2] - E[-2]) / 20 + 3 * (E[1] - E[-1]) / 4) / h;
}

static void check_power(const recording* f)
{
    for (int k = 3; k < SAMPLES - 4; ++k) {
        CHECK_NEAR(f->power[k], slope(f, k), 1e-6);
        CHECK_NEAR(f->reported_power[k], f->power[k], 1e-7);
    }
}

// ---- all combinations of rotations

static double rate_of(int index, double t)
{
    switch (index) {
    case 0:
        return 0.4 + 0.6 * t;
    case 1:
        return 0.65 * cos(1.3 * t);
    case 2:
        return 0.3 - 0.6 * t * t;
    default:
        return 0.2 * cos(2 * t);
    }
}

static const char* const driver_functions[3] = {"=0.4*t+0.3*t^2", "=0.5*sin(1.3*t)", "=0.3*t-0.2*t^3"};

// A body on a moving one, its translation along y driven. kind: of each rotation, 0 locked, 1 driven, 2 free.
static void test_power(void)
{
    static recording f;
    for (int mask = 0; mask < 27; ++mask) {
        const int kind[3] = {mask % 3, mask / 3 % 3, mask / 9};
        char      text[1500], rotations[200] = "";
        int       n  = 0;
        f            = (recording){.rate = rate_of};
        f.index[n++] = 3;
        for (int i = 0; i < 3; ++i) {
            if (kind[i] == 1) f.index[n++] = i;
            if (kind[i] != 0)
                snprintf(rotations + strlen(rotations), sizeof rotations - strlen(rotations), ", r%c: %s", 'x' + i,
                         kind[i] == 1 ? driver_functions[i] : "free");
        }
        snprintf(text, sizeof text,
                 "cardan: 1\nname: shoulder\ngravity: [0, -1, -2]\nbodies:\n"
                 "  base: {at: [0, 0, 0], mass: 3, inertia: [0.4, 0.5, 0.6]}\n"
                 "  arm: {at: [0.6, 0.1, 0.2], mass: 2, inertia: [0.3, 0.2, 0.15]}\n"
                 "joints:\n  h: {revolute: [ground, base], at: [0, 0.3, 0], axis: [1, 2, 3], start: {v: 0.5}}\n"
                 "  f: {free: [ground, arm], start: {v: [0, 0, 0, 0.7, 1.1, -0.9], guess: true}}\n"
                 "constraints:\n  L: {lock: [{on: arm, at: [0.5, 0, 0]}, {on: base, at: [0.5, 0, 0]}], "
                 "y: \"=0.1*sin(2*t)\"%s}\n",
                 rotations);
        for (int k = 0; k < FORMULATIONS; ++k) {
            if (!simulate(text, formulations[k], false, &f)) continue;
            check_power(&f);
            CHECK(f.summary.energy_error < 1e-8);
            for (int i = 0; i < n; ++i) CHECK(f.unique[SAMPLES - 1][i]);
        }
        if (test_broken) printf("    at or before%s\n", rotations);
    }
}

// ---- chains of hinges

// The driven rotations in their order, then the free one: hinges between massless bodies.
static void test_chain(void)
{
    static recording lock, chain;
    for (int mask = 0; mask < 27; ++mask) {
        const int kind[3] = {mask % 3, mask / 3 % 3, mask / 9};
        char      text[2][1500], rotations[200] = "", bodies[200] = "", hinges[600] = "", last[10] = "ground";
        int       free = -1, nfree = 0, n = 0;
        for (int i = 0; i < 3; ++i) {
            if (kind[i] == 2) free = i, ++nfree;
            if (kind[i] != 0)
                snprintf(rotations + strlen(rotations), sizeof rotations - strlen(rotations), ", r%c: %s", 'x' + i,
                         kind[i] == 1 ? driver_functions[i] : "free");
            if (kind[i] != 1) continue;
            snprintf(bodies + strlen(bodies), sizeof bodies - strlen(bodies), "  b%d: {at: [0, 0, 0]}\n", n);
            snprintf(hinges + strlen(hinges), sizeof hinges - strlen(hinges),
                     "  h%d: {revolute: [%s, b%d], at: [0, 0, 0], axis: %c, driver: %s}\n", n, last, n, 'x' + i,
                     driver_functions[i]);
            snprintf(last, sizeof last, "b%d", n++);
        }
        if (nfree != 1 || n == 0) continue;
        snprintf(text[0], sizeof text[0],
                 "cardan: 1\ngravity: [0, 0, 0]\nbodies:\n  gyro: {mass: 2, inertia: [0.3, 0.2, 0.15]}\n"
                 "joints:\n  g: {free: [ground, gyro], start: {v: [0, 0, 0, 1, 1, 1], guess: true}}\n"
                 "constraints:\n  L: {lock: [gyro, ground]%s}\n",
                 rotations);
        snprintf(text[1], sizeof text[1],
                 "cardan: 1\ngravity: [0, 0, 0]\nbodies:\n%s  gyro: {mass: 2, inertia: [0.3, 0.2, 0.15]}\njoints:\n%s"
                 "  f: {revolute: [%s, gyro], at: [0, 0, 0], axis: %c, start: {v: 1}}\n",
                 bodies, hinges, last, 'x' + free);
        if (!simulate(text[1], "dense", false, &chain)) continue;
        for (int f = 0; f < FORMULATIONS; ++f) {
            if (!simulate(text[0], formulations[f], false, &lock)) continue;
            for (int k = 0; k < SAMPLES; ++k)
                for (int i = 0; i < n; ++i) CHECK_NEAR(lock.effort[k][i], chain.effort[k][i], 1e-7);
        }
        if (test_broken) printf("    at or before%s\n", rotations);
    }
}

// ---- no degree of freedom

static double rate_of_arm(int index, double t) { return index == 0 ? t : 0.4; }

#define ARM(more)                                                                                                      \
    "cardan: 1\nname: arm\nbodies:\n  arm: {at: [0.3, 0, 0], mass: 2, inertia: [0.3, 0.2, 0.15]}\nconstraints:\n"      \
    "  L: {lock: [{on: arm, at: [0, 0, 0]}, ground], rx: \"=0.5*t^2\", ry: free}\n" more                               \
    "  leg: {distance: [{on: arm, at: [0.6, 0, 0]}, {on: ground, at: [0.2, 0, 1]}], law: \"=sqrt(1.16)+0.4*t\"}\n"

// A pin between a driven shaft and a leg of driven length: kinematic analysis. A second lock on the same pin takes half
// of its torque; both are reported as not unique, the effort of the leg as unique.
static void test_kinematics(void)
{
    static recording one, two;
    for (int f = 0; f < FORMULATIONS; ++f) {
        one = (recording){.rate = rate_of_arm, .index = {0, 1}};
        two = (recording){.rate = rate_of_arm, .index = {0, 0, 1}};
        if (!simulate(ARM(""), formulations[f], true, &one)) continue;
        check_power(&one);
        if (!simulate(ARM("  M: {lock: [{on: arm, at: [0, 0, 0]}, ground], rx: \"=0.5*t^2\", ry: free}\n"),
                      formulations[f], true, &two))
            continue;
        check_power(&two);
        for (int k = 0; k < SAMPLES; ++k) {
            for (int i = 0; i < 2; ++i) CHECK(one.unique[k][i] && !two.unique[k][i]);
            for (int i = 0; i < 2; ++i) CHECK_NEAR(two.effort[k][i], one.effort[k][0] / 2, 1e-8);
            CHECK(two.unique[k][2]);
            CHECK_NEAR(two.effort[k][2], one.effort[k][1], 1e-8);
        }
    }
}

int main(void)
{
    RUN(test_power());
    RUN(test_chain());
    RUN(test_kinematics());
    return test_end();
}
