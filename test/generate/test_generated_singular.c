// SPDX-License-Identifier: BSD-3-Clause
// Generated code on a mechanism that passes singular configurations: the N-four-bar with 40 loops over 10 s (benchmark
// A02), with every formulation for whose coordinates code is generated, against the equation of motion of its single
// degree of freedom,
//
//   ((N + 1)/3 + N) l theta'' = -((N + 1)/2 + N) g cos(theta).
//
// Near the ten singular configurations, accelerations of the code amplify the round-off of the state, and runs that
// used them there left the correct motion. The output interval is long, so that comparisons at output samples do not
// hide such errors.
#include "fixture.h"

#include "dynamics/data.h"

#include <cardan/generate.h>
#include <cardan/simulate.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOOPS = 40, STEPS = 100000 };
static const double duration = 10, g = 9.81;

static double acceleration(double theta)
{
    return -((LOOPS + 1) / 2.0 + LOOPS) * g * cos(theta) / ((LOOPS + 1) / 3.0 + LOOPS);
}

// Angle and rate of the cranks at the end, by the Runge-Kutta method of order 4; its error is below 1e-10.
static void reference(double* angle, double* rate)
{
    const double h = duration / STEPS, begin = acos(0);
    double       x = begin, v = -1;
    for (int i = 0; i < STEPS; ++i) {
        const double a1 = acceleration(x), v2 = v + h / 2 * a1, a2 = acceleration(x + h / 2 * v), v3 = v + h / 2 * a2,
                     a3 = acceleration(x + h / 2 * v2), v4 = v + h * a3, a4 = acceleration(x + h * v3);
        x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    *angle = x - begin;
    *rate  = v;
}

typedef struct last_sample {
    const cardan_model* model;
    double              angle, rate; // reference values
    double              t, error;    // time and largest error of all cranks
} last_sample;

static bool compare_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    (void)data;
    last_sample* it = user;
    it->t           = sample->t;
    it->error       = 0;
    for (int i = 0; i <= LOOPS; ++i) {
        char name[16];
        snprintf(name, sizeof name, "A%d", i);
        const cardan_index_range range =
            cardan_model_get_view(it->model)
                .tree_range[cardan_description_find_joint(cardan_model_description(it->model), name)];
        it->error = fmax(it->error, fmax(fabs(sample->q[range.q] - it->angle), fabs(sample->v[range.v] - it->rate)));
    }
    return true;
}

static void test_run(const char* name, double tolerance, double output)
{
    const int                 formulation = cardan_formulation_find(name);
    cardan_report             report;
    cardan_description*       description = NULL;
    cardan_model*             model       = NULL;
    cardan_data*              data        = NULL;
    cardan_compiled_code*     library     = NULL;
    cardan_compiled_code_info info;
    cardan_run_summary        summary = {0};
    cardan_run_settings       run     = cardan_run_default();
    last_sample               it      = {0};
    cardan_report_clear(&report);
    reference(&it.angle, &it.rate);
    CHECK(cardan_family_generate("n-four-bar", LOOPS, NULL, &description, &report) == CARDAN_OK);
    CHECK(cardan_model_compile(description, cardan_formulation_tree_policy(formulation), &model, &report) == CARDAN_OK);
    CHECK(cardan_data_create(model, formulation, &data, &report) == CARDAN_OK);
    CHECK(cardan_compiled_code_open(model, CARDAN_COMPILED_RHS, INFINITY, &library, &info, &report) == CARDAN_OK);
    CHECK(cardan_data_set_compiled_code(data, library) == CARDAN_OK);
    it.model            = model;
    run.tolerance       = tolerance;
    run.end             = duration;
    run.output_interval = output;
    run.sample_callback = compare_sample;
    run.user            = &it;
    CHECK(cardan_simulate(data, &run, &summary, &report) == CARDAN_OK);
    CHECK_NEAR(it.t, duration, 1e-12);
    CHECK_NEAR(it.error, 0, 1000 * tolerance);
    CHECK(summary.generated_evaluations > summary.evaluations / 3);
    for (int i = 0; i < report.count; ++i) CHECK(report.message[i].severity == CARDAN_NOTE);
    cardan_data_destroy(data);
    cardan_compiled_code_close(library);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
}

// ---- faulty code in place of generated code: two loops, one output sample

static cardan_data* reference_data; // evaluates the correct accelerations
static int          crank;          // coordinate of a crank
static double       from, to;       // [s] interval in which the code is wrong
static long         calls, calls_near_singular;

static int faulty_rhs(const double* q, const double* v, const double* effort, const double* state, double t, double* a,
                      double* state_rate, double* power)
{
    (void)effort, (void)state_rate;
    ++calls;
    // the configuration is singular at crank angles of 90 degrees
    if (fabs(cos(q[crank])) < 0.03) ++calls_near_singular;
    cardan_data_set_state(reference_data, t, q, v, state);
    cardan_data_accelerate(reference_data, a, NULL, NULL);
    *power = 0;
    if (t > from && t < to) a[crank] += 1e-4;
    return 0;
}

// Number of warnings of a run whose code is wrong from `begin` to `end`.
static int count_warnings(const char* name, double begin, double end)
{
    const int           formulation = cardan_formulation_find(name);
    cardan_report       report;
    cardan_description* description = NULL;
    cardan_model*       model       = NULL;
    cardan_data*        data        = NULL;
    cardan_run_summary  summary     = {0};
    cardan_run_settings run         = cardan_run_default();
    int                 warnings    = 0;
    cardan_report_clear(&report);
    CHECK(cardan_family_generate("n-four-bar", 2, NULL, &description, &report) == CARDAN_OK);
    CHECK(cardan_model_compile(description, cardan_formulation_tree_policy(formulation), &model, &report) == CARDAN_OK);
    CHECK(cardan_data_create(model, formulation, &data, &report) == CARDAN_OK);
    CHECK(cardan_data_create(model, cardan_formulation_find("augmented"), &reference_data, &report) == CARDAN_OK);
    crank = cardan_model_get_view(model).tree_range[cardan_description_find_joint(description, "A0")].q;
    from  = begin;
    to    = end;
    calls = calls_near_singular = 0;
    run.end                     = 4;
    run.output_interval         = 4;
    data->compiled.rhs          = faulty_rhs;
    CHECK(cardan_simulate(data, &run, &summary, &report) == CARDAN_OK);
    for (int i = 0; i < report.count; ++i) warnings += report.message[i].severity == CARDAN_WARNING;
    cardan_data_destroy(reference_data);
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
    return warnings;
}

// Near a singular configuration the library evaluates the accelerations.
static void test_library_near_singular(const char* name)
{
    CHECK(count_warnings(name, 1, 0) == 0);
    CHECK(calls > 300);
    CHECK(calls_near_singular == 0);
}

// A small error in a few steps between output samples is always detected.
static void test_comparison_between_samples(const char* name)
{
    for (int i = 0; i < 10; ++i) {
        const double begin = 1.45 + 0.1 * i;
        CHECK(count_warnings(name, begin, begin + 0.1) == 1);
    }
}

int main(void)
{
    const char* const formulation[] = {"augmented-last", "augmented", "embedding", "reduction", "order-n"};
    for (size_t i = 0; i < sizeof formulation / sizeof *formulation; ++i) {
        RUN(test_library_near_singular(formulation[i]));
        RUN(test_comparison_between_samples(formulation[i]));
        RUN(test_run(formulation[i], 1e-8, 0.5));
        RUN(test_run(formulation[i], 1e-9, 0.5));
        RUN(test_run(formulation[i], 1e-9, 5));
    }
    RUN(test_run("augmented-dense", 1e-6, 5));
    return test_end();
}
