// SPDX-License-Identifier: BSD-3-Clause
// Rows that fall on singular poses, and steps so long that they jump across them. A parallelogram free of forces turns
// at a constant rate w: whenever it lies flat its mobility is two, and nothing may come of that. Its coupler moves on a
// circle of 1 m without turning, so that with half of its mass at each pin
//
//     the force on a crank at ground is (1/2 + 1/2) w^2 along the crank, inward,
//
// by continuity at the flat pose as well, where joints could carry more along the line. Under its weight, falling with
// w^2 = 1 + 12/5 g (0.8 - sin(angle)), it is 3/2 g - 6/5 g across the crank that lies flat.
#include "parallelogram.h"
#include "test.h"

#include <stdio.h>

static const double pi = 3.14159265358979323846, g = 9.81;

typedef struct record {
    double v, along,
        across; // largest errors at rows: velocities; reactions beside those along the crank, and across it
    int    rows, singular, others;
    double t[8];
    double (*angle)(double t, double* w, double* across); // of the cranks, their rate, the force across them
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

static bool keep_row(void* user, cardan_data* data, const cardan_sample* row)
{
    record*         r = user;
    cardan_reaction reaction[4];
    double          w, across;
    const double    angle = r->angle(row->t, &w, &across), c = cos(angle), s = sin(angle);
    for (int j = 0; j < 4; ++j) {
        double q, v;
        cardan_joint_state(data, j, &q, &v);
        r->v = fmax(r->v, fabs(v - (j == 1 ? -w : w)));
    }
    cardan_reactions(data, row->a, reaction);
    const double* F = reaction[0].force;
    r->along        = fmax(r->along, fabs(F[0] * c + F[1] * s - (across != 0 ? 3 * g / 2 * s : 0) + w * w));
    r->across       = fmax(r->across, fabs(F[1] * c - F[0] * s - across));
    ++r->rows;
    return true;
}

static bool run_parallelogram(cardan_description* d, const char* formulation, const char* integrator, double step,
                              double end, double interval, record* r)
{
    cardan_run     run = cardan_run_default();
    cardan_summary summary;
    run.integrator      = cardan_integrator_find(integrator);
    run.tolerance       = 1e-8;
    run.step            = step;
    run.end             = end;
    run.output_interval = interval;
    run.event_callback  = keep_event;
    run.sample_callback = keep_row;
    run.user            = r;
    return run_description(d, formulation, &run, &summary) == CARDAN_OK;
}

// ---- turning freely: rows every quarter of a second, those at 0.5 and 1.5 s on the line

static double turns(double t, double* w, double* across)
{
    *w      = pi;
    *across = 0;
    return pi / 2 + pi * t;
}

static bool run_freely(const char* formulation, const char* integrator, double step, record* r)
{
    r->angle = turns;
    return run_parallelogram(parallelogram_at(0, 1, pi, 0), formulation, integrator, step, 2, 0.25, r);
}

static void turn(const char* formulation, const char* integrator, double step, double good)
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
        printf("    %s, %s, step %g: velocities %.2g, reactions %.2g along and %.2g across, %d singular poses\n",
               formulation, integrator, step, r.v, r.along, r.across, r.singular);
}

static void test_rows_on_singular_poses(void)
{
    for (int i = 0; i < EVERY_FORMULATION; ++i) turn(every_formulation[i], "dopri5", 0, 1e-6);
}

static void test_fixed_steps(void)
{
    for (int i = 0; i < EVERY_FORMULATION; ++i) turn(every_formulation[i], "rk4", 0, 1e-6);
}

// Steps that end on the pose, and steps whose stages do; soft rows have no solution there, and no direction that tells
// of it.
static void test_any_step(void)
{
    static const char* const integrator[] = {"rk4", "midpoint", "semi-implicit-euler", "explicit-euler"};
    static const double      step[]       = {0.00025, 0.001, 0.01, 0.0123, 0.05, 0.1};
    for (size_t i = 0; i < sizeof integrator / sizeof *integrator; ++i)
        for (size_t k = 0; k < sizeof step / sizeof *step; ++k) {
            turn("regularized", integrator[i], step[k], 1e-6);
            turn("reduction", integrator[i], step[k], 1e-6);
        }
}

// Methods with steps of their own.
static void test_own_steps(void)
{
    static const char* const integrator[] = {"cvode-adams", "cvode-bdf", "generalized-alpha", "hht", "ida"};
    for (size_t i = 0; i < sizeof integrator / sizeof *integrator; ++i) turn("regularized", integrator[i], 0, 1e-5);
}

// Those that solve for multipliers beside the positions of free bodies find no step towards the pose: another method
// goes across, and the report says so.
static void test_stand_in(void)
{
    static const char* const integrator[] = {"generalized-alpha", "hht", "ida"};
    for (size_t i = 0; i < sizeof integrator / sizeof *integrator; ++i) turn("lagrange", integrator[i], 0, 1e-5);
}

// Windows leave gaps; along the line their multipliers are those that the motion had, not what gaps would make of them.
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
static double falls(double t, double* w, double* across)
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

// When it lies flat, to the last digit.
static double flat_at(void)
{
    double t = 0.665, w, across;
    for (int i = 0; i < 5; ++i) t -= falls(t, &w, &across) / w;
    return t;
}

// A row at the pose itself, which no step ends at: what is interpolated there is within rounding of it.
static void test_falling(void)
{
    static const char* const integrator[] = {"dopri5", "cvode-adams", "cvode-bdf", "ida", "generalized-alpha", "hht"};
    const double             t            = flat_at();
    for (size_t i = 0; i < sizeof integrator / sizeof *integrator; ++i)
        for (int f = 0; f < EVERY_FORMULATION; ++f) {
            record     r      = {.angle = falls};
            const bool passes = run_parallelogram(parallelogram_at(0.6, 0.8, 1, g), every_formulation[f], integrator[i],
                                                  0, 1.05 * t, t, &r);
            const bool good   = passes && r.rows == 3 && r.v < 1e-5 && r.along < 1e-3 && r.across < 1e-3 &&
                              r.singular == 1 && r.others == 0 && fabs(r.t[0] - t) < 1e-5;
            CHECK(good);
            if (!good)
                printf(
                    "    %s, %s: velocities %.2g, reactions %.2g along and %.2g across, %d poses at %g s, %d others\n",
                    every_formulation[f], integrator[i], r.v, r.along, r.across, r.singular, r.t[0], r.others);
        }
}

int main(void)
{
    RUN(test_rows_on_singular_poses());
    RUN(test_fixed_steps());
    RUN(test_any_step());
    RUN(test_own_steps());
    RUN(test_stand_in());
    RUN(test_windows());
    RUN(test_falling());
    return test_end();
}
