// SPDX-License-Identifier: BSD-3-Clause
// Forces by formulas that are discontinuous at times inside steps: every integrator ends a step there, and the motion
// equals the closed form up to the error of the method without discontinuity. A sample at the time of the discontinuity
// has the values after it, also at the start and at the end of the run and for times with rounding errors.
#include "parallelogram.h"
#include "sentences.h"
#include "test.h"
#include "yaml_text.h"

#include <stdio.h>

enum { SAMPLES = 128 };

typedef struct samples {
    int    count;
    double t[SAMPLES], q[SAMPLES], v[SAMPLES], a[SAMPLES]; // of the first joint
} samples;

static bool keep_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    samples* r    = user;
    double   q[8] = {0}, v[8] = {0};
    if (r->count == SAMPLES) return false;
    cardan_data_joint_state(data, 0, q, v);
    r->t[r->count]   = sample->t;
    r->q[r->count]   = q[0];
    r->v[r->count]   = v[0];
    r->a[r->count++] = sample->a[0];
    return true;
}

typedef struct run_settings {
    const char *formulation, *integrator;
    double      step, output; // [s]; step 0: the method chooses it
} run_settings;

static cardan_status run_text(const char* text, run_settings settings, samples* r, cardan_report* report)
{
    cardan_description* d     = yaml_load(text);
    const int           index = cardan_formulation_find(settings.formulation);
    cardan_model*       m     = NULL;
    cardan_data*        data  = NULL;
    cardan_run_settings run   = cardan_run_default();
    cardan_run_summary  summary;
    *r = (samples){0};
    cardan_report_clear(report);
    run.integrator       = cardan_integrator_find(settings.integrator);
    run.step             = settings.step;
    run.tolerance        = settings.step > 0 ? 0 : 1e-10;
    run.output_interval  = settings.output;
    run.sample_callback  = keep_sample;
    run.user             = r;
    cardan_status status = cardan_model_compile(d, cardan_formulation_tree_policy(index), &m, report);
    if (!status) status = cardan_data_create(m, index, &data, report);
    if (!status) status = cardan_simulate(data, &run, &summary, report);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return status;
}

// A mass of 1 kg on a slide, moved by an effort.
#define SLIDE(effort)                                                                                                  \
    "cardan: 1\n"                                                                                                      \
    "name: pushed\n"                                                                                                   \
    "gravity: [0, 0, 0]\n"                                                                                             \
    "bodies: {mass: {mass: 1, at: [0, 0, 0]}}\n"                                                                       \
    "joints: {slide: {prismatic: [ground, mass], at: [0, 0, 0], axis: x}}\n"                                           \
    "forces: {push: {actuator: slide, effort: \"=" effort "\"}}\n"                                                     \
    "run: {duration: 1}\n"

typedef struct motion {
    const char* text;
    double      q, v, first, last; // after 1 s; accelerations of the first and the last sample
} motion;

static const motion motions[] = {
    {SLIDE("if(t < 0.50313, 0, 10)"), 5 * 0.49687 * 0.49687, 4.9687, 0, 10},
    {SLIDE("if(t < 0.5031, 0, 10) - if(t < 0.5042, 0, 10)"), 0.011 * (1 - 0.50365), 0.011, 0,
     0}, // both inside one step
    {SLIDE("if(t < 0.5, 0, 10)"), 1.25, 5, 0, 10},
    {SLIDE("if(t <= 0.3, 0, 10)"), 5 * 0.49, 7, 0, 10},
    {SLIDE("if(mod(t, 0.25) < 0.125, 1, -1)"), 0.0625, 0, 1, 1},
    {SLIDE("10*ceil(t)"), 5, 10, 10, 10},         // discontinuous at the start
    {SLIDE("if(t < 1, 10, 50)"), 5, 10, 10, 50},  // discontinuous at the end
    {SLIDE("if(t <= 1, 10, 50)"), 5, 10, 10, 10}, // after the end
    {SLIDE("if(abs(t - 0.5003) < 1e-3, 1, 0)"), 0.002 * 0.4997, 0.002, 0, 0},
};

enum { MOTIONS = sizeof motions / sizeof *motions };

// Methods of order two and above integrate a constant force exactly; the position of methods of order one is wrong by
// half a step.
static void test_motions(int method, double step, double output)
{
    const bool    adaptive = cardan_integrator_is_adaptive(method);
    const double  v_near   = adaptive ? 1e-7 : 1e-12;
    samples       r;
    cardan_report report;
    for (int i = 0; i < MOTIONS; ++i) {
        const motion* m    = &motions[i];
        const char*   name = cardan_integrator_name(method);
        const double  near = cardan_integrator_order(method) == 1 ? 0.51 * 10 * step : v_near;
        CHECK(run_text(m->text, (run_settings){"cholesky", name, adaptive ? 0 : step, output}, &r, &report) ==
              CARDAN_OK);
        CHECK((report.count == 0 || cardan_integrator_order(method) == 1) && r.count == 1 + (int)lround(1 / output));
        const int end = r.count - 1;
        if (end < 0) continue;
        if (!(fabs(r.v[end] - m->v) < v_near && fabs(r.q[end] - m->q) < near)) printf("%s, motion %d\n", name, i);
        CHECK_NEAR(r.v[end], m->v, v_near);
        CHECK_NEAR(r.q[end], m->q, near);
        CHECK_NEAR(r.a[0], m->first, 1e-9);
        CHECK_NEAR(r.a[end], m->last, 1e-9);
    }
}

// A thousand pulses whose period and width end at times that differ by rounding: all are integrated, and none is
// reported as chattering.
static void test_pulses(int method)
{
    const bool    adaptive = cardan_integrator_is_adaptive(method);
    samples       r;
    cardan_report report;
    CHECK(run_text(SLIDE("if(mod(t, 0.001) < 0.0003, 1, 0)"),
                   (run_settings){"cholesky", cardan_integrator_name(method), adaptive ? 0 : 0.003, 0.1}, &r,
                   &report) == CARDAN_OK);
    CHECK(r.count == 11);
    CHECK_NEAR(r.v[10], 0.3, adaptive ? 1e-6 : 1e-11);
    CHECK_NEAR(r.q[10], 0.150105, cardan_integrator_order(method) == 1 ? 1e-4 : adaptive ? 1e-6 : 1e-11);
    for (int i = 0; i < report.count; ++i) CHECK(report.message[i].code != CARDAN_CODE_CHATTERING);
}

// More discontinuities than steps can end at.
static void test_too_many_discontinuities(void)
{
    samples       r;
    cardan_report report;
    CHECK(run_text(SLIDE("floor(1e6*t)"), (run_settings){"cholesky", "rk4", 0.1, 1}, &r, &report) == CARDAN_OK);
    CHECK(report.count == 1);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_DISCONTINUITIES_SKIPPED, "262144", "t = 0.262145 s");
}

// A hundred discontinuities in one formula.
static void test_staircase(const char* integrator, double step)
{
    char          text[8000] = SLIDE("0"), *end = strstr(text, "0\"}");
    double        q = 0, v = 0;
    samples       r;
    cardan_report report;
    for (int i = 0; i < 100; ++i) {
        const double at = 0.00513 + 0.0097 * i;
        end += sprintf(end, " + if(t < %.6g, 0, 1)", at);
        v += 1 - at;
        q += (1 - at) * (1 - at) / 2;
    }
    strcpy(end, "\"}}\nrun: {duration: 1}\n");
    CHECK(run_text(text, (run_settings){"cholesky", integrator, step, 0.1}, &r, &report) == CARDAN_OK);
    CHECK(r.count == 11);
    CHECK_NEAR(r.q[10], q, step > 0 ? 1e-11 : 1e-7);
    CHECK_NEAR(r.v[10], v, step > 0 ? 1e-11 : 1e-7);
}

// Samples every 0.01 s and a discontinuity at one of them; the time in the formula is below or above that of the sample
// by rounding.
static void test_sample(const char* integrator, double step, const char* formula)
{
    char          effort[80], text[600];
    samples       r;
    cardan_report report;
    for (int k = 1; k < 100; ++k) {
        snprintf(effort, sizeof effort, formula, k);
        snprintf(text, sizeof text, SLIDE("%s"), effort);
        CHECK(run_text(text, (run_settings){"cholesky", integrator, step, 0.01}, &r, &report) == CARDAN_OK);
        CHECK(r.count == 101);
        for (int i = 0; i < r.count; ++i) {
            const double since = i > k ? 0.01 * (i - k) : 0;
            CHECK(i == 0 || r.t[i] > r.t[i - 1]);
            CHECK_NEAR(r.t[i], 0.01 * i, 1e-15);
            CHECK_NEAR(r.a[i], i < k ? 0 : 10, 1e-9);
            CHECK_NEAR(r.v[i], 10 * since, step > 0 ? 1e-12 : 1e-8);
        }
    }
}

// A parallelogram of thin rods with a torque at its crank: 5/3 w' is the torque.
static void write_loop(double jump, const char* driver, size_t size, char* text)
{
    snprintf(text, size,
             "cardan: 1\n"
             "name: pushed\n"
             "gravity: [0, 0, 0]\n"
             "points: {O: [0, 0, 0], A: [0, 1, 0], B: [2, 1, 0], C: [2, 0, 0]}\n"
             "bodies: {crank: {rod: [O, A], mass: 1}, coupler: {rod: [A, B], mass: 1}, rocker: {rod: [C, B], mass: "
             "1}}\n"
             "joints:\n"
             "  a: {revolute: [ground, crank], at: O, axis: z%s}\n"
             "  b: {revolute: [crank, coupler], at: A, axis: z}\n"
             "  c: {revolute: [coupler, rocker], at: B, axis: z}\n"
             "  d: {revolute: [ground, rocker], at: C, axis: z}\n"
             "forces: {push: {actuator: a, effort: \"=if(t < %.12g, 1, 4)\"}}\n",
             driver, jump);
}

static void test_loop(const char* formulation, const char* integrator, double step, double jump, double near)
{
    char          text[1200];
    samples       r;
    cardan_report report;
    write_loop(jump, "", sizeof text, text);
    CHECK(run_text(text, (run_settings){formulation, integrator, step, 0.1}, &r, &report) == CARDAN_OK);
    CHECK(r.count == 11);
    for (int i = 0; i < r.count; ++i) {
        const double t = r.t[i], behind = fmax(0, t - jump), w = 0.6 * (t + 3 * behind);
        const double angle = 0.3 * (t * t + 3 * behind * behind);
        if (!(fabs(r.q[i] - angle) < near && fabs(r.v[i] - w) < near))
            printf("%s %s %.12g: %g, %g\n", formulation, integrator, jump, r.q[i] - angle, r.v[i] - w);
        CHECK_NEAR(r.q[i], angle, near);
        CHECK_NEAR(r.v[i], w, near);
    }
}

static void test_loops(const char* formulation)
{
    static const double jumps[] = {0.5031234, 0.5, 0.4999999999, 0.5000000001, 0.49999}; // some near a sample
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; ++i) {
        test_loop(formulation, "rk4", 0.01, jumps[i], 1e-8);
        test_loop(formulation, "midpoint", 0.002, jumps[i], 1e-4);
        test_loop(formulation, "semi-implicit-euler", 0.001, jumps[i], 2e-3);
        test_loop(formulation, "explicit-euler", 0.001, jumps[i], 2e-3);
        test_loop(formulation, "dopri5", 0, jumps[i], 1e-7);
        test_loop(formulation, "cvode-adams", 0, jumps[i], 1e-6);
        if (strcmp(formulation, "lagrange") != 0) // thin rods have no inertia about their axis
            test_loop(formulation, "regularized-midpoint", 0.001, jumps[i], 1e-4);
    }
    test_loop(formulation, "ida", 0, 0.5031234, 1e-6);
    test_loop(formulation, "generalized-alpha", 0, 0.5031234, 1e-6);
}

// The acceleration of a driven slide jumps by u; after the jump the pendulum on it moves in the gravity field (g, u).
static void test_driver(const char* formulation, const char* integrator, double step, double near)
{
    static const char text[] = "cardan: 1\n"
                               "name: led\n"
                               "gravity: [0, -9.81, 0]\n"
                               "points: {A: [0, 0, 0], B: [0, -1, 0]}\n"
                               "bodies: {slide: {at: A, mass: 1, inertia: [1, 1, 1]}, rod: {rod: [A, B], mass: 1}}\n"
                               "joints:\n"
                               "  h: {revolute: [slide, rod], at: A, axis: z}\n"
                               "  s: {prismatic: [ground, slide], at: A, axis: x, driver: \"=if(t < 0.5031, 0, 2*(t - "
                               "0.5031)^2)\"}\n";
    double            q = 0, w = 0;
    const double      h = (1 - 0.5031) / 2000, u = 4;
    samples           r;
    cardan_report     report;
    for (int i = 0; i < 2000; ++i) { // q'' = -3/2 (g sin q + u cos q), rk4
        double k[5] = {0}, l[5] = {0};
        for (int j = 1; j <= 4; ++j) {
            const double part = j == 1 ? 0 : j == 4 ? h : h / 2, at = q + part * k[j - 1];
            k[j] = w + part * l[j - 1];
            l[j] = -1.5 * (9.81 * sin(at) + u * cos(at));
        }
        q += h / 6 * (k[1] + 2 * k[2] + 2 * k[3] + k[4]);
        w += h / 6 * (l[1] + 2 * l[2] + 2 * l[3] + l[4]);
    }
    CHECK(run_text(text, (run_settings){formulation, integrator, step, 0.1}, &r, &report) == CARDAN_OK);
    CHECK(r.count == 11);
    CHECK_NEAR(r.q[10], q, near);
    CHECK_NEAR(r.v[10], w, near);
}

// Efforts of a motor against a discontinuous force: the kinematic analysis has the samples of the simulation.
static bool keep_effort(void* user, cardan_data* data, const cardan_sample* sample)
{
    double* effort = user;
    cardan_data_driver_efforts(data, sample->a, &effort[lround(10 * sample->t)], NULL);
    return true;
}

static void test_kinematics(void)
{
    cardan_description* d    = yaml_load("cardan: 1\n"
                                            "name: led\n"
                                            "gravity: [0, 0, 0]\n"
                                            "bodies: {mass: {mass: 1, at: [0, 0, 0]}}\n"
                                            "joints: {s: {prismatic: [ground, mass], at: [0, 0, 0], axis: x, driver: "
                                            "\"=t^2/2\"}}\n"
                                            "forces: {push: {actuator: s, effort: "
                                            "\"=if(t <= 0.3, 0, 10) + ceil(t)\"}}\n");
    cardan_model*       m    = NULL;
    cardan_data*        data = NULL;
    cardan_run_settings run  = cardan_run_default();
    cardan_report       report;
    cardan_run_summary  summary;
    double              followed[6] = {0}, stepped[6] = {0};
    cardan_report_clear(&report);
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, &report) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("reduction"), &data, &report) == CARDAN_OK);
    run.end             = 0.5;
    run.output_interval = 0.1;
    run.step            = 0.07;
    run.sample_callback = keep_effort;
    run.user            = followed;
    CHECK(cardan_kinematic_analysis(data, &run, &summary, &report) == CARDAN_OK);
    run.integrator = cardan_integrator_find("rk4");
    run.user       = stepped;
    CHECK(cardan_simulate(data, &run, &summary, &report) == CARDAN_OK);
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(followed[i], i < 3 ? 0 : -10, 1e-9);
        CHECK_NEAR(stepped[i], followed[i], 1e-9);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

int main(void)
{
    yaml_begin();
    for (int i = 0; i < cardan_integrator_count(); ++i) {
        RUN(test_motions(i, 0.01, 0.1));
        RUN(test_motions(i, 0.013, 0.1));
        RUN(test_motions(i, 0.03, 0.01)); // steps over several samples
        RUN(test_motions(i, 0.01, 1));
    }
    for (int i = 0; i < cardan_integrator_count(); ++i) RUN(test_pulses(i));
    RUN(test_too_many_discontinuities());
    RUN(test_staircase("rk4", 0.05));
    RUN(test_staircase("dopri5", 0));
    RUN(test_sample("rk4", 0.01, "if(t < 0.%02d, 0, 10)"));
    RUN(test_sample("rk4", 0.04, "if(t <= 0.%02d, 0, 10)"));
    RUN(test_sample("semi-implicit-euler", 0.003, "10*ceil((t - 0.%02d)/2)"));
    RUN(test_sample("dopri5", 0, "if(t <= 0.%02d, 0, 10)"));
    for (int i = 0; i < EVERY_FORMULATION; ++i) RUN(test_loops(every_formulation[i]));
    for (int i = 0; i < EVERY_FORMULATION; ++i) {
        RUN(test_driver(every_formulation[i], "rk4", 0.01, 1e-6));
        RUN(test_driver(every_formulation[i], "dopri5", 0, 1e-7));
    }
    RUN(test_driver("reduction", "generalized-alpha", 0, 1e-6));
    RUN(test_driver("reduction", "midpoint", 0.002, 1e-4));
    RUN(test_kinematics());
    yaml_end();
    RUN(test_sentences("test_discontinuity_times"));
    return test_end();
}
