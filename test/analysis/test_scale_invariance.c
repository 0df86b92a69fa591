// SPDX-License-Identifier: BSD-3-Clause
// Modes and equilibria do not depend on units and magnitudes of states nor on ratios of stiffness: closed forms over
// many decades.
#include "analysis/linear/spectrum.h"
#include "analysis_models.h"

#include <float.h>
#include <math.h>

static const double g = 9.81;

static cardan_modes* modes_of(scene* s)
{
    cardan_modes* modes = NULL;
    const bool    good  = cardan_modes_create(s->data, &modes, &s->report) == CARDAN_OK;
    if (!good) scene_tell(s);
    CHECK(good);
    return modes;
}

static int count_neutral(const cardan_modes* modes)
{
    int count = 0;
    for (int i = 0; i < modes->count; ++i) count += modes->mode[i].kind == CARDAN_MODE_NEUTRAL;
    return count;
}

static cardan_parameter_setting setting(char* text, size_t size, const char* name, double value)
{
    snprintf(text, size, "%.17g", value);
    return (cardan_parameter_setting){.name = name, .value = text};
}

// ---- spectrum

static bool spectrum_of(int n, const double* A, cd_spectrum* s)
{
    double E[400];
    for (int i = 0; i < n * n; ++i) E[i] = 3e-14 * fabs(A[i]);
    return cd_spectrum_find(n, A, E, s);
}

// Free masses, two of them connected by a spring, and a filter state: the same spectrum in any units of the states.
static void test_units(void)
{
    enum { N = 7 };
    for (int trial = 0; trial < 40; ++trial) {
        double A[N * N] = {0}, unit[N];
        A[0 + 3 * N] = A[1 + 4 * N] = A[2 + 5 * N] = 1;
        A[3 + 0 * N] = A[4 + 1 * N] = -1e4;
        A[3 + 1 * N] = A[4 + 0 * N] = 1e4;
        A[6 + 6 * N]                = -5;
        A[6 + 2 * N]                = 1000;
        for (int i = 0; i < N; ++i) unit[i] = pow(10, 12 * sin(1 + 3.1 * i + 7.7 * trial));
        for (int j = 0; j < N; ++j)
            for (int i = 0; i < N; ++i) A[i + j * N] *= unit[i] / unit[j];
        cd_spectrum s;
        CHECK(spectrum_of(N, A, &s));
        CHECK(s.nneutral == 2 && s.nzero == 4 && s.count == 2);
        for (int i = 0; i < s.count; ++i) {
            const bool pair = s.imaginary[i] > 0;
            CHECK(fabs(s.real[i] - (pair ? 0 : -5)) < 1e-10);
            CHECK_NEAR(s.imaginary[i], pair ? sqrt(2e4) : 0, 1e-12);
        }
        cd_spectrum_release(&s);
    }
}

// A chain of integrators is one Jordan block of any length.
static void test_integrators(void)
{
    enum { N = 15 };
    double A[N * N] = {0};
    for (int i = 0; i + 1 < N; ++i) A[i + (i + 1) * N] = pow(10, i % 7 - 3);
    cd_spectrum s;
    CHECK(spectrum_of(N, A, &s));
    CHECK(s.nneutral == 1 && s.nzero == N && s.count == 0);
    cd_spectrum_release(&s);
}

// ---- ratios of stiffness

// Two uncoupled masses on springs.
static void test_uncoupled(void)
{
    static const char text[] =
        "cardan: 1\ngravity: [0, 0, 0]\nparameters: {k: 1}\nbodies: {a: {mass: 0.001}, b: {mass: 100, at: [1, 0, 0]}}\n"
        "joints:\n"
        "  a: {prismatic: [ground, a], at: [0, 0, 0], axis: x, spring: =k}\n"
        "  b: {prismatic: [ground, b], at: [1, 0, 0], axis: x, spring: 100, damping: 20}\n";
    for (double k = 1e-12; k < 1e19; k *= 10) {
        char                           value[40];
        const cardan_parameter_setting set = setting(value, sizeof value, "k", k);
        scene                          s;
        cardan_modes*                  modes;
        cardan_equilibrium             equilibrium;
        if (scene_text(&s, text, "order-n", 1, &set) && (modes = modes_of(&s))) {
            const double fast = sqrt(k / 0.001);
            const int    soft = fast > 1 ? 0 : 1;
            CHECK(modes->count == 2 && modes->nunstable == 0 && count_neutral(modes) == 0);
            CHECK_NEAR(modes->mode[soft].real, -0.1, 1e-9);
            CHECK_NEAR(modes->mode[soft].imaginary, sqrt(0.99), 1e-9);
            CHECK_NEAR(modes->mode[1 - soft].imaginary, fast, 1e-9);
            cardan_modes_destroy(modes);
            CHECK(cardan_equilibrium_solve(s.data, NULL, NULL, NULL, &equilibrium, &s.report) == CARDAN_OK);
            CHECK(equilibrium.stability == CARDAN_STABLE && equilibrium.nneutral == 0);
        }
        scene_close(&s);
    }
}

// Lower frequency of two masses M, m connected by k, M connected to ground by c:
// M m x^2 - ((c + k) m + k M) x + c k = 0 for its square x.
static double slow_root(double M, double m, double c, double k)
{
    const double b = (c + k) * m + k * M;
    return sqrt(2 * c * k / (b + sqrt(b * b - 4 * M * m * c * k)));
}

// Sensor of 5 g on a bushing of stiffness k, on a body of 1000 kg whose soft springs leave x, y and rotation about z
// free.
static void test_sensor(const char* formulation, bool far)
{
    char text[1600];
    snprintf(text, sizeof text,
             "cardan: 1\ngravity: [0, 0, 0]\nparameters: {k: 1}\n"
             "bodies:\n"
             "  body: {mass: 1000, at: [0, 0, 1], inertia: [300, 900, 1000]}\n"
             "  sensor: {mass: 0.005, at: [0, 0, 1], inertia: [1e-6, 1e-6, 1e-6]}\n"
             "joints: {body: {free: [ground, body]}, sensor: {free: [%s, sensor]}}\n"
             "forces:\n"
             "  soft: {bushing: [body, {on: ground, at: [0, 0, 1]}], stiffness: [0, 0, 4e4, 3e4, 5e4, 0]}\n"
             "  mount: {bushing: [sensor, body], stiffness: [=k, =k, =k, 10, 10, 10]}\n",
             far ? "body" : "ground");
    for (double k = 1; k < 2e11; k *= 10) {
        char                           value[40];
        const cardan_parameter_setting set = setting(value, sizeof value, "k", k);
        scene                          s;
        cardan_modes*                  modes;
        cardan_equilibrium             equilibrium;
        if (scene_text(&s, text, formulation, 1, &set) && (modes = modes_of(&s))) {
            const double heave = slow_root(1000, 0.005, 4e4, k), roll = slow_root(300, 1e-6, 3e4, 10),
                         pitch = slow_root(900, 1e-6, 5e4, 10);
            CHECK(count_neutral(modes) == 3 && modes->count == 12 && modes->nunstable == 0);
            double smallest[3] = {1e9, 1e9, 1e9};
            for (int i = 3; i < modes->count; ++i) {
                smallest[0] = fmin(smallest[0], fabs(modes->mode[i].imaginary / heave - 1));
                smallest[1] = fmin(smallest[1], fabs(modes->mode[i].imaginary / roll - 1));
                smallest[2] = fmin(smallest[2], fabs(modes->mode[i].imaginary / pitch - 1));
            }
            // heave: the rounding of k/m in the squares of the frequencies, reduced by the scaling of the pencil
            CHECK(smallest[0] < 1e-9 + 0.01 * DBL_EPSILON * k / 0.005 / (heave * heave));
            CHECK(smallest[1] < 1e-9 && smallest[2] < 1e-9);
            cardan_modes_destroy(modes);
            CHECK(cardan_equilibrium_solve(s.data, NULL, NULL, NULL, &equilibrium, &s.report) == CARDAN_OK);
            CHECK(equilibrium.stability == CARDAN_NEUTRAL && equilibrium.nneutral == 3);
        }
        scene_close(&s);
    }
}

static void test_sensors(void)
{
    static const char* const formulation[] = {"order-n", "dense", "augmented"};
    for (int f = 0; f < 3; ++f)
        for (int far = 0; far < 2; ++far) test_sensor(formulation[f], far);
}

// ---- states

// Filter with input from a body and without effect on it, any gain and time constant: the modes of the body do not
// change.
static void test_filter(void)
{
    static const char text[] = "cardan: 1\nparameters: {gain: 1, tau: 1}\n"
                               "bodies: {b: {rod: [[0, 0, 0], [0, 0, 1]], mass: 1}}\n"
                               "joints: {b: {revolute: [ground, b], at: [0, 0, 0], axis: y, damping: 0.1}}\n"
                               "states: {counts: {rate: =(gain*q(b) - counts)/tau}}\n";
    const double      root = sqrt(0.01 + 4 * 0.5 * g / 3), grows = 1.5 * (root - 0.1), decays = -1.5 * (root + 0.1);
    for (double gain = 1e-9; gain < 2e12; gain *= 1000)
        for (double tau = 1e-9; tau < 2e3; tau *= 10) {
            char                             value[2][40];
            const cardan_parameter_setting   set[2]  = {setting(value[0], sizeof *value, "gain", gain),
                                                        setting(value[1], sizeof *value, "tau", tau)};
            const cardan_equilibrium_options nearest = {.nearest = true};
            scene                            s;
            cardan_modes*                    modes;
            cardan_equilibrium               equilibrium;
            if (scene_text(&s, text, "order-n", 2, set) && (modes = modes_of(&s))) {
                double smallest[3] = {1e9, 1e9, 1e9};
                CHECK(modes->count == 3 && modes->nunstable == 1 && count_neutral(modes) == 0);
                for (int i = 0; i < modes->count; ++i) {
                    smallest[0] = fmin(smallest[0], fabs(modes->mode[i].real / grows - 1));
                    smallest[1] = fmin(smallest[1], fabs(modes->mode[i].real / decays - 1));
                    smallest[2] = fmin(smallest[2], fabs(modes->mode[i].real * tau + 1));
                }
                CHECK(smallest[0] < 1e-9 && smallest[1] < 1e-9 && smallest[2] < 1e-9);
                cardan_modes_destroy(modes);
                CHECK(cardan_equilibrium_solve(s.data, &nearest, NULL, NULL, &equilibrium, &s.report) == CARDAN_OK);
                CHECK(equilibrium.stability == CARDAN_UNSTABLE && equilibrium.nunstable == 1);
            }
            scene_close(&s);
        }
}

// Hydraulic load, pressure in any unit: (x^2 + k/m) (x + c) + A^2 B/(V m) x = 0; the equilibrium follows from the
// pressure at which inflow and leakage balance.
static void test_pressure(void)
{
    static const char text[] =
        "cardan: 1\nparameters: {u: 1}\nbodies: {load: {mass: 500}}\n"
        "joints: {lift: {prismatic: [ground, load], at: [0, 0, 0], axis: z, spring: 8000}}\n"
        "states: {p: {start: =8e6/u, rate: =1.2e12*(2e-11*(1.5e7 - p*u) - 2e-3*v(lift) - 6e-12*p*u)/u}}\n"
        "forces: {oil: {actuator: lift, effort: =p*u*2e-3}}\n";
    for (double u = 1e-9; u < 2e12; u *= 10) {
        char                           value[40];
        const cardan_parameter_setting set = setting(value, sizeof value, "u", u);
        scene                          s;
        cardan_modes*                  modes;
        cardan_equilibrium             equilibrium;
        double                         q[7], p;
        if (scene_text(&s, text, "order-n", 1, &set)) {
            const double pressure = 1.5e7 / 1.3;
            CHECK(cardan_equilibrium_solve(s.data, NULL, q, &p, &equilibrium, &s.report) == CARDAN_OK);
            CHECK(equilibrium.stability == CARDAN_STABLE && equilibrium.iterations < 20);
            CHECK_NEAR(p * u, pressure, 1e-9);
            CHECK_NEAR(q[0], (pressure * 2e-3 - 500 * g) / 8000, 1e-9);
            if ((modes = modes_of(&s))) {
                CHECK(modes->count == 2 && modes->nunstable == 0);
                for (int i = 0; i < modes->count; ++i) {
                    const double a = modes->mode[i].real, b = modes->mode[i].imaginary, w = 8000 / 500., c = 31.2,
                                 d = 4e-6 * 1.2e12 / 500;
                    // x^3 + c x^2 + (w + d) x + w c
                    const double re = a * a * a - 3 * a * b * b + c * (a * a - b * b) + (w + d) * a + w * c,
                                 im = 3 * a * a * b - b * b * b + 2 * c * a * b + (w + d) * b;
                    CHECK(hypot(re, im) < 1e-10 * (pow(hypot(a, b), 3) + w * c));
                }
                cardan_modes_destroy(modes);
            }
        }
        scene_close(&s);
    }
}

// ---- neutral equilibria

// Arm balanced in every position by a spring of zero free length.
static void test_counterbalance(void)
{
    static const char text[] =
        "cardan: 1\nparameters: {m: 1, angle: 0.3}\n"
        "bodies: {arm: {mass: =m, at: [0.7, 0, 0], inertia: [=0.01*m, =0.01*m, =0.01*m]}}\n"
        "joints: {hinge: {revolute: [ground, arm], at: [0, 0, 0], axis: y, start: {q: =angle}}}\n"
        "forces: {coil: {spring: [{on: ground, at: [0, 0, 0.9]}, {on: arm, at: [0.4, 0, 0]}], length: 0, "
        "stiffness: =m*9.81*0.7/(0.9*0.4)}}\n";
    for (double m = 1e-6; m < 2e6; m *= 10)
        for (double angle = -1.2; angle < 1.3; angle += 0.3) {
            char                           value[2][40];
            const cardan_parameter_setting set[2] = {setting(value[0], sizeof *value, "m", m),
                                                     setting(value[1], sizeof *value, "angle", angle)};
            scene                          s;
            cardan_modes*                  modes;
            cardan_equilibrium             equilibrium;
            if (scene_text(&s, text, "order-n", 2, set) && (modes = modes_of(&s))) {
                CHECK(count_neutral(modes) == 1 && modes->count == 1);
                cardan_modes_destroy(modes);
                CHECK(cardan_equilibrium_solve(s.data, NULL, NULL, NULL, &equilibrium, &s.report) == CARDAN_OK);
                CHECK(equilibrium.stability == CARDAN_NEUTRAL && equilibrium.nneutral == 1 &&
                      equilibrium.iterations == 0);
            }
            scene_close(&s);
        }
}

// Two rotated bodies far from the origin, connected by a bushing of any stiffness: six neutral motions.
static void test_free_pair(void)
{
    for (int chained = 0; chained < 2; ++chained)
        for (double k = 1e-3; k < 2e12; k *= 10) {
            char text[1200];
            snprintf(text, sizeof text,
                     "cardan: 1\ngravity: [0, 0, 0]\n"
                     "bodies:\n"
                     "  a: {mass: 3, at: [30, -20, 11], orientation: {axis: [1, 2, 3], angle: 0.7}, inertia: [1, 2, "
                     "2.5]}\n"
                     "  b: {mass: 0.4, at: [31, -20.3, 11.7], inertia: [0.1, 0.2, 0.15]}\n"
                     "joints: {a: {free: [ground, a]}, b: {free: [%s, b]}}\n"
                     "forces: {tie: {bushing: [{on: a, at: [30.7, -20.1, 11.2]}, {on: b, at: [30.7, -20.1, 11.2]}], "
                     "stiffness: [%g, %g, %g, %g, %g, %g]}}\n",
                     chained ? "a" : "ground", k, 2 * k, 3 * k, k, k, 0.5 * k);
            scene              s;
            cardan_modes*      modes;
            cardan_equilibrium equilibrium;
            if (scene_text(&s, text, "order-n", 0, NULL) && (modes = modes_of(&s))) {
                CHECK(count_neutral(modes) == 6 && modes->count == 12 && modes->nunstable == 0);
                cardan_modes_destroy(modes);
                CHECK(cardan_equilibrium_solve(s.data, NULL, NULL, NULL, &equilibrium, &s.report) == CARDAN_OK);
                CHECK(equilibrium.stability == CARDAN_NEUTRAL && equilibrium.nneutral == 6 &&
                      equilibrium.nunstable == 0);
            }
            scene_close(&s);
        }
}

int main(void)
{
    RUN(test_units());
    RUN(test_integrators());
    RUN(test_uncoupled());
    RUN(test_sensors());
    RUN(test_filter());
    RUN(test_pressure());
    RUN(test_counterbalance());
    RUN(test_free_pair());
    return test_end();
}
