// SPDX-License-Identifier: BSD-3-Clause
// Samples at singular configurations, and steps across them. A parallelogram without forces rotates at a constant rate
// w; when it is flat its mobility is two, which must not influence the results. Its coupler moves on a circle of 1 m
// without rotation, so that with half of its mass at each pin
//
//     the force on a crank at ground is (1/2 + 1/2) w^2 along the crank, inward,
//
// by continuity at the flat configuration as well, where the joints could carry additional forces along the line. Under
// gravity, falling with w^2 = 1 + 12/5 g (0.8 - sin(angle)), it is 3/2 g - 6/5 g perpendicular to the flat crank.
#include "parallelogram.h"
#include "test.h"

#include <stdio.h>

static const double pi = 3.14159265358979323846, g = 9.81;

typedef struct record {
    double v, along,
        across; // largest errors at samples: velocities; reactions along the crank and perpendicular to it
    int    rows, singular, others;
    double t[8];
    double (*angle)(double t, double* w, double* across); // of the cranks, their rate, the force perpendicular to them
} record;

static void keep_event(void* user, cardan_data* data, const cardan_event* event)
{
    record* r = user;
    (void)data;
    if (event->kind != CARDAN_EVENT_SINGULAR)
        ++r->others;
    else if (r->singular < 8)
        r->t[r->singular++] = event->t;
}

static bool keep_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    record*         r = user;
    cardan_reaction reaction[4];
    double          w, across;
    const double    angle = r->angle(sample->t, &w, &across), c = cos(angle), s = sin(angle);
    for (int j = 0; j < 4; ++j) {
        double q, v;
        cardan_data_joint_state(data, j, &q, &v);
        r->v = fmax(r->v, fabs(v - (j == 1 ? -w : w)));
    }
    cardan_data_reactions(data, sample->a, reaction);
    const double* F = reaction[0].force;
    r->along        = fmax(r->along, fabs(F[0] * c + F[1] * s - (across != 0 ? 3 * g / 2 * s : 0) + w * w));
    r->across       = fmax(r->across, fabs(F[1] * c - F[0] * s - across));
    ++r->rows;
    return true;
}

static bool run_parallelogram(cardan_description* d, const char* formulation, const char* integrator, double step,
                              double end, double interval, record* r)
{
    cardan_run_settings run = cardan_run_default();
    cardan_run_summary  summary;
    run.integrator      = cardan_integrator_find(integrator);
    run.tolerance       = 1e-8;
    run.step            = step;
    run.end             = end;
    run.output_interval = interval;
    run.event_callback  = keep_event;
    run.sample_callback = keep_sample;
    run.user            = r;
    return run_description(d, formulation, &run, &summary) == CARDAN_OK;
}

// ---- free rotation: samples every 0.25 s, those at 0.5 and 1.5 s at singular configurations

static double rotation(double t, double* w, double* across)
{
    *w      = pi;
    *across = 0;
    return pi / 2 + pi * t;
}

static bool run_freely(const char* formulation, const char* integrator, double step, record* r)
{
    r->angle = rotation;
    return run_parallelogram(parallelogram_at(0, 1, pi, 0), formulation, integrator, step, 2, 0.25, r);
}

static void test_rotation(const char* formulation, const char* integrator, double step, double good)
{
    record     r      = {0};
    const bool passes = run_freely(formulation, integrator, step, &r);
    CHECK(passes);
    CHECK(r.rows == 9);
    CHECK(r.v < good);
    CHECK(r.along < 1e3 * good && r.across < 1e3 * good);
    CHECK(r.singular == 2 && r.others == 0);
    for (int i = 0; i < r.singular; ++i) CHECK_NEAR(r.t[i], 0.5 + i, 1e-3);
    if (!passes || r.v >= good || r.along >= 1e3 * good || r.across >= 1e3 * good || r.singular != 2)
        printf("    %s, %s, step %g: velocities %.2g, reactions %.2g along and %.2g perpendicular, %d singular "
               "configurations\n",
               formulation, integrator, step, r.v, r.along, r.across, r.singular);
}

static void test_singular_samples(void)
{
    for (int i = 0; i < EVERY_FORMULATION; ++i) test_rotation(every_formulation[i], "dopri5", 0, 1e-6);
}

static void test_fixed_steps(void)
{
    for (int i = 0; i < EVERY_FORMULATION; ++i) test_rotation(every_formulation[i], "rk4", 0, 1e-6);
}

// Steps that end at the singular configuration, and steps with stages at it; compliant rows have no solution there.
static void test_any_step(void)
{
    static const char* const integrator[] = {"rk4", "midpoint", "semi-implicit-euler", "explicit-euler"};
    static const double      step[]       = {0.00025, 0.001, 0.01, 0.0123, 0.05, 0.1};
    for (size_t i = 0; i < sizeof integrator / sizeof *integrator; ++i)
        for (size_t k = 0; k < sizeof step / sizeof *step; ++k) {
            test_rotation("regularized", integrator[i], step[k], 1e-6);
            test_rotation("reduction", integrator[i], step[k], 1e-6);
        }
}

// Adaptive methods.
static void test_adaptive_steps(void)
{
    static const char* const integrator[] = {"cvode-adams", "cvode-bdf", "generalized-alpha", "hht", "ida"};
    for (size_t i = 0; i < sizeof integrator / sizeof *integrator; ++i)
        test_rotation("regularized", integrator[i], 0, 1e-5);
}

// Methods that solve for multipliers and positions of free bodies find no step to the singular configuration: the
// fallback integrator crosses it, and the report has a note.
static void test_fallback(void)
{
    static const char* const integrator[] = {"generalized-alpha", "hht", "ida"};
    for (size_t i = 0; i < sizeof integrator / sizeof *integrator; ++i)
        test_rotation("lagrange", integrator[i], 0, 1e-5);
}

// Windows of sequential regularization leave violations; along the line their multipliers are those of the motion.
static void test_windows(void)
{
    static const char* const formulation[] = {"regularized", "reduction", "order-n"};
    for (size_t i = 0; i < sizeof formulation / sizeof *formulation; ++i) {
        record euler = {0}, midpoint = {0};
        CHECK(run_freely(formulation[i], "regularized-euler", 0.001, &euler));
        CHECK(run_freely(formulation[i], "regularized-midpoint", 0.001, &midpoint));
        CHECK(euler.rows == 9 && euler.v < 1e-2 && euler.across < 1e-2 && euler.along < 0.3 * pi * pi);
        CHECK(midpoint.rows == 9 && midpoint.v < 5e-3 && midpoint.across < 5e-3 && midpoint.along < 0.3 * pi * pi);
    }
}

// ---- falling

// By Runge-Kutta in n steps, from sin(angle) = 0.8 and w = 1 on.
static double falling(double t, double* w, double* across)
{
    enum { n = 2000 };
    const double k = 6 * g / 5, h = t / n;
    double       angle = atan2(0.8, 0.6);
    *w                 = 1;
    for (int i = 0; i < n; ++i) {
        const double k1 = -k * cos(angle), w2 = *w + h / 2 * k1, k2 = -k * cos(angle + h / 2 * *w),
                     w3 = *w + h / 2 * k2, k3 = -k * cos(angle + h / 2 * w2), w4 = *w + h * k3,
                     k4 = -k * cos(angle + h * w3);
        angle += h * (*w + 2 * w2 + 2 * w3 + w4) / 6;
        *w += h * (k1 + 2 * k2 + 2 * k3 + k4) / 6;
    }
    *across = 3 * g / 10 * cos(angle);
    return angle;
}

// Time of the flat configuration to the last digit.
static double flat_time(void)
{
    double t = 0.665, w, across;
    for (int i = 0; i < 5; ++i) t -= falling(t, &w, &across) / w;
    return t;
}

// A sample at the singular configuration, inside a step: the interpolated values are exact to rounding.
static void test_falling(void)
{
    static const char* const integrator[] = {"dopri5", "cvode-adams", "cvode-bdf", "ida", "generalized-alpha", "hht"};
    const double             t            = flat_time();
    for (size_t i = 0; i < sizeof integrator / sizeof *integrator; ++i)
        for (int f = 0; f < EVERY_FORMULATION; ++f) {
            record     r      = {.angle = falling};
            const bool passes = run_parallelogram(parallelogram_at(0.6, 0.8, 1, g), every_formulation[f], integrator[i],
                                                  0, 1.05 * t, t, &r);
            const bool good   = passes && r.rows == 3 && r.v < 1e-5 && r.along < 1e-3 && r.across < 1e-3 &&
                              r.singular == 1 && r.others == 0 && fabs(r.t[0] - t) < 1e-5;
            CHECK(good);
            if (!good)
                printf("    %s, %s: velocities %.2g, reactions %.2g along and %.2g perpendicular, %d poses at %g s, %d "
                       "others\n",
                       every_formulation[f], integrator[i], r.v, r.along, r.across, r.singular, r.t[0], r.others);
        }
}

int main(void)
{
    RUN(test_singular_samples());
    RUN(test_fixed_steps());
    RUN(test_any_step());
    RUN(test_adaptive_steps());
    RUN(test_fallback());
    RUN(test_windows());
    RUN(test_falling());
    return test_end();
}
