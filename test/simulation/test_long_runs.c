// SPDX-License-Identifier: BSD-3-Clause
// Runs with more than a thousand events: each is reported once, at its time, and the angles of all joints have the
// correct winding numbers for all step sizes.
#include "test.h"

#include <cardan/cardan.h>
#include <math.h>
#include <string.h>

typedef struct record {
    long   count, wrong; // events; events at wrong times
    double last;
    double angle[4], speed[4]; // of the joints at the last sample
    double largest_difference; // largest difference of equal angles, at samples
    double (*when)(long i);
    double tolerance;
} record;

static void keep_event(void* user, cardan_data* data, const cardan_event* event)
{
    record* x = user;
    (void)data;
    if (fabs(event->t - x->when(x->count)) > x->tolerance || !(event->t > x->last)) ++x->wrong;
    x->last = event->t;
    ++x->count;
}

static bool keep_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    record* x = user;
    (void)sample;
    for (int j = 0; j < 4 && j < cardan_model_get_view(cardan_data_model(data)).njoint; ++j)
        cardan_data_joint_state(data, j, &x->angle[j], &x->speed[j]);
    x->largest_difference =
        fmax(x->largest_difference, fmax(fabs(x->angle[0] - x->angle[2]), fabs(x->angle[0] + x->angle[1])));
    return true;
}

static cardan_status run_model(const char* text, const char* formulation, const char* integrator, double end,
                               double output, record* x, cardan_run_summary* summary)
{
    cardan_description* d      = NULL;
    cardan_model*       m      = NULL;
    cardan_data*        data   = NULL;
    cardan_report       report = {0};
    cardan_run_settings run    = cardan_run_default();
    const int           f      = cardan_formulation_find(formulation);
    run.integrator             = cardan_integrator_find(integrator);
    run.end                    = end;
    run.output_interval        = output;
    run.event_callback         = x->when ? keep_event : NULL;
    run.sample_callback        = keep_sample;
    run.user                   = x;
    cardan_status status       = cardan_description_load_text(text, "scene.yaml", NULL, &d, &report);
    if (!status) status = cardan_model_compile(d, cardan_formulation_tree_policy(f), &m, &report);
    if (!status) status = cardan_data_create(m, f, &data, &report);
    if (!status) status = cardan_simulate(data, &run, summary, &report);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return status;
}

// A ball of 1 kg falls from 2 cm onto a spring of 1e6 N/m that acts in compression only: down, in contact, up.
static const double g = 9.81, height = 0.02, frequency = 1e3;

static double contact(void)
{
    const double v = sqrt(2 * g * height);
    return 2 * (M_PI - atan2(v / frequency, g / (frequency * frequency))) / frequency;
}

static double bounce(long i)
{
    const double v = sqrt(2 * g * height), period = 2 * v / g + contact();
    return v / g + (double)(i / 2) * period + (i % 2 ? contact() : 0);
}

static void test_bounces(void)
{
    record             x = {.when = bounce, .tolerance = 1e-3};
    cardan_run_summary summary;
    CHECK(run_model(
              "cardan: 1\nbodies: {ball: {at: [0, 0, 0.02], mass: 1, inertia: [0.1, 0.1, 0.1]}}\n"
              "joints: {s: {prismatic: [ground, ball], at: [0, 0, 0], axis: z, start: {q: 0.02}, limits: {lower: 0, "
              "upper: 10, stiffness: 1e6}}}\n",
              "cholesky", "dopri5", 100, 1, &x, &summary) == CARDAN_OK);
    CHECK(x.count == 1528 && summary.events == 1528 && bounce(1527) < 100 && bounce(1528) > 100);
    CHECK(x.wrong == 0 && summary.energy_error < 1e-4 && summary.samples == 101);
}

// A parallelogram rotates at 20 rad/s without forces, through a singular configuration at every half revolution, 1,273
// of them; steps are not limited. It starts a quarter of a revolution before one.
static const char rotating[] =
    "cardan: 1\ngravity: [0, 0, 0]\npoints: {A: [0, 0, 0], B: [0, 0.5, 0], C: [2, 0.5, 0], D: [2, 0, 0]}\n"
    "bodies: {a: {rod: [A, B], mass: 1}, b: {rod: [B, C], mass: 1}, c: {rod: [D, C], mass: 1}}\n"
    "joints:\n  A: {revolute: [ground, a], at: A, axis: z, start: {v: 20}}\n  B: {revolute: [a, b], at: B, axis: z}\n"
    "  C: {revolute: [b, c], at: C, axis: z}\n  D: {revolute: [ground, c], at: D, axis: z}\n";

static double singular_time(long i) { return M_PI / 20 * ((double)i + 0.5); }

static void test_singular_events(const char* formulation)
{
    record             x = {.when = singular_time, .tolerance = 0.02};
    cardan_run_summary summary;
    CHECK(run_model(rotating, formulation, "dopri5", 200, 1, &x, &summary) == CARDAN_OK);
    CHECK(x.count == 1273 && summary.events == 1273 && x.wrong == 0);
    CHECK_NEAR(x.angle[0], 4000, 1e-3);
    CHECK(x.largest_difference < 1e-9);
}

// The winding number of the joint that closes the loop is correct for all steps, output intervals and formulations.
static void test_winding_number(const char* formulation, const char* integrator, double end)
{
    static const double output[] = {1, 0.03, 7};
    for (int i = 0; i < 3; ++i) {
        record             x = {0};
        cardan_run_summary summary;
        CHECK(run_model(rotating, formulation, integrator, end, output[i], &x, &summary) == CARDAN_OK);
        CHECK_NEAR(x.angle[0], 20 * end, 1e-3);
        CHECK_NEAR(x.angle[3], 20 * end, 1e-3);
        CHECK(x.largest_difference < 1e-9);
    }
}

int main(void)
{
    RUN(test_bounces());
    RUN(test_singular_events("augmented"));
    RUN(test_singular_events("embedding"));
    RUN(test_singular_events("reduction"));
    RUN(test_winding_number("reduction", "dopri5", 50));
    RUN(test_winding_number("reduction", "ida", 20));
    RUN(test_winding_number("augmented", "generalized-alpha", 20));
    RUN(test_winding_number("augmented", "rk4", 5));
    RUN(test_winding_number("lagrange", "dopri5", 5));
    return test_end();
}
