// SPDX-License-Identifier: BSD-3-Clause
// Driver functions with discontinuous rates. A pendulum hangs on a slide that is driven along a piecewise linear
// function of time. Between the knots it moves as on a fixed slide; where the velocity of the slide jumps by u, that of
// the pendulum, a rod of length 1, jumps by
//
//   m u cos(q) / 2 = -(m / 3) w,     w = -3/2 u cos(q)
//
// All formulations and integrators reach the same state for all step sizes, and energy and work balance.
#include "parallelogram.h"
#include "test.h"

#include <stdio.h>

static const double g = 9.81;

// Knots of the driver function of the slide.
typedef struct driver_function {
    int    n;
    double t[8], x[8], rate; // at the start
} driver_function;

static void swing(double h, long steps, double* q, double* w)
{
    for (long i = 0; i < steps; ++i) {
        const double a1 = -1.5 * g * sin(*q), w2 = *w + h / 2 * a1, a2 = -1.5 * g * sin(*q + h / 2 * *w),
                     w3 = *w + h / 2 * a2, a3 = -1.5 * g * sin(*q + h / 2 * w2), w4 = *w + h * a3,
                     a4 = -1.5 * g * sin(*q + h * w3);
        *q += h / 6 * (*w + 2 * w2 + 2 * w3 + w4);
        *w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
}

// State at the last knot.
static void integrate_reference(const driver_function* l, double* q, double* w)
{
    double rate = l->rate;
    *q          = 0.3;
    *w          = 0;
    for (int i = 0; i + 1 < l->n; ++i) {
        const double next = (l->x[i + 1] - l->x[i]) / (l->t[i + 1] - l->t[i]);
        *w += -1.5 * (next - rate) * cos(*q);
        rate = next;
        swing((l->t[i + 1] - l->t[i]) / 2000, 2000, q, w);
    }
}

typedef struct ending {
    double q, w;
    long   rows;
} ending;

static bool keep_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    ending* e = user;
    (void)sample;
    cardan_data_joint_state(data, 1, &e->q, &e->w);
    ++e->rows;
    return true;
}

static cardan_status run_text(const char* text, const char* formulation, const char* integrator, double step, ending* e,
                              cardan_run_summary* summary)
{
    cardan_description* d      = NULL;
    cardan_report       report = {0};
    cardan_run_settings run    = cardan_run_default();
    *e                         = (ending){0};
    run.integrator             = cardan_integrator_find(integrator);
    run.tolerance              = step > 0 ? 0 : 1e-8;
    run.step                   = step;
    run.end                    = 2;
    run.output_interval        = 0.05;
    run.sample_callback        = keep_sample;
    run.user                   = e;
    CHECK(cardan_description_load_text(text, "kinks.yaml", NULL, &d, &report) == CARDAN_OK);
    return run_description(d, formulation, &run, summary);
}

static void write_model(const char* tables, const char* driver, size_t size, char* text)
{
    snprintf(text, size,
             "cardan: 1\n"
             "gravity: [0, -9.81, 0]\n"
             "%s"
             "points: {A: [0,0,0], B: [0,-1,0]}\n"
             "bodies:\n"
             "  slide: {at: A, mass: 1, inertia: [1,1,1]}\n"
             "  rod: {rod: [A, B], mass: 1}\n"
             "joints:\n"
             "  s: {prismatic: [ground, slide], at: A, axis: x, driver: \"=%s\"}\n"
             "  h: {revolute: [slide, rod], at: A, axis: z, start: {q: 0.3}}\n",
             tables, driver);
}

static void check_end(const driver_function* l, const char* tables, const char* driver, const char* formulation,
                      const char* integrator, double step, double near)
{
    char               text[1000];
    ending             e;
    cardan_run_summary summary;
    double             q, w;
    write_model(tables, driver, sizeof text, text);
    integrate_reference(l, &q, &w);
    CHECK(run_text(text, formulation, integrator, step, &e, &summary) == CARDAN_OK);
    CHECK(e.rows == 41);
    CHECK_NEAR(e.q, q, near);
    CHECK_NEAR(e.w, w, 5 * near);
    CHECK(summary.energy_error < near);
}

// Knots between samples and at a sample.
static const driver_function knots = {5, {0, 0.503, 1, 1.5, 2}, {0, 0.3, 1, 1.2, 2}, 0.3 / 0.503};
static const char* const     table = "tables: {s: {x: [0,0.503,1,1.5,2], y: [0,0.3,1,1.2,2]}}\n";

static void test_table(const char* formulation, const char* integrator, double step, double near)
{
    check_end(&knots, table, "s(t)", formulation, integrator, step, near);
}

// At t0 the rate of |t - t0| is neither that before nor that after.
static void test_absolute(const char* integrator, double step, double near)
{
    check_end(&(driver_function){3, {0, 0.75, 2}, {0.75, 0, 1.25}, -1}, "", "abs(t - 0.75)", "reduction", integrator,
              step, near);
    check_end(&(driver_function){3, {0, 0.7531, 2}, {0.7531, 0, 1.2469}, -1}, "", "abs(t - 0.7531)", "reduction",
              integrator, step, near);
}

// Zero for some roundings only.
static void test_rounded_zero(const char* formulation, const char* integrator, double step, double near)
{
    check_end(&(driver_function){3, {0, 1.0 / 3, 2}, {0.3, 0, 1.5}, -0.9}, "", "0.3*abs(3*t - 1)", formulation,
              integrator, step, near);
}

// At the start there is no time before the knot.
static void test_start(const char* integrator, double step)
{
    check_end(&(driver_function){2, {0, 2}, {0, 2}, 1}, "", "abs(t)", "reduction", integrator, step, 1e-6);
}

// Samples of the kinematic analysis at a velocity discontinuity have the values after it, like those of a simulation.
static bool keep_rates(void* user, cardan_data* data, const cardan_sample* sample)
{
    double* rate = user;
    (void)data;
    rate[lround(20 * sample->t)] = sample->v[0];
    return true;
}

static void test_kinematics(void)
{
    static const char   text[] = "cardan: 1\n"
                                 "bodies: {slide: {at: [0, 0, 0], mass: 1, inertia: [1, 1, 1]}}\n"
                                 "joints: {s: {prismatic: [ground, slide], at: [0, 0, 0], axis: x, driver: \"=abs(t) + "
                                 "abs(3*t - 0.75)\"}}\n";
    cardan_description* d      = NULL;
    cardan_model*       m      = NULL;
    cardan_data*        data   = NULL;
    cardan_report       report = {0};
    cardan_run_summary  summary;
    cardan_run_settings run      = cardan_run_default();
    double              rate[11] = {0};
    run.end                      = 0.5;
    run.output_interval          = 0.05;
    run.sample_callback          = keep_rates;
    run.user                     = rate;
    CHECK(cardan_description_load_text(text, "kinks.yaml", NULL, &d, &report) == CARDAN_OK);
    CHECK(cardan_model_compile(d, CARDAN_TREE_BREADTH_FIRST, &m, &report) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("reduction"), &data, &report) == CARDAN_OK);
    CHECK(cardan_kinematic_analysis(data, &run, &summary, &report) == CARDAN_OK);
    for (int i = 0; i <= 10; ++i) CHECK_NEAR(rate[i], i < 5 ? -2 : 4, 1e-9);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

int main(void)
{
    for (int i = 0; i < EVERY_FORMULATION; ++i) {
        RUN(test_table(every_formulation[i], "dopri5", 0, 1e-6));
        RUN(test_table(every_formulation[i], "rk4", 0.01, 1e-6));
        RUN(test_table(every_formulation[i], "rk4", 0.07, 1e-3));
    }
    RUN(test_table("reduction", "cvode-adams", 0, 1e-5));
    RUN(test_table("reduction", "cvode-bdf", 0, 1e-5));
    RUN(test_table("reduction", "ida", 0, 1e-4));
    RUN(test_table("lagrange", "ida", 0, 1e-4));
    RUN(test_table("reduction", "generalized-alpha", 0, 1e-4));
    RUN(test_table("reduction", "midpoint", 0.002, 1e-4));
    RUN(test_table("reduction", "regularized-midpoint", 0.002, 1e-3));
    RUN(test_absolute("dopri5", 0, 1e-6));
    RUN(test_absolute("rk4", 0.01, 1e-6));
    RUN(test_absolute("rk4", 0.07, 1e-3));
    for (int i = 0; i < EVERY_FORMULATION; ++i) RUN(test_rounded_zero(every_formulation[i], "dopri5", 0, 1e-6));
    RUN(test_rounded_zero("reduction", "rk4", 0.01, 1e-6));
    RUN(test_start("dopri5", 0));
    RUN(test_start("rk4", 0.01));
    RUN(test_kinematics());
    return test_end();
}
