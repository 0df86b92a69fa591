// SPDX-License-Identifier: BSD-3-Clause
// Generated code on a mechanism that passes singular poses: the N-four-bar with 40 loops over 10 s (benchmark A02), by
// every formulation whose coordinates code is generated for, against its equation of motion with one degree of freedom,
//
//   ((N + 1)/3 + N) l theta'' = -((N + 1)/2 + N) g cos(theta).
//
// Near the ten singular poses the code's accelerations amplify rounding of the state: runs that used it there left the
// motion. Rows are few, so that comparisons at rows do not hide anything.
#include "fixture.h"

#include "dynamics/data.h"

#include <cardan/generate.h>
#include <cardan/simulate.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOOPS = 40, STEPS = 100000 };
static const double duration = 10, g = 9.81;

static double slope(double theta)
{
    return -((LOOPS + 1) / 2.0 + LOOPS) * g * cos(theta) / ((LOOPS + 1) / 3.0 + LOOPS);
}

// Turn and rate of the cranks at the end, by Runge-Kutta's method of order 4; its error is below 1e-10.
static void reference(double* turn, double* rate)
{
    const double h = duration / STEPS, begin = acos(0);
    double       x = begin, v = -1;
    for (int i = 0; i < STEPS; ++i) {
        const double a1 = slope(x), v2 = v + h / 2 * a1, a2 = slope(x + h / 2 * v), v3 = v + h / 2 * a2,
                     a3 = slope(x + h / 2 * v2), v4 = v + h * a3, a4 = slope(x + h * v3);
        x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    *turn = x - begin;
    *rate = v;
}

typedef struct last_row {
    const cardan_model* model;
    double              turn, rate; // what they should be
    double              t, off;     // of all cranks
} last_row;

static bool keep(void* user, cardan_data* data, const cardan_sample* row)
{
    (void)data;
    last_row* it = user;
    it->t        = row->t;
    it->off      = 0;
    for (int i = 0; i <= LOOPS; ++i) {
        char name[16];
        snprintf(name, sizeof name, "A%d", i);
        const cardan_index_range slot =
            cardan_model_get_view(it->model)
                .tree_range[cardan_description_find_joint(cardan_model_description(it->model), name)];
        it->off = fmax(it->off, fmax(fabs(row->q[slot.q] - it->turn), fabs(row->v[slot.v] - it->rate)));
    }
    return true;
}

static void by(const char* name, double tolerance, double output)
{
    const int                 formulation = cardan_formulation_find(name);
    cardan_report             report;
    cardan_description*       description = NULL;
    cardan_model*             model       = NULL;
    cardan_data*              data        = NULL;
    cardan_compiled_code*     library     = NULL;
    cardan_compiled_code_info facts;
    cardan_summary            summary = {0};
    cardan_run                run     = cardan_run_default();
    last_row                  it      = {0};
    cardan_report_clear(&report);
    reference(&it.turn, &it.rate);
    CHECK(cardan_family_generate("n-four-bar", LOOPS, NULL, &description, &report) == CARDAN_OK);
    CHECK(cardan_model_compile(description, cardan_formulation_tree_policy(formulation), &model, &report) == CARDAN_OK);
    CHECK(cardan_data_create(model, formulation, &data, &report) == CARDAN_OK);
    CHECK(cardan_compiled_code_open(model, CARDAN_COMPILED_RHS, INFINITY, &library, &facts, &report) == CARDAN_OK);
    CHECK(cardan_data_set_compiled_code(data, library) == CARDAN_OK);
    it.model            = model;
    run.tolerance       = tolerance;
    run.end             = duration;
    run.output_interval = output;
    run.sample_callback = keep;
    run.user            = &it;
    CHECK(cardan_simulate(data, &run, &summary, &report) == CARDAN_OK);
    CHECK_NEAR(it.t, duration, 1e-12);
    CHECK_NEAR(it.off, 0, 1000 * tolerance);
    CHECK(summary.generated_evaluations > summary.evaluations / 3);
    for (int i = 0; i < report.count; ++i) CHECK(report.message[i].severity == CARDAN_NOTE);
    cardan_data_destroy(data);
    cardan_compiled_code_close(library);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
}

// ---- code that is wrong somewhere, in place of generated code: two loops, few rows

static cardan_data* right;    // what the code should give
static int          crank;    // coordinate of a crank
static double       from, to; // [s] where it is wrong
static long         asked, near;

static int code(const double* q, const double* v, const double* effort, const double* state, double t, double* a,
                double* state_rate, double* power)
{
    (void)effort, (void)state_rate;
    ++asked;
    if (fabs(cos(q[crank])) < 0.03) ++near; // the cranks lie flat after a quarter of a turn
    cardan_data_set_state(right, t, q, v, state);
    cardan_accelerate(right, a, NULL, NULL);
    *power = 0;
    if (t > from && t < to) a[crank] += 1e-4;
    return 0;
}

// How many warnings a run gives whose code is wrong from `begin` to `end`.
static int run_by(const char* name, double begin, double end)
{
    const int           formulation = cardan_formulation_find(name);
    cardan_report       report;
    cardan_description* description = NULL;
    cardan_model*       model       = NULL;
    cardan_data*        data        = NULL;
    cardan_summary      summary     = {0};
    cardan_run          run         = cardan_run_default();
    int                 warnings    = 0;
    cardan_report_clear(&report);
    CHECK(cardan_family_generate("n-four-bar", 2, NULL, &description, &report) == CARDAN_OK);
    CHECK(cardan_model_compile(description, cardan_formulation_tree_policy(formulation), &model, &report) == CARDAN_OK);
    CHECK(cardan_data_create(model, formulation, &data, &report) == CARDAN_OK);
    CHECK(cardan_data_create(model, cardan_formulation_find("augmented"), &right, &report) == CARDAN_OK);
    crank = cardan_model_get_view(model).tree_range[cardan_description_find_joint(description, "A0")].q;
    from  = begin;
    to    = end;
    asked = near        = 0;
    run.end             = 4;
    run.output_interval = 4;
    data->generated_rhs = code;
    CHECK(cardan_simulate(data, &run, &summary, &report) == CARDAN_OK);
    for (int i = 0; i < report.count; ++i) warnings += report.message[i].severity == CARDAN_WARNING;
    cardan_data_destroy(right);
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
    return warnings;
}

// Poses beside a singular one are evaluated by the library.
static void is_not_asked_near(const char* name)
{
    CHECK(run_by(name, 1, 0) == 0);
    CHECK(asked > 300);
    CHECK(near == 0);
}

// An error between rows, in few steps and small: it is found whenever it occurs.
static void is_compared_between_rows(const char* name)
{
    for (int i = 0; i < 10; ++i) {
        const double begin = 1.45 + 0.1 * i;
        CHECK(run_by(name, begin, begin + 0.1) == 1);
    }
}

int main(void)
{
    const char* const formulation[] = {"augmented-last", "augmented", "embedding", "reduction", "order-n"};
    for (size_t i = 0; i < sizeof formulation / sizeof *formulation; ++i) {
        RUN(is_not_asked_near(formulation[i]));
        RUN(is_compared_between_rows(formulation[i]));
        RUN(by(formulation[i], 1e-8, 0.5));
        RUN(by(formulation[i], 1e-9, 0.5));
        RUN(by(formulation[i], 1e-9, 5));
    }
    RUN(by("augmented-dense", 1e-6, 5));
    return test_end();
}
