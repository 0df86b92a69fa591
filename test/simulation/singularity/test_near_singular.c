// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms with many loops that pass singular configurations, against independent references:
//
// A planar rope ladder whose rungs stay parallel moves like a chain of N links with the mass of two rails and a rung
// each; a cell is singular when its link is parallel to the rungs. Cells reach it one by one or several at nearly the
// same time, fast and slowly.
//
// A scissor lift of N stages has one angle phi; with bars of length L and mass m, and a sliding shoe of mass m0,
//
//     M phi'' + M'phi'^2/2 = -2 m g L s1 cos phi,
//     M = (m N/2 + m0) L^2 sin^2 phi + 2 m s2 L^2 cos^2 phi + N m L^2/6,
//     s1 = sum of (k - 1/2) = N^2/2,     s2 = sum of (k - 1/2)^2,
//
// and all loops are singular at the same time, upright and flat.
#include "planar_rods.h"
#include "test.h"

#include <cardan/cardan.h>
#include <stdio.h>
#include <string.h>

enum { MAX_JOINTS = 60 };

typedef struct motion {
    cardan_status      status;
    cardan_run_summary summary;
    double             q[MAX_JOINTS]; // of the first joints, at the end
    cardan_message     failure;       // first message if it failed
} motion;

static bool keep_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    motion*                 x    = user;
    const cardan_model_view view = cardan_model_get_view(cardan_data_model(data));
    double                  v;
    (void)sample;
    for (int i = 0; i < MAX_JOINTS && i < view.njoint; ++i)
        if (view.tree_range[i].nq == 1) cardan_data_joint_state(data, i, &x->q[i], &v);
    return true;
}

static motion simulate(cardan_description* d, const char* formulation, double tolerance, double end, double output)
{
    motion              x      = {.status = CARDAN_NO_MEMORY};
    cardan_model*       m      = NULL;
    cardan_data*        data   = NULL;
    cardan_report       report = {0};
    const int           index  = cardan_formulation_find(formulation);
    cardan_run_settings run    = cardan_run_default();
    run.tolerance              = tolerance;
    run.end                    = end;
    run.output_interval        = output;
    run.sample_callback        = keep_sample;
    run.user                   = &x;
    x.status                   = cardan_model_compile(d, cardan_formulation_tree_policy(index), &m, &report);
    if (!x.status) x.status = cardan_data_create(m, index, &data, &report);
    if (!x.status) x.status = cardan_simulate(data, &run, &x.summary, &report);
    if (x.status && report.count > 0) x.failure = report.message[0];
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    return x;
}

// ---- ladders

// The chain: links with the mass of two rails and a rung that does not rotate; masses and lengths are those of the
// family. In the spatial chain the axes of the hinges alternate between two tilts.
static cardan_description* chain(int n, bool spatial)
{
    const double        L = 0.2, r = 0.05, m = 0.5, centre = 2 * L / 3, tilt = spatial ? atan(0.5) : 0;
    const double        I = 2 * m * (L * L / 12 + r * r / 4 + pow(L / 2 - centre, 2)) + m * pow(L - centre, 2);
    cardan_description* d = cardan_description_create("chain");
    cardan_description_set_gravity(d, spatial ? (const double[3]){0, 0, -9.81} : (const double[3]){0, -9.81, 0});
    for (int i = 0; i < n; ++i) {
        char name[32];
        snprintf(name, sizeof name, "link%d", i);
        cardan_body b = cardan_body_default(name);
        b.mass        = 3 * m;
        b.centre[0]   = centre;
        b.inertia[0]  = m * r * r / 2;
        b.inertia[1] = b.inertia[2] = I;
        const int body              = cardan_description_add_body(d, &b);
        snprintf(name, sizeof name, "hinge%d", i);
        cardan_joint j     = cardan_joint_default(name, "revolute", i == 0 ? CARDAN_GROUND : body - 1, body);
        j.frame_first.p[0] = i == 0 ? 0 : L;
        j.frame_first.q[0] = j.frame_second.q[0] = cos(tilt / 2); // about x: z to (0, +-1/2, 1)
        j.frame_first.q[1] = j.frame_second.q[1] = (i % 2 ? 1 : -1) * sin(tilt / 2);
        cardan_description_add_joint(d, &j);
    }
    return d;
}

static void check_links(const cardan_description* d, int n, const motion* x, const motion* y)
{
    for (int i = 0; i < n; ++i) {
        char name[32];
        snprintf(name, sizeof name, "hinge-a%d", i + 1);
        const int j = cardan_description_find_joint(d, name);
        CHECK(j >= 0);
        if (j >= 0 && j < MAX_JOINTS) CHECK_NEAR(x->q[j], y->q[i], 1e-6);
    }
}

static void test_rope_ladder(int n, const char* formulation)
{
    cardan_description *d = NULL, *same = chain(n, false);
    cardan_report       report = {0};
    CHECK(cardan_family_generate("rope-ladder", n, NULL, &d, &report) == CARDAN_OK);
    if (!d) return;
    const motion x = simulate(d, formulation, 1e-8, 1, 1), y = simulate(same, "order-n", 1e-11, 1, 1);
    CHECK(x.status == CARDAN_OK && y.status == CARDAN_OK);
    CHECK(x.summary.energy_error < 2e-8);
    CHECK(x.summary.steps < 1000); // the chain alone takes about 60 n steps
    check_links(d, n, &x, &y);
    if (x.status) printf("%s: %d cells, %s\n", formulation, n, x.failure.text);
    cardan_description_destroy(d);
    cardan_description_destroy(same);
}

// Spatial ladder: twelve cells have five singular configurations within 23 ms, four of them within 7 ms, so that states
// near one of them are near others. The number of steps is about that of the chain for all output intervals.
static void test_spatial_ladder(int n, const char* formulation, double output)
{
    cardan_description *d = NULL, *same = chain(n, true);
    cardan_report       report = {0};
    CHECK(cardan_family_generate("rope-ladder-spatial", n, NULL, &d, &report) == CARDAN_OK);
    if (!d) return;
    const motion x = simulate(d, formulation, 1e-8, 1, output), y = simulate(same, "order-n", 1e-11, 1, 1);
    CHECK(x.status == CARDAN_OK && y.status == CARDAN_OK);
    CHECK(x.summary.energy_error < 5e-9);
    CHECK(x.summary.steps < 520);
    // an event for each singular configuration; `regularized` reports 6 or 7, depending on the rounding of the compiler
    const long extra = strcmp(formulation, "regularized") == 0 ? 1 : 0;
    if (n == 12) CHECK(x.summary.events >= 6 && x.summary.events <= 6 + extra);
    check_links(d, n, &x, &y);
    if (x.status || x.summary.steps >= 520)
        printf("%s: %d cells in space, %ld steps\n", formulation, n, x.summary.steps);
    cardan_description_destroy(d);
    cardan_description_destroy(same);
}

// With a tolerance near rounding the motion is computed, or the run ends with a message that names the loops; it always
// ends.
static void test_rounding(const char* formulation)
{
    cardan_description* d      = NULL;
    cardan_report       report = {0};
    CHECK(cardan_family_generate("rope-ladder", 5, NULL, &d, &report) == CARDAN_OK);
    if (!d) return;
    const motion x = simulate(d, formulation, 1e-13, 0.48, 0.48);
    CHECK(x.status == CARDAN_STEP_TOO_SMALL);
    const char* const text = x.failure.text; // which loops it names depends on rounding
    CHECK(x.failure.code == CARDAN_CODE_STEP_TOO_SMALL);
    CHECK(strstr(text, "t = 0.") && strstr(text, "1e-13") && strstr(text, "hinge-a"));
    CHECK(x.summary.evaluations < 30000);
    cardan_description_destroy(d);
}

// ---- scissors

static const double L = 0.4, mass = 0.5, shoe_mass = 0.1, g = 9.81;

// Joint 0 rotates by phi - phi0.
static cardan_description* scissors(int n, double phi, double w)
{
    const double        c = L * cos(phi), s = L * sin(phi);
    cardan_description* d    = cardan_description_create("scissors");
    cardan_body         shoe = cardan_body_default("shoe");
    int                 a[MAX_JOINTS], b[MAX_JOINTS];
    cardan_description_set_gravity(d, (const double[3]){0, -g, 0});
    shoe.mass       = shoe_mass;
    shoe.pose.p[0]  = c;
    shoe.inertia[0] = shoe.inertia[1] = shoe.inertia[2] = 1e-4;
    for (int k = 0; k < n; ++k) {
        a[k] = add_rod(d, "a", k, mass, 0, k * s, c, s);
        b[k] = add_rod(d, "b", k, mass, c, k * s, -c, s);
    }
    const int    sliding   = cardan_description_add_body(d, &shoe);
    cardan_joint slide     = cardan_joint_default("slide", "prismatic", CARDAN_GROUND, sliding);
    slide.frame_first.p[0] = c;
    for (int i = 0; i < 4; ++i)
        slide.frame_first.q[i] = slide.frame_second.q[i] = i == 0 || i == 2 ? sqrt(0.5) : 0; // z to x
    add_hinge(d, "foot", 0, CARDAN_GROUND, a[0], 0, 0, 0, 0, w);
    for (int k = 0; k < n; ++k) {
        add_hinge(d, "middle", k, a[k], b[k], c / 2, s / 2, -c / 2, s / 2, -2 * w);
        if (k == 0) continue;
        add_hinge(d, "right", k, a[k - 1], b[k], c, s, 0, 0, -2 * w);
        add_hinge(d, "left", k, b[k - 1], a[k], -c, s, 0, 0, 2 * w);
    }
    cardan_description_add_joint(d, &slide);
    add_hinge(d, "heel", 0, sliding, b[0], 0, 0, 0, 0, -w);
    return d;
}

static double scissors_acceleration(int n, double phi, double w)
{
    double s2 = 0;
    for (int k = 1; k <= n; ++k) s2 += pow(k - 0.5, 2);
    const double A = (mass * n / 2 + shoe_mass) * L * L, B = 2 * mass * s2 * L * L, s = sin(phi), c = cos(phi);
    const double M = A * s * s + B * c * c + n * mass * L * L / 6, slope = 2 * (A - B) * s * c;
    return (-mass * g * L * n * n * c - slope * w * w / 2) / M;
}

static double scissors_reference(int n, double phi, double w, double end)
{
    const int    steps = 40000;
    const double h     = end / steps;
    for (int i = 0; i < steps; ++i) {
        const double k1 = scissors_acceleration(n, phi, w), w2 = w + h / 2 * k1,
                     k2 = scissors_acceleration(n, phi + h / 2 * w, w2), w3 = w + h / 2 * k2,
                     k3 = scissors_acceleration(n, phi + h / 2 * w2, w3), w4 = w + h * k3,
                     k4 = scissors_acceleration(n, phi + h * w3, w4);
        phi += h * (w + 2 * w2 + 2 * w3 + w4) / 6;
        w += h * (k1 + 2 * k2 + 2 * k3 + k4) / 6;
    }
    return phi;
}

// Upright, flat, and upright on the other side: each once or twice in a second.
static void test_scissors(int n, const char* formulation)
{
    const double        phi = 1.2, w = 6, end = 1;
    cardan_description* d = scissors(n, phi, w);
    const motion        x = simulate(d, formulation, 1e-8, end, end);
    CHECK(x.status == CARDAN_OK);
    CHECK(x.summary.energy_error < 5e-7);
    CHECK(x.summary.steps < 2000); // no short steps: accelerations have no noise
    CHECK_NEAR(x.q[0], scissors_reference(n, phi, w, end) - phi, 1e-6);
    if (x.status) printf("%s: %d stages, %s\n", formulation, n, x.failure.text);
    cardan_description_destroy(d);
}

int main(void)
{
    RUN(test_rope_ladder(7, "dense"));
    RUN(test_rope_ladder(8, "lagrange"));
    RUN(test_rope_ladder(10, "embedding"));
    RUN(test_rope_ladder(12, "reduction"));
    RUN(test_rope_ladder(12, "regularized"));
    RUN(test_rope_ladder(10, "order-n"));
    RUN(test_rope_ladder(10, "augmented"));
    RUN(test_rope_ladder(20, "reduction"));

    const char* const formulations[] = {"dense",     "augmented",   "order-n", "embedding",
                                        "reduction", "regularized", "lagrange"};
    enum { COUNT = sizeof formulations / sizeof *formulations };
    for (int i = 1; i < COUNT; ++i) RUN(test_spatial_ladder(12, formulations[i], 1));
    RUN(test_spatial_ladder(12, "reduction", 0.037));
    RUN(test_spatial_ladder(12, "reduction", 0.01));
    RUN(test_spatial_ladder(12, "augmented", 0.05));
    RUN(test_spatial_ladder(14, "augmented", 1));
    RUN(test_rounding("lagrange"));
    for (int i = 0; i < COUNT; ++i) RUN(test_scissors(5, formulations[i]));
    for (int i = 1; i < COUNT; ++i) RUN(test_scissors(10, formulations[i]));
    RUN(test_scissors(20, "reduction"));
    return test_end();
}
