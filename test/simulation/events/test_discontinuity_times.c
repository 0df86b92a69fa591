// SPDX-License-Identifier: BSD-3-Clause
// Forces by formulas that jump at times which are no ends of steps: every integrator ends one there, and what comes is
// the closed form, but for what the method errs by without a jump. Rows at the very instant are behind it, where it
// begins and ends too, by rounding or not.
#include "parallelogram.h"
#include "sentences.h"
#include "test.h"
#include "yaml_text.h"

#include <stdio.h>

enum { ROWS = 128 };

typedef struct rows {
    int    count;
    double t[ROWS], q[ROWS], v[ROWS], a[ROWS]; // of the first joint
} rows;

static bool keep_row(void* user, cardan_data* data, const cardan_sample* row)
{
    rows*  r    = user;
    double q[8] = {0}, v[8] = {0};
    if (r->count == ROWS) return false;
    cardan_joint_state(data, 0, q, v);
    r->t[r->count]   = row->t;
    r->q[r->count]   = q[0];
    r->v[r->count]   = v[0];
    r->a[r->count++] = row->a[0];
    return true;
}

typedef struct how {
    const char *formulation, *integrator;
    double      step, output; // [s] of methods that choose theirs: none
} how;

static cardan_status run_text(const char* text, how how, rows* r, cardan_report* report)
{
    cardan_description* d     = yaml_load(text);
    const int           index = cardan_formulation_find(how.formulation);
    cardan_model*       m     = NULL;
    cardan_data*        data  = NULL;
    cardan_run          run   = cardan_run_default();
    cardan_summary      summary;
    *r = (rows){0};
    cardan_report_clear(report);
    run.integrator       = cardan_integrator_find(how.integrator);
    run.step             = how.step;
    run.tolerance        = how.step > 0 ? 0 : 1e-10;
    run.output_interval  = how.output;
    run.sample_callback  = keep_row;
    run.user             = r;
    cardan_status status = cardan_model_compile(d, cardan_formulation_tree_policy(index), &m, report);
    if (!status) status = cardan_data_create(m, index, &data, report);
    if (!status) status = cardan_simulate(data, &run, &summary, report);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return status;
}

// A mass of 1 kg on a slide, and what pushes it.
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
    double      q, v, first, last; // after 1 s; accelerations at the first and the last row
} motion;

static const motion motions[] = {
    {SLIDE("if(t < 0.50313, 0, 10)"), 5 * 0.49687 * 0.49687, 4.9687, 0, 10},
    {SLIDE("if(t < 0.5031, 0, 10) - if(t < 0.5042, 0, 10)"), 0.011 * (1 - 0.50365), 0.011, 0, 0}, // within a step
    {SLIDE("if(t < 0.5, 0, 10)"), 1.25, 5, 0, 10},
    {SLIDE("if(t <= 0.3, 0, 10)"), 5 * 0.49, 7, 0, 10},
    {SLIDE("if(mod(t, 0.25) < 0.125, 1, -1)"), 0.0625, 0, 1, 1},
    {SLIDE("10*ceil(t)"), 5, 10, 10, 10},         // where it begins
    {SLIDE("if(t < 1, 10, 50)"), 5, 10, 10, 50},  // where it ends
    {SLIDE("if(t <= 1, 10, 50)"), 5, 10, 10, 10}, // not any more
    {SLIDE("if(abs(t - 0.5003) < 1e-3, 1, 0)"), 0.002 * 0.4997, 0.002, 0, 0},
};

enum { MOTIONS = sizeof motions / sizeof *motions };

// Methods of second order and above follow a constant force exactly; the first errs in the way by half a step.
static void test_motions(int method, double step, double output)
{
    const bool    adaptive = cardan_integrator_is_adaptive(method);
    const double  v_near   = adaptive ? 1e-7 : 1e-12;
    rows          r;
    cardan_report report;
    for (int i = 0; i < MOTIONS; ++i) {
        const motion* m    = &motions[i];
        const char*   name = cardan_integrator_name(method);
        const double  near = cardan_integrator_order(method) == 1 ? 0.51 * 10 * step : v_near;
        CHECK(run_text(m->text, (how){"cholesky", name, adaptive ? 0 : step, output}, &r, &report) == CARDAN_OK);
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

// A thousand pulses, whose period and width end at times that rounding sets apart: none is missed, and none is taken
// for a motion that is held at a jump.
static void test_pulses(int method)
{
    const bool    adaptive = cardan_integrator_is_adaptive(method);
    rows          r;
    cardan_report report;
    CHECK(run_text(SLIDE("if(mod(t, 0.001) < 0.0003, 1, 0)"),
                   (how){"cholesky", cardan_integrator_name(method), adaptive ? 0 : 0.003, 0.1}, &r,
                   &report) == CARDAN_OK);
    CHECK(r.count == 11);
    CHECK_NEAR(r.v[10], 0.3, adaptive ? 1e-6 : 1e-11);
    CHECK_NEAR(r.q[10], 0.150105, cardan_integrator_order(method) == 1 ? 1e-4 : adaptive ? 1e-6 : 1e-11);
    for (int i = 0; i < report.count; ++i) CHECK(report.message[i].code != CARDAN_CODE_CHATTERING);
}

// More formulas than steps could end at.
static void test_too_many(void)
{
    rows          r;
    cardan_report report;
    CHECK(run_text(SLIDE("floor(1e6*t)"), (how){"cholesky", "rk4", 0.1, 1}, &r, &report) == CARDAN_OK);
    CHECK(report.count == 1);
    CHECK_MESSAGE(&report.message[0], CARDAN_CODE_DISCONTINUITIES_SKIPPED, "262144", "t = 0.262145 s");
}

// A hundred switches in one formula.
static void test_staircase(const char* integrator, double step)
{
    char          text[8000] = SLIDE("0"), *end = strstr(text, "0\"}");
    double        q = 0, v = 0;
    rows          r;
    cardan_report report;
    for (int i = 0; i < 100; ++i) {
        const double at = 0.00513 + 0.0097 * i;
        end += sprintf(end, " + if(t < %.6g, 0, 1)", at);
        v += 1 - at;
        q += (1 - at) * (1 - at) / 2;
    }
    strcpy(end, "\"}}\nrun: {duration: 1}\n");
    CHECK(run_text(text, (how){"cholesky", integrator, step, 0.1}, &r, &report) == CARDAN_OK);
    CHECK(r.count == 11);
    CHECK_NEAR(r.q[10], q, step > 0 ? 1e-11 : 1e-7);
    CHECK_NEAR(r.v[10], v, step > 0 ? 1e-11 : 1e-7);
}

// A row at every hundredth of a second, and a jump at one of them: of its time, as a formula writes it, some are below
// by rounding, some above.
static void test_row(const char* integrator, double step, const char* formula)
{
    char          effort[80], text[600];
    rows          r;
    cardan_report report;
    for (int k = 1; k < 100; ++k) {
        snprintf(effort, sizeof effort, formula, k);
        snprintf(text, sizeof text, SLIDE("%s"), effort);
        CHECK(run_text(text, (how){"cholesky", integrator, step, 0.01}, &r, &report) == CARDAN_OK);
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

// A parallelogram of thin rods whose crank is pushed: 5/3 w' is the torque.
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
    rows          r;
    cardan_report report;
    write_loop(jump, "", sizeof text, text);
    CHECK(run_text(text, (how){formulation, integrator, step, 0.1}, &r, &report) == CARDAN_OK);
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
    static const double jumps[] = {0.5031234, 0.5, 0.4999999999, 0.5000000001, 0.49999}; // some beside a row
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; ++i) {
        test_loop(formulation, "rk4", 0.01, jumps[i], 1e-8);
        test_loop(formulation, "midpoint", 0.002, jumps[i], 1e-4);
        test_loop(formulation, "semi-implicit-euler", 0.001, jumps[i], 2e-3);
        test_loop(formulation, "explicit-euler", 0.001, jumps[i], 2e-3);
        test_loop(formulation, "dopri5", 0, jumps[i], 1e-7);
        test_loop(formulation, "cvode-adams", 0, jumps[i], 1e-6);
        if (strcmp(formulation, "lagrange") != 0) // thin rods turn about themselves without inertia
            test_loop(formulation, "regularized-midpoint", 0.001, jumps[i], 1e-4);
    }
    test_loop(formulation, "ida", 0, 0.5031234, 1e-6);
    test_loop(formulation, "generalized-alpha", 0, 0.5031234, 1e-6);
}

// A slide whose acceleration jumps by u leads a pendulum: behind the jump it swings as if it weighed g and u.
static void test_law(const char* formulation, const char* integrator, double step, double near)
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
    rows              r;
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
    CHECK(run_text(text, (how){formulation, integrator, step, 0.1}, &r, &report) == CARDAN_OK);
    CHECK(r.count == 11);
    CHECK_NEAR(r.q[10], q, near);
    CHECK_NEAR(r.v[10], w, near);
}

// Efforts of a motor against a force that jumps: kinematics gives the rows that a run gives.
static bool keep_effort(void* user, cardan_data* data, const cardan_sample* row)
{
    double* effort = user;
    cardan_driver_efforts(data, row->a, &effort[lround(10 * row->t)], NULL);
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
                                            "forces: {push: {actuator: s, effort: \"=if(t <= 0.3, 0, 10) + ceil(t)\"}}\n");
    cardan_model*       m    = NULL;
    cardan_data*        data = NULL;
    cardan_run          run  = cardan_run_default();
    cardan_report       report;
    cardan_summary      summary;
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
        RUN(test_motions(i, 0.03, 0.01)); // steps over several rows
        RUN(test_motions(i, 0.01, 1));
    }
    for (int i = 0; i < cardan_integrator_count(); ++i) RUN(test_pulses(i));
    RUN(test_too_many());
    RUN(test_staircase("rk4", 0.05));
    RUN(test_staircase("dopri5", 0));
    RUN(test_row("rk4", 0.01, "if(t < 0.%02d, 0, 10)"));
    RUN(test_row("rk4", 0.04, "if(t <= 0.%02d, 0, 10)"));
    RUN(test_row("semi-implicit-euler", 0.003, "10*ceil((t - 0.%02d)/2)"));
    RUN(test_row("dopri5", 0, "if(t <= 0.%02d, 0, 10)"));
    for (int i = 0; i < EVERY_FORMULATION; ++i) RUN(test_loops(every_formulation[i]));
    for (int i = 0; i < EVERY_FORMULATION; ++i) {
        RUN(test_law(every_formulation[i], "rk4", 0.01, 1e-6));
        RUN(test_law(every_formulation[i], "dopri5", 0, 1e-7));
    }
    RUN(test_law("reduction", "generalized-alpha", 0, 1e-6));
    RUN(test_law("reduction", "midpoint", 0.002, 1e-4));
    RUN(test_kinematics());
    yaml_end();
    RUN(test_sentences("test_discontinuity_times"));
    return test_end();
}
