// SPDX-License-Identifier: BSD-3-Clause
// Linear model A, B, C, D: cart and pole in closed form, moving arms in tree and maximal coordinates, loops, user
// states and outputs; comparison with differences of simulations.
#include "analysis_models.h"

static const double g = 9.81;

static cardan_linear_model* linear_of(scene* s, int ninput, const cardan_motor* motor)
{
    cardan_linear_model* linear = NULL;
    const bool           good   = cardan_linear_model_create(s->data, ninput, motor, &linear, &s->report) == CARDAN_OK;
    if (!good) scene_tell(s);
    CHECK(good);
    return linear;
}

// (M + m) x" + m l/2 th" = u, m l/2 x" + m l^2/3 th" - m g l/2 th = 0; th about y tilts the pole toward +x.
static void test_cart_and_pole(void)
{
    static const char text[] = "cardan: 1\nparameters: {c: 0.3}\n"
                               "bodies: {cart: {mass: 4}, pole: {rod: [[0, 0, 0], [0, 0, 1.5]], mass: 2}}\n"
                               "joints: {rail: {prismatic: [ground, cart], at: [0, 0, 0], axis: x, damping: =c}, pin: "
                               "{revolute: [cart, pole], at: [0, 0, 0], axis: y}}\n"
                               "markers: {tip: {on: pole, at: [0, 0, 1.5]}}\n"
                               "outputs: {tip: {value: =x(tip), unit: m}, speed: {value: =vx(tip), unit: m/s}}\n";
    const double      M11 = 6, M12 = 2 * 0.75, M22 = 2 * 1.5 * 1.5 / 3, det = M11 * M22 - M12 * M12, k = 2 * g * 0.75,
                 c       = 0.3;
    const double A[4][4] = {
        {0, 0, 1, 0}, {0, 0, 0, 1}, {0, -M12 * k / det, -M22 * c / det, 0}, {0, M11 * k / det, M12 * c / det, 0}};
    const double B[4] = {0, 0, M22 / det, -M12 / det}, C[2][4] = {{1, 1.5, 0, 0}, {0, 0, 1, 1.5}};
    for (int maximal = 0; maximal < 2; ++maximal) {
        scene                s;
        cardan_linear_model* l;
        if (scene_text(&s, text, maximal ? "lagrange" : "order-n", 0, NULL)) {
            const cardan_motor motor = {scene_joint(&s, "rail"), 0};
            if ((l = linear_of(&s, 1, &motor))) {
                CHECK(l->n == 4 && l->ninput == 1 && l->noutput == 2 && l->nposition == 2 && l->nvelocity == 2 &&
                      l->nstate == 0);
                CHECK_TEXT(l->state[0], "rail.q");
                CHECK_TEXT(l->state[3], "pin.v");
                CHECK_TEXT(l->state_unit[2], "m/s");
                CHECK_TEXT(l->input[0], "rail.effort");
                CHECK_TEXT(l->input_unit[0], "N");
                CHECK_TEXT(l->output[1], "speed");
                for (int i = 0; i < 4; ++i) {
                    for (int j = 0; j < 4; ++j) CHECK_NEAR(l->A[4 * i + j], A[i][j], 1e-12);
                    CHECK_NEAR(l->B[i], B[i], 1e-10);
                }
                for (int i = 0; i < 8; ++i) CHECK_NEAR(l->C[i], C[i / 4][i % 4], 1e-12);
                CHECK(l->D[0] == 0 && l->D[1] == 0);
                const double M[4] = {M11, M12, M12, M22}, K[4] = {0, 0, 0, -k}, D[4] = {c, 0, 0, 0};
                for (int i = 0; i < 4; ++i) {
                    CHECK_NEAR(l->mass[i], M[i], 1e-10);
                    CHECK_NEAR(l->stiffness[i], K[i], 1e-11);
                    CHECK_NEAR(l->damping[i], D[i], 1e-11);
                }
                cardan_linear_model_destroy(l);
            }
        }
        scene_close(&s);
    }
}

// Check that two linear models of one mechanism have equal names and matrices.
static void compare(const cardan_linear_model* a, const cardan_linear_model* b, double tolerance)
{
    CHECK(a->n == b->n && a->ninput == b->ninput && a->noutput == b->noutput);
    if (a->n != b->n) return;
    for (int i = 0; i < a->n; ++i) CHECK_TEXT(a->state[i], b->state[i]);
    for (int i = 0; i < a->n; ++i) {
        double size = 1;
        for (int j = 0; j < a->n; ++j) size = fmax(size, fabs(b->A[i * a->n + j]));
        for (int j = 0; j < a->n; ++j) CHECK_NEAR(a->A[i * a->n + j] / size, b->A[i * a->n + j] / size, tolerance);
    }
    for (int i = 0; i < a->n * a->ninput; ++i) CHECK_NEAR(a->B[i], b->B[i], tolerance);
    for (int i = 0; i < a->noutput; ++i) {
        double size = 1;
        for (int j = 0; j < a->n; ++j) size = fmax(size, fabs(b->C[i * a->n + j]));
        for (int j = 0; j < a->n; ++j) CHECK_NEAR(a->C[i * a->n + j] / size, b->C[i * a->n + j] / size, tolerance);
    }
}

// Moving arm: the linear model has the joint coordinates, in tree and in maximal coordinates.
static void test_moving(void)
{
    static const char text[] =
        "cardan: 1\n"
        "bodies: {upper: {rod: [[0, 0, 0], [1, 0, 0]], mass: 2, radius: 0.05}, fore: {at: [1.4, 0, 0.1], mass: 1, "
        "inertia: [0.02, 0.05, 0.06]}}\n"
        "joints:\n"
        "  lift: {revolute: [ground, upper], at: [0, 0, 0], axis: y, start: {q: 0.4, v: 1.5}, damping: 0.2}\n"
        "  elbow: {spherical: [upper, fore], at: [1, 0, 0], start: {v: [0.7, -1.1, 2.3]}}\n"
        "outputs: {height: {value: =z(fore)}, rise: {value: =vz(fore)}}\n";
    scene                s[2];
    cardan_linear_model* l[2] = {NULL, NULL};
    for (int i = 0; i < 2; ++i)
        if (scene_text(&s[i], text, i ? "lagrange" : "order-n", 0, NULL)) {
            const cardan_motor motor[2] = {{0, 0}, {1, 2}};
            l[i]                        = linear_of(&s[i], 2, motor);
        }
    if (l[0] && l[1]) {
        compare(l[1], l[0], 1e-10);
        CHECK_TEXT(l[0]->state[1], "elbow.rotation_x");
        CHECK_TEXT(l[0]->state[7], "elbow.wz");
    }
    for (int i = 0; i < 2; ++i) cardan_linear_model_destroy(l[i]), scene_close(&s[i]);
}

// Difference of two simulations from neighbouring start states: x(h) - y(h) = (1 + h A + h^2 A^2/2) (x0 - y0).
static bool keep_last(void* user, cardan_data* data, const cardan_sample* row)
{
    double* x = user;
    (void)data;
    x[0] = row->q[0], x[1] = row->q[1], x[2] = row->v[0], x[3] = row->v[1];
    return true;
}

static void test_two_runs(void)
{
    static const char text[] =
        "cardan: 1\n"
        "bodies: {upper: {rod: [[0, 0, 0], [1, 0, 0]], mass: 2}, lower: {rod: [[1, 0, 0], [1.6, 0, 0]], mass: 1}}\n"
        "joints: {a: {revolute: [ground, upper], at: [0, 0, 0], axis: y, start: {q: 0.4, v: 1.5}}, b: {revolute: "
        "[upper, lower], at: [1, 0, 0], axis: y, start: {q: 0.2, v: -3}}}\n";
    scene                s;
    cardan_linear_model* l;
    const double         h = 2e-4, e = 1e-6;
    if (scene_text(&s, text, "order-n", 0, NULL) && (l = linear_of(&s, 0, NULL))) {
        for (int j = 0; j < 4; ++j) {
            double end[2][4];
            for (int k = 0; k < 2; ++k) {
                double              x[4] = {0.4, 0.2, 1.5, -3};
                cardan_run_settings run  = cardan_run_default();
                cardan_run_summary  summary;
                x[j] += k ? e : -e;
                run.end = run.output_interval = h;
                run.tolerance                 = 1e-13;
                run.q                         = x;
                run.v                         = x + 2;
                run.sample_callback           = keep_last;
                run.user                      = end[k];
                CHECK(cardan_simulate(s.data, &run, &summary, &s.report) == CARDAN_OK);
            }
            for (int i = 0; i < 4; ++i) {
                double step = i == j, twice = 0; // 1 + h A + h^2 A^2/2; the tolerance covers the change of A
                for (int k = 0; k < 4; ++k) twice += l->A[4 * i + k] * l->A[4 * k + j];
                step += h * l->A[4 * i + j] + h * h / 2 * twice;
                CHECK_NEAR((end[1][i] - end[0][i]) / (2 * e), step, 1e-4);
            }
        }
        cardan_linear_model_destroy(l);
    }
    scene_close(&s);
}

// Four-bar: one independent coordinate; vehicle: eleven; equal linear models in tree and maximal coordinates.
static void test_loops(void)
{
    static const char* const path[] = {"models/four_bar", "models/hmmwv"};
    for (int m = 0; m < 2; ++m) {
        scene                s[2];
        cardan_linear_model* l[2] = {NULL, NULL};
        for (int i = 0; i < 2; ++i)
            if (scene_file(&s[i], path[m], i ? "lagrange" : "dense") &&
                cardan_equilibrium_solve(s[i].data, NULL, NULL, NULL, NULL, &s[i].report) == CARDAN_OK) {
                const cardan_motor motor = {m ? scene_joint(&s[i], "rack") : 0, 0};
                l[i]                     = linear_of(&s[i], 1, &motor);
            }
        if (l[0] && l[1]) {
            CHECK(l[0]->nposition == (m ? 11 : 1));
            compare(l[1], l[0], 1e-7);                // two equilibria, each within its tolerance
            for (int i = 0; i < l[0]->nvelocity; ++i) // symmetric: forces with a potential
                for (int j = 0; j < i; ++j)
                    CHECK_NEAR(l[0]->stiffness[i * l[0]->nvelocity + j] / 1e5,
                               l[0]->stiffness[j * l[0]->nvelocity + i] / 1e5, 1e-10);
        }
        for (int i = 0; i < 2; ++i) cardan_linear_model_destroy(l[i]), scene_close(&s[i]);
    }
}

// User states follow the coordinates and velocities; external forces remain applied.
static void test_states_and_external_forces(void)
{
    static const char text[] = "cardan: 1\ngravity: [0, 0, 0]\nbodies: {cart: {mass: 2}}\njoints: {rail: {prismatic: "
                               "[ground, cart], at: [0, 0, 0], axis: x}}\n"
                               "states: {u: {start: 0, rate: =-3*u + 0.5*q(rail)}}\nforces: {motor: {actuator: rail, "
                               "effort: =-8*q(rail) + u}}\n";
    const double      A[9]   = {0, 1, 0, -4, 0, 0.5, 0.5, 0, -3};
    scene             s;
    cardan_linear_model* l;
    if (scene_text(&s, text, "order-n", 0, NULL)) {
        const double       push = 6;
        const cardan_motor rail = {0, 0};
        double             a, rate;
        cardan_data_set_external_forces(s.data, &push, NULL);
        if ((l = linear_of(&s, 1, &rail))) {
            CHECK(l->n == 3 && l->nstate == 1);
            CHECK_TEXT(l->state[2], "u");
            for (int i = 0; i < 9; ++i) CHECK_NEAR(l->A[i], A[i], 1e-13);
            CHECK_NEAR(l->B[1], 0.5, 1e-12);
            CHECK_NEAR(l->C[0] + l->C[4] + l->C[8], 3, 0); // no outputs: the states
            CHECK(cardan_data_accelerate(s.data, &a, &rate, NULL) == CARDAN_OK);
            CHECK_NEAR(a, 3, 1e-12);
            cardan_linear_model_destroy(l);
        }
        const cardan_motor none = {7, 0};
        CHECK(cardan_linear_model_create(s.data, 1, &none, &l, &s.report) == CARDAN_BAD_USAGE && l == NULL);
    }
    scene_close(&s);
}

int main(void)
{
    RUN(test_cart_and_pole());
    RUN(test_moving());
    RUN(test_two_runs());
    RUN(test_loops());
    RUN(test_states_and_external_forces());
    return test_end();
}
