// SPDX-License-Identifier: BSD-3-Clause
// Every singular configuration is reported once, at its time, for all formulations, integrators, stabilizations and
// step sizes: a parallelogram that oscillates or rotates and is singular when its cranks are parallel to ground.
// Reference: sign changes of the crank height at the output samples. Further mechanisms: a governor with massless
// links, whose pivots are small at all configurations, and many parallelograms in a row.
#include "parallelogram.h"
#include "test.h"

#include <stdio.h>

enum { MAX_EVENTS = 64 };

typedef struct record {
    int    reported, passed, samples;
    double reported_t[MAX_EVENTS], passed_t[MAX_EVENTS];
    double t, up; // of the last sample
    bool   other; // an event of another kind
    bool   loop;  // all events name the loop
} record;

static void keep_event(void* user, cardan_data* data, const cardan_event* event)
{
    record* r = user;
    (void)data;
    if (event->kind != CARDAN_EVENT_SINGULAR)
        r->other = true;
    else if (r->reported < MAX_EVENTS)
        r->reported_t[r->reported++] = event->t;
    r->loop &= names_parallelogram(event->description);
}

// The crank height changes its sign between two samples; linear interpolation gives the time within 1e-4 s.
static bool keep_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    record* r = user;
    double  q, v;
    cardan_data_joint_state(data, 0, &q, &v);
    const double up = sin(q + atan2(0.8, 0.6));
    if (r->samples++ > 0 && up * r->up < 0 && r->passed < MAX_EVENTS)
        r->passed_t[r->passed++] = r->t + (sample->t - r->t) * r->up / (r->up - up);
    r->t  = sample->t;
    r->up = up;
    return true;
}

static cardan_status simulate(double v, const char* formulation, const char* integrator, const char* stabilization,
                              double tolerance, double max_step, record* r)
{
    cardan_run_settings run = cardan_run_default();
    cardan_run_summary  summary;
    run.integrator      = cardan_integrator_find(integrator);
    run.stabilization   = cardan_stabilization_find(stabilization);
    run.tolerance       = tolerance;
    run.max_step        = max_step;
    run.step            = max_step;
    run.end             = 4;
    run.output_interval = 0.005;
    run.event_callback  = keep_event;
    run.sample_callback = keep_sample;
    run.user            = r;
    *r                  = (record){.loop = true};
    return run_description(parallelogram_at(0.6, 0.8, v, 9.81), formulation, &run, &summary);
}

// The events are those of the samples, and no others, each within `near` [s].
static void check_reported(double v, const char* formulation, const char* integrator, const record* r, double near)
{
    CHECK(r->passed == (v > 5 ? 12 : 5));
    CHECK(r->reported == r->passed);
    CHECK(!r->other && r->loop);
    for (int i = 0; i < r->reported && i < r->passed; ++i) CHECK_NEAR(r->reported_t[i], r->passed_t[i], near);
    if (r->reported != r->passed || r->other)
        printf("%s %s %g: %d of %d reported\n", formulation, integrator, v, r->reported, r->passed);
}

static void test_reported(double v, const char* formulation, const char* integrator, double tolerance, double max_step)
{
    record r;
    CHECK(simulate(v, formulation, integrator, "projection", tolerance, max_step, &r) == CARDAN_OK);
    check_reported(v, formulation, integrator, &r, 1e-4);
}

// Windows of sequential regularization leave violations: sign changes are counted in the motion of the same run.
static void test_windows(double v, const char* formulation, const char* integrator)
{
    record r;
    CHECK(simulate(v, formulation, integrator, "none", 0, 5e-4, &r) == CARDAN_OK);
    check_reported(v, formulation, integrator, &r, 2e-3);
}

// Without stabilization, constraint violations sooner or later lead the motion onto another branch or end the run;
// until then every singular configuration is reported as accurately as the violations permit.
static void test_without_stabilization(const char* formulation, const char* integrator)
{
    record r;
    simulate(1, formulation, integrator, "none", 1e-8, 2e-3, &r);
    CHECK(r.passed >= 2);
    for (int i = 0; i < r.passed; ++i) {
        double nearest = INFINITY;
        for (int k = 0; k < r.reported; ++k) nearest = fmin(nearest, fabs(r.reported_t[k] - r.passed_t[i]));
        CHECK(nearest < 0.02);
        if (!(nearest < 0.02)) printf("%s %s: no event at t = %g s\n", formulation, integrator, r.passed_t[i]);
    }
}

static const char governor[] = "cardan: 1\n"
                               "parameters: {l: 0.4, phi: 0.6}\n"
                               "points: {O: [0,0,0], P1: [=l*sin(phi),0,=-l*cos(phi)], P2: "
                               "[=-l*sin(phi),0,=-l*cos(phi)], S: [0,0,=-2*l*cos(phi)]}\n"
                               "bodies:\n"
                               "  shaft: {at: O, mass: 1, inertia: [0.1,0.1,0.1]}\n"
                               "  u1: {at: P1, mass: 1}\n"
                               "  u2: {at: P2, mass: 1}\n"
                               "  d1: {at: P1}\n"
                               "  d2: {at: P2}\n"
                               "  sl: {at: S, mass: 3, inertia: [0.01,0.01,0.01]}\n"
                               "joints:\n"
                               "  spin: {revolute: [ground, shaft], at: O, axis: z, driver: =9*t}\n"
                               "  t1: {revolute: [shaft, u1], at: O, axis: y}\n"
                               "  t2: {revolute: [shaft, u2], at: O, axis: y}\n"
                               "  k1: {revolute: [u1, d1], at: P1, axis: y}\n"
                               "  k2: {revolute: [u2, d2], at: P2, axis: y}\n"
                               "  s1: {revolute: [d1, sl], at: S, axis: y}\n"
                               "  s2: {revolute: [d2, sl], at: S, axis: y}\n"
                               "  sleeve: {prismatic: [shaft, sl], at: S, axis: z}\n";

// Passed once, at the same time, without additional steps.
static void test_governor(const char* formulation, const char* integrator, double tolerance, long most_steps)
{
    cardan_description* d      = NULL;
    cardan_report       report = {0};
    cardan_run_settings run    = cardan_run_default();
    record              r      = {0};
    cardan_run_summary  summary;
    run.integrator     = cardan_integrator_find(integrator);
    run.tolerance      = tolerance;
    run.step           = 1e-3;
    run.end            = 0.6;
    run.event_callback = keep_event;
    run.user           = &r;
    CHECK(cardan_description_load_text(governor, "governor.yaml", NULL, &d, &report) == CARDAN_OK);
    CHECK(run_description(d, formulation, &run, &summary) == CARDAN_OK);
    CHECK(r.reported == 1 && !r.other);
    CHECK_NEAR(r.reported_t[0], 0.421511, 1e-5);
    CHECK(summary.steps <= most_steps);
    if (summary.steps > most_steps)
        printf("%s %s %g: %ld steps\n", formulation, integrator, tolerance, (long)summary.steps);
}

static const char four_bars[] = "cardan: 1\n"
                                "gravity: [0, -9.81, 0]\n"
                                "points: {P0: [0,0,0], Q0: [0,-1,0]}\n"
                                "bodies: {leg0: {rod: [P0, Q0], mass: 1}}\n"
                                "joints: {h0: {revolute: [ground, leg0], at: P0, axis: z, start: {q: 0.3, v: 10}}}\n"
                                "repeat:\n"
                                " - for: i in 1..15\n"
                                "   points: {P$i: [=i, 0, 0], Q$i: [=i, -1, 0]}\n"
                                "   bodies:\n"
                                "     leg$i: {rod: [P$i, Q$i], mass: 1}\n"
                                "     bar$i: {rod: [Q$(i-1), Q$i], mass: 0.5}\n"
                                "   joints:\n"
                                "     h$i: {revolute: [ground, leg$i], at: P$i, axis: z, start: {q: 0.3, v: 10}}\n"
                                "     b$i: {revolute: [leg$(i-1), bar$i], at: Q$(i-1), axis: z}\n"
                                "     c$i: {revolute: [bar$i, leg$i], at: Q$i, axis: z}\n";

// The legs stay parallel and move as one pendulum: t = integral of 1/v, v^2 = 100 + 2 K (cos q - cos 0.3), by Simpson's
// rule.
static double time_of_four_bars(double q)
{
    const double K = 9.81 * (16 * 0.5 + 15 * 0.5) / (16.0 / 3 + 15 * 0.5);
    double       t = 0;
    for (int i = 0; i <= 1000; ++i) {
        const double at = 0.3 + i * (q - 0.3) / 1000, v = sqrt(100 + 2 * K * (cos(at) - cos(0.3)));
        t += (i == 0 || i == 1000 ? 1 : i % 2 ? 4 : 2) * (q - 0.3) / 3000 / v;
    }
    return t;
}

// Fifteen in a row are singular at the same time. Which rows are redundant depends on the configuration.
static void test_four_bars(const char* formulation, double step)
{
    cardan_description* d      = NULL;
    cardan_report       report = {0};
    cardan_run_settings run    = cardan_run_default();
    record              r      = {0};
    cardan_run_summary  summary;
    run.integrator     = cardan_integrator_find("rk4");
    run.step           = step;
    run.end            = 0.6;
    run.event_callback = keep_event;
    run.user           = &r;
    CHECK(cardan_description_load_text(four_bars, "four_bars.yaml", NULL, &d, &report) == CARDAN_OK);
    CHECK(run_description(d, formulation, &run, &summary) == CARDAN_OK);
    CHECK(r.reported == 2 && !r.other);
    CHECK_NEAR(r.reported_t[0], time_of_four_bars(acos(0)), 1e-5);
    CHECK_NEAR(r.reported_t[1], time_of_four_bars(3 * acos(0)), 1e-5);
}

int main(void)
{
    static const double      tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
    const char* const* const formulations = every_formulation;
    for (int i = 0; i < EVERY_FORMULATION; ++i)
        for (int k = 0; k < 4; ++k) {
            RUN(test_reported(1, formulations[i], "dopri5", tolerances[k], 0));
            RUN(test_reported(9, formulations[i], "dopri5", tolerances[k], 0));
        }
    for (int i = 0; i < EVERY_FORMULATION; ++i) RUN(test_reported(1, formulations[i], "rk4", 0, 0.005));
    RUN(test_reported(1, "reduction", "dopri5", 1e-8, 0.02));
    RUN(test_reported(1, "reduction", "midpoint", 0, 0.001));
    RUN(test_reported(1, "reduction", "cvode-adams", 1e-8, 0));
    RUN(test_reported(1, "reduction", "cvode-bdf", 1e-8, 0));
    RUN(test_reported(1, "reduction", "ida", 1e-6, 0));
    RUN(test_reported(1, "reduction", "ida", 1e-8, 0));
    RUN(test_reported(9, "reduction", "ida", 1e-8, 0));
    RUN(test_reported(1, "reduction", "generalized-alpha", 1e-5, 0));
    RUN(test_reported(9, "reduction", "generalized-alpha", 1e-5, 0));
    for (int i = 0; i < 6; ++i) { // not lagrange: bodies without inertia
        RUN(test_windows(1, formulations[i], "regularized-euler"));
        RUN(test_windows(1, formulations[i], "regularized-midpoint"));
        RUN(test_windows(9, formulations[i], "regularized-midpoint"));
    }
    for (int i = 0; i < EVERY_FORMULATION; ++i) {
        RUN(test_without_stabilization(formulations[i], "dopri5"));
        RUN(test_without_stabilization(formulations[i], "rk4"));
    }
    for (int i = 0; i < EVERY_FORMULATION; ++i) {
        if (i != 6) RUN(test_governor(formulations[i], "dopri5", 1e-8, 60));
        RUN(test_governor(formulations[i], "dopri5", 1e-11, 400));
        RUN(test_governor(formulations[i], "rk4", 0, 600));
    }
    static const double steps[] = {0.001, 0.0015, 0.002, 0.003};
    for (int i = 0; i < 4; ++i) RUN(test_four_bars("reduction", steps[i]));
    RUN(test_four_bars("lagrange", 0.002));
    RUN(test_four_bars("regularized", 0.002));
    return test_end();
}
