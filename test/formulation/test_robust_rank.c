// SPDX-License-Identifier: BSD-3-Clause
// Rank decisions that must agree in all formulations: rows that are redundant at velocity level only, mass ratios of
// many decades, hinges with misalignments of the size of round-off.
#include "sentences.h"
#include "loop_models.h"

static bool open_text(fixture* f, const char* text, const char* formulation)
{
    cardan_description* d      = NULL;
    cardan_report       report = {0};
    const bool          good   = cardan_description_load_text(text, "scene.yaml", NULL, &d, &report) == CARDAN_OK;
    CHECK(good);
    return good && loop_open(f, d, formulation);
}

// Two wheels on one chassis: their lateral rows are equal, so the row that keeps a wheel upright is redundant at
// velocity level but not at position level. The cart moves on a circle of radius 2 m.
static const char cart[] =
    "cardan: 1\n"
    "bodies:\n"
    "  ch: {at: [0, 0, 0.2], mass: 10, inertia: [0.3, 0.4, 0.6]}\n"
    "  L: {at: [0, 0.5, 0.2], mass: 1, inertia: [0.02, 0.04, 0.02]}\n"
    "  R: {at: [0, -0.5, 0.2], mass: 1, inertia: [0.02, 0.04, 0.02]}\n"
    "joints:\n"
    "  base: {planar: [ground, ch], at: [0, 0, 0.2], axis: z, start: {v: [1, 0, 0.5]}}\n"
    "  jl: {revolute: [ch, L], at: [0, 0.5, 0.2], axis: y}\n"
    "  jr: {revolute: [ch, R], at: [0, -0.5, 0.2], axis: y}\n"
    "constraints:\n"
    "  rl: {rolling: [{on: L, at: [0, 0.5, 0.2], orientation: {z: y, x: x}}, ground], radius: 0.2}\n"
    "  rr: {rolling: [{on: R, at: [0, -0.5, 0.2], orientation: {z: y, x: x}}, ground], radius: 0.2}\n";

static void test_cart(const char* formulation, const char* integrator, double step)
{
    fixture f;
    if (open_text(&f, cart, formulation)) {
        cardan_run_settings run = cardan_run_default();
        cardan_run_summary  s;
        cardan_motion       body[3];
        run.end        = 10;
        run.integrator = cardan_integrator_find(integrator);
        if (step > 0) run.step = step;
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_OK);
        CHECK(s.max_position_violation <= 1e-11 && s.max_velocity_violation <= 1e-10 && s.energy_error < 1e-8);
        cardan_data_body_motions(f.data, NULL, body);
        CHECK_NEAR(body[0].p[0], 2 * sin(5), 3e-7);
        CHECK_NEAR(body[0].p[1], 2 * (1 - cos(5)), 3e-7);
    }
    fixture_close(&f);
}

// Spatial loop of eight bodies, every second one lighter by several decades, with hinges and two spherical joints.
static void write_ring(char* text, size_t size, double light, double heavy)
{
    static const double height[9]  = {0, 0.12, -0.03, 0.17, 0.15, -0.16, -0.14, -0.11, 0};
    static const double axis[7][3] = {{0.93, -0.13, 0.25}, {-0.4, 0.01, -0.23}, {-0.3, 0.17, 0.17}, {0.81, 0.36, 0.86},
                                      {0.71, 0.98, 0.34},  {-0.67, 0.72, 0.93}, {0.81, 0.14, 0.43}};
    const double        pi         = 3.14159265358979323846;
    size_t              n          = (size_t)snprintf(text, size, "cardan: 1\nbodies:\n");
    for (int i = 0; i < 8; ++i) {
        const double m = i % 2 ? light : heavy;
        n += (size_t)snprintf(text + n, size - n, "  b%d: {at: [%.17g, %.17g, %g], mass: %g, inertia: [%g, %g, %g]}\n",
                              i, cos(i * pi / 4), sin(i * pi / 4), height[i], m, 0.01 * m, 0.02 * m, 0.015 * m);
    }
    n += (size_t)snprintf(text + n, size - n, "joints:\n  g: {spherical: [ground, b0], at: [1, 0, 0]}\n");
    for (int i = 0; i < 8; ++i) {
        const double x = (cos(i * pi / 4) + cos((i + 1) * pi / 4)) / 2,
                     y = (sin(i * pi / 4) + sin((i + 1) * pi / 4)) / 2;
        n += (size_t)snprintf(text + n, size - n, "  j%d: {%s: [b%d, b%d], at: [%.17g, %.17g, %g]", i,
                              i < 7 ? "revolute" : "spherical", i, (i + 1) % 8, x, y, (height[i] + height[i + 1]) / 2);
        if (i < 7)
            n += (size_t)snprintf(text + n, size - n, ", axis: [%g, %g, %g]", axis[i][0], axis[i][1], axis[i][2]);
        n += (size_t)snprintf(text + n, size - n, "}\n");
    }
}

static void test_masses(const char* formulation, double decades)
{
    char    text[4096];
    fixture f;
    write_ring(text, sizeof text, pow(10, -decades / 2), pow(10, decades / 2));
    if (open_text(&f, text, formulation)) {
        cardan_run_settings run = cardan_run_default();
        cardan_run_summary  s;
        run.end = 0.2;
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_OK);
        CHECK(s.max_position_violation <= 1e-11 && s.max_velocity_violation <= 1e-10 && s.energy_error < 1e-9);
        CHECK(s.steps < 100); // no short steps: accelerations have no noise
    }
    fixture_close(&f);
}

// A mass ratio beyond the precision of double is reported as such, not as an error of a constraint.
static void test_mass_ratio_reported(const char* formulation)
{
    char    text[4096];
    fixture f;
    write_ring(text, sizeof text, 1e-8, 1e8);
    if (open_text(&f, text, formulation)) {
        cardan_run_settings run = cardan_run_default();
        cardan_run_summary  s;
        run.end = 0.2;
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) != CARDAN_OK);
        CHECK_CASE(&f.report, "light body", "'b1' (1e-08 kg)");
    }
    fixture_close(&f);
}

// Door on two hinges whose axes are misaligned by round-off of a description: it moves.
static void test_door(const char* formulation, double misalignment)
{
    char    text[512];
    fixture f;
    snprintf(text, sizeof text,
             "cardan: 1\nbodies: {door: {at: [0.5, 0, 1], box: [1, 0.05, 2], mass: 20}}\njoints:\n"
             "  low: {revolute: [ground, door], at: [0, 0, 0.2], axis: z, start: {v: 1}}\n"
             "  high: {revolute: [ground, door], at: [0, 0, 1.8], axis: [%g, 0, 1]}\n",
             misalignment);
    if (open_text(&f, text, formulation)) {
        cardan_run_settings run = cardan_run_default();
        cardan_run_summary  s;
        double              q, v;
        run.end = 1;
        CHECK(cardan_simulate(f.data, &run, &s, &f.report) == CARDAN_OK);
        cardan_data_joint_state(f.data, fixture_joint(&f, "low"), &q, &v);
        CHECK_NEAR(q, 1, 1e-9);
        CHECK_NEAR(v, 1, 1e-9);
    }
    fixture_close(&f);
}

// Beam on three cranks, the third longer by d.
static bool open_cranks(fixture* f, double d, double speed, const char* formulation)
{
    char text[1200];
    snprintf(text, sizeof text,
             "cardan: 1\nparameters: {d: %g}\ngravity: [0, -9.81, 0]\nbodies:\n"
             "  c1: {rod: [[0, 0, 0], [0, 1, 0]], mass: 1}\n"
             "  c2: {rod: [[1, 0, 0], [1, 1, 0]], mass: 1}\n"
             "  c3: {rod: [[2, 0, 0], [2, '=1+d', 0]], mass: 1}\n"
             "  beam: {rod: [[0, 1, 0], [2, 1, 0]], mass: 2}\n"
             "joints:\n"
             "  a1: {revolute: [ground, c1], at: [0, 0, 0], axis: z, start: {v: %g, guess: %s}}\n"
             "  a2: {revolute: [ground, c2], at: [1, 0, 0], axis: z}\n"
             "  a3: {revolute: [ground, c3], at: [2, 0, 0], axis: z}\n"
             "  b1: {revolute: [c1, beam], at: [0, 1, 0], axis: z}\n"
             "  b2: {revolute: [c2, beam], at: [1, 1, 0], axis: z}\n"
             "  b3: {revolute: [c3, beam], at: [2, '=1+d', 0], axis: z, at_second: [1, 0, 0]}\n",
             d, speed, speed > 0 ? "false" : "true");
    return open_text(f, text, formulation);
}

// A crank that is too long: the design configuration is movable, the assembled configuration is locked; an error.
static void test_unequal_cranks(const char* formulation)
{
    fixture f;
    if (open_cranks(&f, 0.1, 0, formulation)) {
        CHECK(cardan_data_assemble(f.data, NULL, NULL, NULL, NULL, &f.report) == CARDAN_INCONSISTENT);
        CHECK(f.report.count == 1);
        CHECK_CASE(&f.report, "crank too long by 0.1 m", "'b3'|0.1 m");
    }
    fixture_close(&f);
}

// Violations that assembly accepts are accepted by the diagnosis, with a message.
static void test_accepted_violation(void)
{
    fixture f;
    if (open_cranks(&f, 1e-9, 1, "dense")) {
        cardan_diagnosis* g = NULL;
        CHECK(cardan_data_assemble(f.data, NULL, NULL, NULL, NULL, &f.report) == CARDAN_OK && f.report.count == 0);
        CHECK(cardan_diagnosis_create(f.data, &g, &f.report) == CARDAN_OK);
        CHECK(g && g->assemblable && g->dof == 1);
        CHECK(f.report.count == 1);
        CHECK_CASE(&f.report, "cranks off by 1e-9 m", "");
        cardan_diagnosis_destroy(g);
    }
    fixture_close(&f);
}

int main(void)
{
    static const char* const formulations[] = {"lagrange", "dense", "augmented", "reduction", "order-n", "embedding"};
    for (int i = 0; i < (int)(sizeof formulations / sizeof *formulations); ++i) {
        RUN(test_cart(formulations[i], "dopri5", 0));
        RUN(test_cart(formulations[i], "rk4", 0.01));
    }
    for (int i = 0; i < 6; ++i) {
        if (i != 1 && i != 4) RUN(test_masses(formulations[i], 12)); // these two report an error or need short steps
        RUN(test_masses(formulations[i], 8));
    }
    for (int i = 0; i < 6; ++i)
        for (double misalignment = 1e-13; misalignment < 2e-9; misalignment *= 10)
            RUN(test_door(formulations[i], misalignment));
    for (int i = 0; i < 6; ++i) RUN(test_unequal_cranks(formulations[i]));
    RUN(test_accepted_violation());
    RUN(test_mass_ratio_reported("lagrange"));
    RUN(test_mass_ratio_reported("dense"));
    RUN(test_sentences("test_robust_rank"));
    return test_end();
}
