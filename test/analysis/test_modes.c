// SPDX-License-Identifier: BSD-3-Clause
// Modes against closed forms, second derivatives of energies and simulations, in tree and maximal coordinates.
#include "analysis/linear/spectrum.h"
#include "analysis_models.h"

#include <math.h>

static const double g = 9.81, pi = 3.14159265358979323846;

static cardan_modes* modes_of(scene* s)
{
    cardan_modes* modes = NULL;
    const bool    good  = cardan_modes_create(s->data, &modes, &s->report) == CARDAN_OK;
    if (!good) scene_tell(s);
    CHECK(good);
    return modes;
}

static cardan_modes* modes_at_equilibrium(scene* s)
{
    CHECK(cardan_equilibrium_solve(s->data, NULL, NULL, NULL, NULL, &s->report) == CARDAN_OK);
    return modes_of(s);
}

// ---- spectrum

static bool spectrum_of(int n, const double* A, cd_spectrum* s)
{
    double E[100];
    for (int i = 0; i < n * n; ++i) E[i] = 1e-13 * fabs(A[i]);
    return cd_spectrum_find(n, A, E, s);
}

// Three free masses, two of them connected by a spring, and a state: Jordan blocks of zero, a complex pair and a real
// eigenvalue.
static void test_zero_blocks(void)
{
    enum { N = 7 };
    double A[N * N] = {0};
    A[0 + 3 * N] = A[1 + 4 * N] = A[2 + 5 * N] = 1; // x' = v
    A[3 + 0 * N] = A[4 + 1 * N] = -1e4;             // a spring between 0 and 1
    A[3 + 1 * N] = A[4 + 0 * N] = 1e4;
    A[6 + 6 * N]                = -5; // an uncoupled state
    cd_spectrum s;
    CHECK(spectrum_of(N, A, &s));
    CHECK(s.nneutral == 2 && s.nzero == 4 && s.count == 2);
    for (int i = 0; i < s.count; ++i) {
        const bool pair = s.imaginary[i] > 0;
        CHECK_NEAR(s.real[i], pair ? 0 : -5, 1e-9);
        CHECK_NEAR(s.imaginary[i], pair ? sqrt(2e4) : 0, 1e-12);
        for (int r = 0; r < N; ++r) { // A y = lambda y
            double re = 0, im = 0;
            for (int c = 0; c < N; ++c)
                re += A[c * N + r] * s.vector_real[i * N + c], im += A[c * N + r] * s.vector_imaginary[i * N + c];
            CHECK_NEAR(re, s.real[i] * s.vector_real[i * N + r] - s.imaginary[i] * s.vector_imaginary[i * N + r], 1e-8);
            CHECK_NEAR(im, s.real[i] * s.vector_imaginary[i * N + r] + s.imaginary[i] * s.vector_real[i * N + r], 1e-8);
        }
    }
    cd_spectrum_release(&s);
}

// Eigenvectors after deflation of two levels satisfy A y = lambda y.
static void test_deflated_eigenvectors(void)
{
    enum { N = 4 };
    const double A[N * N] = {0, 0, 0,  0, 1, 0, 0, 0,
                             3, 2, -1, 0, 1, 1, 4, -7}; // by columns: upper triangular, zero twice in a block
    cd_spectrum  s;
    CHECK(spectrum_of(N, A, &s));
    CHECK(s.nneutral == 1 && s.nzero == 2 && s.count == 2);
    for (int i = 0; i < s.count; ++i)
        for (int r = 0; r < N; ++r) {
            double sum = 0;
            for (int c = 0; c < N; ++c) sum += A[c * N + r] * s.vector_real[i * N + c];
            CHECK_NEAR(sum, s.real[i] * s.vector_real[i * N + r], 1e-12);
        }
    cd_spectrum_release(&s);
}

// ---- closed forms

static void test_oscillator(void)
{
    scene                          s;
    const cardan_parameter_setting light[] = {{"q", "0"}, {"c", "2"}}, heavy[] = {{"q", "0"}, {"c", "60"}},
                                   up[] = {{"q", "pi"}, {"c", "0"}};
    const double  I = 3 * 4.0 / 3, k = 3 * g; // m l^2/3, m g l/2
    cardan_modes* modes;
    if (scene_text(&s, scene_pendulum, "order-n", 2, light) && (modes = modes_of(&s))) {
        const double w = sqrt(k / I), zeta = 2 / (2 * I * w);
        CHECK(modes->count == 1 && modes->mode[0].kind == CARDAN_MODE_OSCILLATION && !modes->mode[0].is_unstable);
        CHECK_NEAR(modes->mode[0].natural_frequency, w / (2 * pi), 1e-12);
        CHECK_NEAR(modes->mode[0].damping_ratio, zeta, 1e-12);
        CHECK_NEAR(modes->mode[0].frequency, w * sqrt(1 - zeta * zeta) / (2 * pi), 1e-12);
        CHECK_NEAR(modes->mode[0].time_constant, 1 / (zeta * w), 1e-11);
        CHECK_TEXT(modes->mode[0].description, "bar 100 % along x");
        CHECK_NEAR(modes->mode[0].joint_real[0], 1, 1e-12);
        cardan_modes_destroy(modes);
    }
    scene_close(&s);
    if (scene_text(&s, scene_pendulum, "order-n", 2, heavy) && (modes = modes_of(&s))) {
        const double root = sqrt(60 * 60 - 4 * I * k);
        CHECK(modes->count == 2 && modes->mode[0].kind == CARDAN_MODE_DECAY &&
              modes->mode[1].kind == CARDAN_MODE_DECAY);
        CHECK_NEAR(modes->mode[0].real, (-60 + root) / (2 * I), 1e-12);
        CHECK_NEAR(modes->mode[1].real, (-60 - root) / (2 * I), 1e-12);
        cardan_modes_destroy(modes);
    }
    scene_close(&s);
    if (scene_text(&s, scene_pendulum, "order-n", 2, up) && (modes = modes_of(&s))) {
        CHECK(modes->count == 2 && modes->nunstable == 1);
        CHECK_NEAR(fabs(modes->mode[0].real), sqrt(k / I), 1e-12);
        CHECK_NEAR(modes->mode[0].real + modes->mode[1].real, 0, 1e-12);
        CHECK(modes->mode[0].is_unstable == (modes->mode[0].real > 0));
        cardan_modes_destroy(modes);
    }
    scene_close(&s);
}

// Two rods: det(K - w^2 M) = 0 with M and K in closed form.
static void test_double_pendulum(void)
{
    static const char text[] =
        "cardan: 1\n"
        "bodies: {upper: {rod: [[0, 0, 0], [0, 0, -1]], mass: 2}, lower: {rod: [[0, 0, -1], [0, 0, -1.6]], mass: 3}}\n"
        "joints: {a: {revolute: [ground, upper], at: [0, 0, 0], axis: y, start: {q: 2}}, b: {revolute: [upper, lower], "
        "at: [0, 0, -1], axis: y, start: {q: 1}}}\n";
    // absolute angles: M = [m1 l1^2/3 + m2 l1^2, m2 l1 l2/2; ., m2 l2^2/3], K = diag((m1/2 + m2) g l1, m2 g l2/2)
    const double l1 = 1, l2 = 0.6, m1 = 2, m2 = 3, M11 = m1 * l1 * l1 / 3 + m2 * l1 * l1, M12 = m2 * l1 * l2 / 2,
                 M22 = m2 * l2 * l2 / 3;
    const double K1 = (m1 / 2 + m2) * g * l1, K2 = m2 * g * l2 / 2;
    const double a = M11 * M22 - M12 * M12, b = -(M11 * K2 + M22 * K1), c = K1 * K2, root = sqrt(b * b - 4 * a * c);
    for (int maximal = 0; maximal < 2; ++maximal) {
        scene         s;
        cardan_modes* modes;
        if (scene_text(&s, text, maximal ? "lagrange" : "cholesky", 0, NULL) && (modes = modes_at_equilibrium(&s))) {
            CHECK(modes->count == 2 && modes->nunstable == 0);
            for (int i = 0; i < 2; ++i) {
                const double w2    = (-b + (i ? root : -root)) / (2 * a),
                             shape = (K1 - w2 * M11) / (w2 * M12); // ratio of absolute angles, lower rod to upper rod
                const int     ja = s.m.joint_range[0].v, jb = s.m.joint_range[1].v;
                const double* x = modes->mode[i].joint_real;
                CHECK_NEAR(modes->mode[i].imaginary, sqrt(w2), 1e-11);
                CHECK_NEAR(modes->mode[i].real, 0, 1e-11);
                CHECK_NEAR(x[jb] / x[ja], shape - 1, 1e-10);
            }
            cardan_modes_destroy(modes);
        }
        scene_close(&s);
    }
}

// Chain of N masses and springs with one fixed end; or with free ends, where one mode is neutral.
static void write_chain(char* text, size_t size, int n, bool fixed)
{
    size_t used = (size_t)snprintf(text, size, "cardan: 1\ngravity: [0, 0, 0]\nbodies:\n");
    for (int i = 0; i < n; ++i)
        used += (size_t)snprintf(text + used, size - used, "  m%d: {mass: 0.5, at: [%d, 0, 0]}\n", i, i);
    used += (size_t)snprintf(text + used, size - used, "joints:\n");
    for (int i = 0; i < n; ++i)
        used +=
            (size_t)snprintf(text + used, size - used, "  j%d: {prismatic: [%s%.0d, m%d], at: [%d, 0, 0], axis: x%s}\n",
                             i, i ? "m" : "ground", i ? i - 1 : 0, i, i, i == 0 && !fixed ? "" : ", spring: 800");
    for (char* p = text; (p = strstr(p, "[m,")); ++p)
        memmove(p + 3, p + 2, strlen(p + 2) + 1), p[2] = '0'; // "%.0d" omits zero
}

static void test_chain(void)
{
    enum { N = 12 };
    for (int fixed = 0; fixed < 2; ++fixed) {
        char          text[4096];
        scene         s;
        cardan_modes* modes;
        write_chain(text, sizeof text, N, fixed);
        if (scene_text(&s, text, "order-n", 0, NULL) && (modes = modes_of(&s))) {
            CHECK(modes->count == N);
            CHECK((modes->mode[0].kind == CARDAN_MODE_NEUTRAL) == !fixed);
            for (int i = fixed ? 0 : 1; i < N; ++i) {
                const double angle = fixed ? (2 * i + 1) * pi / (2 * (2 * N + 1)) : i * pi / (2 * N);
                CHECK_NEAR(modes->mode[i].imaginary, 2 * sqrt(800 / 0.5) * sin(angle), 1e-11);
            }
            cardan_modes_destroy(modes);
        }
        scene_close(&s);
    }
}

// Bar on two unequal springs, free along x: heave and pitch are coupled, the motion along x is neutral.
static void test_bar_on_springs(void)
{
    static const char text[] =
        "cardan: 1\ngravity: [0, 0, 0]\n"
        "bodies: {bar: {mass: 6, inertia: [0.1, 2, 2]}}\n"
        "joints: {plane: {planar: [ground, bar], at: [0, 0, 0], axis: -y}}\n"
        "markers: {l: {on: bar, at: [-1, 0, 0]}, r: {on: bar, at: [1.5, 0, 0]}}\n"
        "forces: {fl: {force: [0, 0, =-900*z(l)], on: l}, fr: {force: [0, 0, =-400*z(r)], on: r}}\n";
    // coordinates: z and the angle p about -y; height at x: z + x p
    const double  K11 = 1300, K12 = -900 + 600, K22 = 900 + 2.25 * 400;
    const double  a = 6 * 2, b = -(6 * K22 + 2 * K11), c = K11 * K22 - K12 * K12, root = sqrt(b * b - 4 * a * c);
    scene         s;
    cardan_modes* modes;
    if (scene_text(&s, text, "dense", 0, NULL) && (modes = modes_of(&s))) {
        CHECK(modes->count == 3 && modes->mode[0].kind == CARDAN_MODE_NEUTRAL);
        CHECK_TEXT(modes->mode[0].description, "bar 100 % along x");
        CHECK_NEAR(modes->mode[1].imaginary, sqrt((-b - root) / (2 * a)), 1e-12);
        CHECK_NEAR(modes->mode[2].imaginary, sqrt((-b + root) / (2 * a)), 1e-12);
        cardan_modes_destroy(modes);
    }
    scene_close(&s);
}

// Sleeping top: A z" - i C n z' - m g l z = 0 in inertial axes; unstable for C^2 n^2 < 4 A m g l.
static void test_sleeping_top(void)
{
    static const char text[] = "cardan: 1\nparameters: {n: 100}\n"
                               "bodies: {top: {mass: 2, at: [0, 0, 0.3], inertia: [0.02, 0.02, 0.03]}}\n"
                               "joints: {tip: {spherical: [ground, top], at: [0, 0, 0], start: {v: [0, 0, =n]}}}\n";
    const double      A = 0.02 + 2 * 0.09, C = 0.03, mgl = 2 * g * 0.3, critical = sqrt(4 * A * mgl) / C;
    for (int i = 0; i < 2; ++i) {
        scene                          s;
        cardan_modes*                  modes;
        char                           value[40];
        const double                   n    = critical * (i ? 1.05 : 0.95);
        const cardan_parameter_setting spin = {"n", value};
        snprintf(value, sizeof value, "%.17g", n);
        if (scene_text(&s, text, i ? "dense" : "lagrange", 1, &spin) && (modes = modes_of(&s))) {
            const double square = C * C * n * n - 4 * A * mgl;
            CHECK(modes->count == 3 && modes->mode[0].kind == CARDAN_MODE_NEUTRAL);
            CHECK(modes->nunstable == (i ? 0 : 1));
            for (int k = 1; k < 3; ++k) {
                const double re = i ? 0 : (modes->mode[k].is_unstable ? 1 : -1) * sqrt(-square) / (2 * A);
                const double im = (C * n + (i ? (k == 1 ? -1 : 1) * sqrt(square) : 0)) / (2 * A);
                CHECK_NEAR(modes->mode[k].real, re, 1e-11);
                CHECK_NEAR(modes->mode[k].imaginary, im, 1e-11);
            }
            CHECK(modes->max_velocity > 1);
            cardan_modes_destroy(modes);
        }
        scene_close(&s);
    }
}

// Critical force of Ziegler's column by bisection: 7/2 - sqrt 2.
static void test_flutter(void)
{
    double low = 1.5, high = 2.5;
    for (int i = 0; i < 30; ++i) {
        scene                          s;
        cardan_modes*                  modes;
        char                           value[40];
        const double                   P    = (low + high) / 2;
        const cardan_parameter_setting push = {"P", value};
        snprintf(value, sizeof value, "%.17g", P);
        if (scene_text(&s, scene_ziegler, "cholesky", 1, &push) && (modes = modes_of(&s))) {
            if (modes->nunstable > 0)
                high = P;
            else
                low = P;
            cardan_modes_destroy(modes);
        }
        scene_close(&s);
    }
    CHECK_NEAR(low, 3.5 - sqrt(2), 1e-6);
}

// Disc rolling along a straight line: 5/4 theta" + (3 n^2 - g/r) theta = 0. Two constraint rows are nonholonomic.
static void test_rolling_disc(void)
{
    static const char text[] = "cardan: 1\nparameters: {r: 0.5, n: 5}\n"
                               "bodies: {disc: {mass: 3, cylinder: {radius: =r, length: 0, axis: x}, at: [0, 0, =r]}}\n"
                               "markers: {hub: {on: disc, relative: disc, orientation: {axis: y, angle: =pi/2}}}\n"
                               "joints: {disc: {free: [ground, disc], start: {v: [0, =r*n, 0, =-n, 0, 0]}}}\n"
                               "constraints: {floor: {rolling: [hub, ground], radius: =r}}\n";
    for (int i = 0; i < 2; ++i) {
        scene                          s;
        cardan_modes*                  modes;
        const cardan_parameter_setting spin = {"n", i ? "5" : "2"};
        const double                   n = i ? 5 : 2, square = (3 * n * n - g / 0.5) / 1.25;
        if (scene_text(&s, text, "dense", 1, &spin) && (modes = modes_of(&s))) {
            CHECK(modes->nposition == 5 && modes->nvelocity == 3);
            int found = 0;
            for (int k = 0; k < modes->count; ++k) {
                const cardan_mode* mode = &modes->mode[k];
                if (mode->kind == CARDAN_MODE_NEUTRAL) continue;
                ++found;
                if (i)
                    CHECK_NEAR(mode->imaginary, sqrt(square), 1e-12);
                else
                    CHECK_NEAR(fabs(mode->real), sqrt(-square), 1e-12);
            }
            CHECK(found == (i ? 1 : 2) && modes->nunstable == (i ? 0 : 1));
            cardan_modes_destroy(modes);
        }
        scene_close(&s);
    }
}

// ---- loops

// Four-bar with the crank angle as coordinate: w^2 = V"/m, V" and m from energies.
static double four_bar_frequency_sq(scene* s, double crank)
{
    const double d = 2e-3;
    double       V[5], m = 0;
    for (int k = -2; k <= 2; ++k) {
        cardan_joint_start start[4];
        for (int j = 0; j < 4; ++j) {
            double v[CARDAN_JOINT_VELOCITIES_MAX];
            start[j] = (cardan_joint_start){.position_mode = j == 0 ? CARDAN_START_FIXED : CARDAN_START_GUESS,
                                            .velocity_mode = j == 0 ? CARDAN_START_FIXED : CARDAN_START_FREE};
            cardan_data_joint_state(s->data, j, start[j].q, v);
        }
        start[0].q[0] = crank + k * d;
        start[0].v[0] = k == 0;
        CHECK(cardan_data_assemble(s->data, start, NULL, NULL, NULL, &s->report) == CARDAN_OK);
        const cardan_energies energy = cardan_data_energy(s->data);
        V[k + 2]                     = energy.potential;
        if (k == 0) m = 2 * energy.kinetic;
    }
    return (-V[0] + 16 * V[1] - 30 * V[2] + 16 * V[3] - V[4]) / (12 * d * d) / m;
}

static void test_four_bar(void)
{
    static const char* const formulation[] = {"dense", "augmented", "reduction", "order-n", "lagrange"};
    double                   expected      = 0;
    for (int i = 0; i < 5; ++i) {
        scene         s;
        cardan_modes* modes = NULL;
        if (scene_text(&s, scene_four_bar, formulation[i], 0, NULL) && (modes = modes_at_equilibrium(&s))) {
            CHECK(modes->count == 1 && modes->nposition == 1);
            const double crank = scene_q(&s, "A");
            if (i == 0) expected = sqrt(four_bar_frequency_sq(&s, crank));
            CHECK_NEAR(modes->mode[0].imaginary, expected, 1e-9);
            cardan_modes_destroy(modes);
        }
        scene_close(&s);
    }
}

// Vehicle: equal eigenvalues and descriptions by formulations in tree and maximal coordinates.
static void test_vehicle(void)
{
    static const char* const formulation[] = {"dense", "augmented", "reduction", "lagrange"};
    double                   value[32][2];
    char                     description[240] = "";
    for (int i = 0; i < 4; ++i) {
        scene         s;
        cardan_modes* modes = NULL;
        if (scene_file(&s, "models/hmmwv", formulation[i]) && (modes = modes_at_equilibrium(&s))) {
            CHECK(modes->count == 13 && modes->nunstable == 0);
            for (int k = 0; k < 13 && k < modes->count; ++k) {
                CHECK((modes->mode[k].kind == CARDAN_MODE_NEUTRAL) == (k < 3));
                if (i == 0) value[k][0] = modes->mode[k].real, value[k][1] = modes->mode[k].imaginary;
                CHECK_NEAR(modes->mode[k].real, value[k][0], 1e-9);
                CHECK_NEAR(modes->mode[k].imaginary, value[k][1], 1e-9);
            }
            if (i == 0) snprintf(description, sizeof description, "%s", modes->mode[3].description);
            CHECK_TEXT(modes->mode[3].description, description);
            CHECK_HAS(description, "chassis 94 % along z");
            cardan_modes_destroy(modes);
        }
        scene_close(&s);
    }
}

// ---- against simulation

typedef struct last_sample {
    int     nq;
    double* q;
} last_sample;

static bool keep_q(void* user, cardan_data* data, const cardan_sample* row)
{
    last_sample* w = user;
    (void)data;
    memcpy(w->q, row->q, (size_t)w->nq * sizeof *w->q);
    return true;
}

// A simulation from the shape of a mode: after one period T the displacement is the shape times exp(real T).
static void simulate_mode(const char* text, const char* formulation, int number, int nsetting,
                          const cardan_parameter_setting* setting)
{
    scene         s;
    cardan_modes* modes;
    if (!scene_text(&s, text, formulation, nsetting, setting) || !(modes = modes_at_equilibrium(&s))) return;
    const cardan_mode* mode = &modes->mode[number];
    const double       size = 1e-5, T = 1 / mode->frequency;
    double             q0[16], q[16], v[16], x[16], at[16], moved[16];
    cardan_equilibrium_solve(s.data, NULL, q0, NULL, NULL, NULL);
    for (int i = 0; i < s.m.nv; ++i) { // x = Re(shape), x' = Re(lambda shape)
        x[i] = size * mode->tangent_real[i];
        v[i] = size * (mode->real * mode->tangent_real[i] - mode->imaginary * mode->tangent_imaginary[i]);
    }
    cardan_model_integrate_position(s.model, q0, x, q);
    last_sample         w   = {s.m.nq, at};
    cardan_run_settings run = cardan_run_default();
    cardan_run_summary  summary;
    run.end             = T;
    run.output_interval = T;
    run.tolerance       = 1e-12;
    run.q               = q;
    run.v               = v;
    run.sample_callback = keep_q;
    run.user            = &w;
    CHECK(cardan_simulate(s.data, &run, &summary, &s.report) == CARDAN_OK);
    cardan_model_position_difference(s.model, q0, at, moved);
    for (int i = 0; i < s.m.nv; ++i) CHECK_NEAR(moved[i] / size, exp(mode->real * T) * mode->tangent_real[i], 1e-3);
    cardan_modes_destroy(modes);
    scene_close(&s);
}

static void test_simulated(void)
{
    const cardan_parameter_setting damped[] = {{"q", "0.5"}, {"c", "2"}}, linkage[] = {{"c", "1"}};
    simulate_mode(scene_pendulum, "order-n", 0, 2, damped);
    simulate_mode(scene_four_bar, "dense", 0, 1, linkage);
    static const char pair[] = "cardan: 1\n"
                               "bodies: {upper: {rod: [[0, 0, 0], [0, 0, -1]], mass: 2}, lower: {at: [0, 0, -1.3], "
                               "mass: 3, inertia: [0.09, 0.09, 0.02]}}\n"
                               "joints: {a: {revolute: [ground, upper], at: [0, 0, 0], axis: y, damping: 0.4}, b: "
                               "{spherical: [upper, lower], at: [0, 0, -1]}}\n";
    for (int i = 0; i < 4; ++i) { // the spin of the lower rod is neutral
        scene         s;
        cardan_modes* modes;
        if (scene_text(&s, pair, "order-n", 0, NULL) && (modes = modes_at_equilibrium(&s))) {
            CHECK(modes->count == 4 && modes->mode[0].kind == CARDAN_MODE_NEUTRAL);
            cardan_modes_destroy(modes);
        }
        scene_close(&s);
        if (i > 0) simulate_mode(pair, "order-n", i, 0, NULL);
    }
}

// ---- user states and degenerate cases

static void test_states(void)
{
    static const char lag[] =
        "cardan: 1\ngravity: [0, 0, 0]\nbodies: {cart: {mass: 2}}\njoints: {rail: {prismatic: [ground, cart], at: [0, "
        "0, 0], axis: x}}\n"
        "states: {u: {start: 0, rate: =-3*u}}\nforces: {motor: {actuator: rail, effort: =-8*q(rail) + u}}\n";
    scene         s;
    cardan_modes* modes;
    if (scene_text(&s, lag, "order-n", 0, NULL) && (modes = modes_of(&s))) {
        CHECK(modes->count == 2 && modes->nstate == 1);
        CHECK_NEAR(modes->mode[0].imaginary, 2, 1e-12);
        CHECK_NEAR(modes->mode[1].real, -3, 1e-12);
        cardan_modes_destroy(modes);
    }
    scene_close(&s);
}

static void test_massless(void)
{
    static const char knot[] = "cardan: 1\nbodies: {knot: {mass: 0}}\njoints: {slide: {prismatic: [ground, knot], at: "
                               "[0, 0, 0], axis: x, spring: 100}}\n";
    scene             s;
    cardan_modes*     modes = NULL;
    if (scene_text(&s, knot, "dense", 0, NULL)) {
        CHECK(cardan_modes_create(s.data, &modes, &s.report) == CARDAN_SINGULAR);
        CHECK(modes == NULL && s.report.errors == 1);
        CHECK_HAS(s.report.message[0].text, "slide");
    }
    scene_close(&s);
}

// Rope ladder in its horizontal start configuration: the weight has no stiffness to first order, so all modes are
// neutral; round-off must not appear as a mode.
static void test_horizontal_ladder(int cells, const char* formulation)
{
    scene         s     = {0};
    cardan_modes* modes = NULL;
    CHECK(cardan_family_generate("rope-ladder", cells, NULL, &s.description, &s.report) == CARDAN_OK);
    if (scene_ready(&s, formulation)) modes = modes_of(&s);
    CHECK(modes && modes->count == cells && modes->nunstable == 0);
    for (int i = 0; modes && i < modes->count; ++i) CHECK(modes->mode[i].kind == CARDAN_MODE_NEUTRAL);
    cardan_modes_destroy(modes);
    scene_close(&s);
}

// Parallelogram with a spring at its crank near the flat configuration: the coupler moves along a circle,
// w^2 = k/(2/3 m + M). Within round-off of the flat configuration there is no linear model.
static void test_nearly_flat(double angle, bool linear)
{
    static const char text[] =
        "cardan: 1\n"
        "gravity: [0, 0, 0]\n"
        "parameters: {p: 1}\n"
        "points: {A: [0, 0, 0], B: [=cos(p), =sin(p), 0], C: [=2 + cos(p), =sin(p), 0], D: [2, 0, 0]}\n"
        "bodies: {crank: {rod: [A, B], mass: 1}, coupler: {rod: [B, C], mass: 3}, rocker: {rod: [D, C], mass: 1}}\n"
        "joints:\n"
        "  a: {revolute: [ground, crank], at: A, axis: z, spring: {stiffness: 100, rest: 0}}\n"
        "  b: {revolute: [crank, coupler], at: B, axis: z}\n"
        "  c: {revolute: [coupler, rocker], at: C, axis: z}\n"
        "  d: {revolute: [ground, rocker], at: D, axis: z}\n";
    for (int f = 0; f < 3; ++f) {
        static const char* const       formulation[] = {"augmented", "lagrange", "dense"};
        char                           value[32];
        const cardan_parameter_setting setting = {"p", value};
        scene                          s;
        cardan_modes*                  modes = NULL;
        snprintf(value, sizeof value, "%.17g", angle);
        if (!scene_text(&s, text, formulation[f], 1, &setting)) continue;
        const cardan_status status = cardan_modes_create(s.data, &modes, &s.report);
        CHECK(status == (linear ? CARDAN_OK : CARDAN_SINGULAR));
        if (linear && modes) CHECK(modes->count == 1);
        if (linear && modes) CHECK_NEAR(modes->mode[0].frequency, sqrt(100 / (2.0 / 3 + 3)) / (2 * pi), 1e-6);
        cardan_modes_destroy(modes);
        scene_close(&s);
    }
}

int main(void)
{
    RUN(test_zero_blocks());
    RUN(test_deflated_eigenvectors());
    RUN(test_oscillator());
    RUN(test_double_pendulum());
    RUN(test_chain());
    RUN(test_bar_on_springs());
    RUN(test_sleeping_top());
    RUN(test_flutter());
    RUN(test_rolling_disc());
    RUN(test_four_bar());
    RUN(test_vehicle());
    RUN(test_simulated());
    RUN(test_states());
    RUN(test_massless());
    RUN(test_nearly_flat(3e-8, false));
    RUN(test_nearly_flat(3e-7, false));
    RUN(test_nearly_flat(1e-2, true));
    RUN(test_horizontal_ladder(4, "augmented"));
    RUN(test_horizontal_ladder(16, "reduction"));
    RUN(test_horizontal_ladder(8, "lagrange"));
    return test_end();
}
