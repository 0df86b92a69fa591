// SPDX-License-Identifier: BSD-3-Clause
// Forces and driver accelerations that are discontinuous in time, position or velocity: integrators pass them in few
// steps, and errors are proportional to the tolerance, against closed forms, in joint and in maximal coordinates. A run
// with a force that always opposes the motion ends in finite time.
#include "sentences.h"
#include "test.h"
#include "yaml_text.h"

#include <cardan/cardan.h>

static const char* const methods[] = {"generalized-alpha", "hht", "ida", "cvode-bdf", "dopri5", "cvode-adams"};

enum { HHT = 1, STIFF = 4, METHODS = sizeof methods / sizeof *methods };

typedef struct end_state {
    double q, v;
} end_state;

static bool keep(void* user, cardan_data* data, const cardan_sample* sample)
{
    end_state* e    = user;
    double     q[8] = {0}, v[8] = {0};
    (void)sample;
    cardan_data_joint_state(data, 0, q, v);
    *e = (end_state){q[0], v[0]};
    return true;
}

typedef struct run_settings {
    const char *formulation, *integrator;
    double      tolerance, end;
} run_settings;

static cardan_status run_to(const char* text, run_settings settings, end_state* e, cardan_run_summary* s,
                            cardan_report* report)
{
    cardan_description* d     = yaml_load(text);
    cardan_model*       model = NULL;
    cardan_data*        data  = NULL;
    const int           index = cardan_formulation_find(settings.formulation);
    cardan_report_clear(report);
    *e                   = (end_state){0};
    cardan_status status = cardan_model_compile(d, cardan_formulation_tree_policy(index), &model, report);
    if (!status) status = cardan_data_create(model, index, &data, report);
    if (!status) {
        cardan_run_settings run = cardan_run_default();
        run.integrator          = cardan_integrator_find(settings.integrator);
        run.tolerance           = settings.tolerance;
        run.end = run.output_interval = settings.end;
        run.sample_callback           = keep;
        run.user                      = e;
        status                        = cardan_simulate(data, &run, s, report);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(d);
    return status;
}

// A mass of 1 kg on a slide, moved by an effort.
#define SLIDE(start, effort)                                                                                           \
    "cardan: 1\n"                                                                                                      \
    "name: pushed\n"                                                                                                   \
    "gravity: [0, 0, 0]\n"                                                                                             \
    "bodies: {mass: {mass: 1, at: [0, 0, 0]}}\n"                                                                       \
    "joints: {slide: {prismatic: [ground, mass], at: [0, 0, 0], axis: x, start: {v: " start "}}}\n"                    \
    "forces: {push: {actuator: slide, effort: \"=" effort "\"}}\n"                                                     \
    "run: {duration: 1}\n"

typedef struct motion {
    const char* text;
    double      end, q, v; // closed form
} motion;

static const motion motions[] = {
    {SLIDE("0", "if(t < 0.3, 0, 1)"), 1, 0.245, 0.7},
    {SLIDE("0", "if(t < 0.3, 0, 1) - if(t < 0.5, 0, 1)"), 1, 0.12, 0.2},
    {SLIDE("0", "if(mod(t, 0.2) < 0.1, 1, -1)"), 1, 0.05, 0},
    {SLIDE("0", "if(t < 0.3, 0, 100)"), 1, 24.5, 70},
    {SLIDE("0", "if(abs(t - 5) < 0.01, 1, 0)"), 10, 0.1, 0.02}, // a pulse between the stages of long steps
    {SLIDE("0", "ceil(2*t)"), 1, 0.625, 1.5},                   // discontinuous at the start
    {SLIDE("0", "mod(t, 0.25)"), 1, 0.0572916666667, 0.125},
    // beyond 0.2 m after sqrt(1.4) - 1 s, with sqrt(1.4) m/s; at 0.2 m again 2 sqrt(1.4) / 5 s later
    {SLIDE("1", "if(q(slide) > 0.2, -5, 1)"), 1, -0.147436591776, -0.839718295888},
    {SLIDE("0", "if(v(slide) > 0.5, 1, 5)"), 1, 0.88, 1.4}, // after 0.1 s
};

enum { RISING = 6, BY_TIME = 7, MOTIONS = sizeof motions / sizeof *motions };

// Explicit methods err by a hundred tolerances where the state determines the discontinuity: not tested.
static void test_motion(const char* formulation, int method)
{
    for (int i = 0; i < (method < STIFF ? MOTIONS : BY_TIME); ++i)
        for (double tolerance = 1e-3; tolerance > 0.5e-9; tolerance /= 10) {
            const motion*       m = &motions[i];
            end_state           e;
            cardan_run_summary  s;
            cardan_report       report;
            const cardan_status status =
                run_to(m->text, (run_settings){formulation, methods[method], tolerance, m->end}, &e, &s, &report);
            const double error = fmax(fabs(e.q - m->q), fabs(e.v - m->v)) / fmax(1, fabs(m->v));
            const double bound = (method <= HHT ? 1 : 20) * tolerance;
            if (status || !(error < bound))
                printf("motion %d, %s %s %g: %g %s\n", i, formulation, methods[method], tolerance, error,
                       report.count ? report.message[0].text : "");
            CHECK(status == CARDAN_OK);
            CHECK(error < bound);
            CHECK(i == RISING || s.steps < (method <= HHT ? 400 : 1200));
        }
}

// A driven crank that accelerates from 0.7 s on moves a pendulum through a connecting rod and a piston.
static const char cranked[] = "cardan: 1\n"
                              "name: cranked\n"
                              "gravity: [0, -9.81, 0]\n"
                              "points: {O: [0, 0, 0], P: [0.3, 0, 0], X: [1.2, 0, 0]}\n"
                              "bodies:\n"
                              "  pendulum: {rod: [X, [1.2, -0.4, 0]], mass: 0.4, radius: 0.02}\n"
                              "  crank: {rod: [O, P], mass: 1.1, radius: 0.02}\n"
                              "  rod: {rod: [P, X], mass: 0.7, radius: 0.02}\n"
                              "  piston: {at: X, mass: 0.9, inertia: [0.01, 0.01, 0.01]}\n"
                              "joints:\n"
                              "  hang: {revolute: [piston, pendulum], at: X, axis: z, damping: 0.01}\n"
                              "  main: {revolute: [ground, crank], at: O, axis: z, driver: \"=2*t + if(t > 0.7, "
                              "4*(t - 0.7)^2, 0)\"}\n"
                              "  big: {revolute: [crank, rod], at: P, axis: z}\n"
                              "  small: {revolute: [rod, piston], at: X, axis: z}\n"
                              "  bore: {prismatic: [ground, piston], at: X, axis: x}\n"
                              "run: {duration: 1.2}\n";

static void test_driver(const char* formulation, int method)
{
    end_state          exact, e;
    cardan_run_summary s;
    cardan_report      report;
    CHECK(run_to(cranked, (run_settings){"dense", "cvode-bdf", 1e-10, 1.2}, &exact, &s, &report) == CARDAN_OK);
    for (double tolerance = 1e-3; tolerance > 0.5e-5; tolerance /= 100) {
        const cardan_status status =
            run_to(cranked, (run_settings){formulation, methods[method], tolerance, 1.2}, &e, &s, &report);
        const double error = fmax(fabs(e.q - exact.q), fabs(e.v - exact.v) / fmax(1, fabs(exact.v)));
        if (status || !(error < 50 * tolerance))
            printf("%s %s %g: %g %s\n", formulation, methods[method], tolerance, error,
                   report.count ? report.message[0].text : "");
        CHECK(status == CARDAN_OK);
        CHECK(error < 50 * tolerance);
    }
}

// Friction as a sign function: the mass stops after 0.1 s and does not move again, or the error message names the
// slide.
static void test_friction(int method)
{
    end_state           e;
    cardan_run_summary  s;
    cardan_report       report;
    const cardan_status status = run_to(SLIDE("0.1", "if(v(slide) > 0, -1, 1)"),
                                        (run_settings){"cholesky", methods[method], 1e-4, 0.15}, &e, &s, &report);
    if (status) CHECK_MESSAGE(&report.message[0], CARDAN_CODE_STEP_TOO_SMALL, "'slide'", "t = 0.1000");
    CHECK(s.t > 0.0999);
    if (!status) CHECK_NEAR(e.q, 0.005, 1e-3);
}

int main(void)
{
    yaml_begin();
    for (int i = 0; i < METHODS; ++i) {
        RUN(test_motion("lagrange", i));
        RUN(test_motion("cholesky", i));
    }
    for (int i = 0; i < STIFF; ++i) {
        RUN(test_driver("lagrange", i));
        RUN(test_driver("augmented", i));
    }
    for (int i = 0; i <= HHT; ++i) RUN(test_friction(i));
    yaml_end();
    RUN(test_sentences("test_force_discontinuities"));
    return test_end();
}
