// SPDX-License-Identifier: BSD-3-Clause
// Steps and factorizations of a run: they do not depend on the distance from the origin, and little on the formulation.
#include "test.h"

#include "dynamics/data.h"
#include "formulation/coordinate_reduction/fronts.h"

#include <cardan/cardan.h>
#include <cardan/family.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Whipple bicycle with the data of Meijaard et al. (2007), with forward velocity.
static const char* const bicycle =
    "cardan: 1\nname: bicycle\nparameters: {w: 1.02, c: 0.08, tilt: =pi/10, rR: 0.3, rF: 0.35, v: 4.6, away: 0 }\n"
    "bodies:\n"
    "  frame: {mass: 85, inertia: [9.2, 11, 2.8, 0, 2.4, 0], at: [=away+0.3, 0, 0.9]}\n"
    "  rear:  {mass: 2, inertia: [0.0603, 0.12, 0.0603], at: [=away, 0, =rR]}\n"
    "  fork:  {mass: 4, inertia: [0.05892, 0.06, 0.00708, 0, -0.00756, 0], at: [=away+0.9, 0, 0.7]}\n"
    "  front: {mass: 3, inertia: [0.1405, 0.28, 0.1405], at: [=away+w, 0, =rF]}\n"
    "markers:\n"
    "  rear_hub:  {on: rear, relative: rear, orientation: {axis: x, angle: =-pi/2}}\n"
    "  front_hub: {on: front, relative: front, orientation: {axis: x, angle: =-pi/2}}\n"
    "joints:\n"
    "  frame: {free: [ground, frame], start: {v: [=v, 0, 0, 0.2, 0, 0], guess: true}}\n"
    "  rear:  {revolute: [frame, rear], at: [=away, 0, =rR], axis: [0, 1, 0], start: {v: =v/rR, guess: true}}\n"
    "  steer: {revolute: [frame, fork], at: [=away+w+c, 0, 0], axis: [\"=-sin(tilt)\", 0, \"=cos(tilt)\"]}\n"
    "  front: {revolute: [fork, front], at: [=away+w, 0, =rF], axis: [0, 1, 0], start: {v: =v/rF, guess: true}}\n"
    "constraints:\n"
    "  rear_contact:  {rolling: [rear_hub, ground], radius: =rR}\n"
    "  front_contact: {rolling: [front_hub, ground], radius: =rF}\n"
    "forces: {push: {force: [10, 0, 0], on: frame}}\n";

// Counts of the first and of the second half of a run.
typedef struct cost {
    double half;
    long   steps[2], factors[2];
    double largest_pivot, smallest_pivot; // largest and smallest value of the smallest row pivot, over the samples
    bool   inward;                        // reduction: elimination order at the end
} cost;

static bool count_step(void* user, double t)
{
    cost* e = user;
    ++e->steps[t > e->half];
    return true;
}

static bool count_factors(void* user, cardan_data* data, const cardan_sample* sample)
{
    cost*        e                  = user;
    const double least              = data->history.conditioning.min_pivot_rel;
    e->factors[sample->t > e->half] = data->solve.nfactorization - (sample->t > e->half ? e->factors[0] : 0);
    e->largest_pivot                = fmax(e->largest_pivot, least);
    e->smallest_pivot               = sample->t == 0 ? least : fmin(e->smallest_pivot, least);
    return true;
}

static cost simulate(const cardan_description* d, const char* formulation, cardan_run_settings run)
{
    cardan_model*      m      = NULL;
    cardan_data*       data   = NULL;
    cardan_report      report = {0};
    cardan_run_summary summary;
    cost               e  = {.half = run.end / 2};
    const int          f  = cardan_formulation_find(formulation);
    run.output_interval   = 0.01;
    run.sample_callback   = count_factors;
    run.progress_callback = count_step;
    run.user              = &e;
    CHECK(cardan_model_compile(d, cardan_formulation_tree_policy(f), &m, &report) == CARDAN_OK);
    CHECK(cardan_data_create(m, f, &data, &report) == CARDAN_OK);
    CHECK(cardan_simulate(data, &run, &summary, &report) == CARDAN_OK);
    if (strcmp(formulation, "reduction") == 0)
        e.inward = ((const cd_reduction_workspace*)data->formulation_work)->fronts.nroot == 0;
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    return e;
}

static bool is_about(long a, long b, double part) { return fabs((double)a - (double)b) <= part * (double)b; }

// It rolls 112 m. The number of steps is that of another formulation, in the second half as in the first, and the
// pivots keep their size.
static void test_rolling(void)
{
    cardan_description* d      = NULL;
    cardan_report       report = {0};
    cardan_run_settings run    = cardan_run_default();
    run.end                    = 20;
    run.tolerance              = 1e-10;
    CHECK(cardan_description_load_text(bicycle, "bicycle.yaml", NULL, &d, &report) == CARDAN_OK);
    const cost e = simulate(d, "reduction", run), other = simulate(d, "augmented", run);
    for (int i = 0; i < 2; ++i) {
        CHECK(is_about(e.steps[i], other.steps[i], 0.05));
        CHECK(is_about(e.factors[i], other.factors[i], 0.05));
    }
    CHECK((double)e.factors[1] < 1.1 * (double)e.factors[0]);
    CHECK(e.smallest_pivot > 0.5 * e.largest_pivot);
    cardan_description_destroy(d);
}

// The pivots of a mechanism do not depend on its position.
static void test_position(void)
{
    double least[2];
    for (int i = 0; i < 2; ++i) {
        char  text[4096];
        char* away;
        snprintf(text, sizeof text, "%s", bicycle);
        away = strstr(text, "away: 0 }");
        CHECK(away != NULL);
        if (!away) return;
        if (i == 1) memcpy(away, "away: 99}", 9);
        cardan_description* d      = NULL;
        cardan_report       report = {0};
        cardan_run_settings run    = cardan_run_default();
        run.end                    = 0.1;
        CHECK(cardan_description_load_text(text, "bicycle.yaml", NULL, &d, &report) == CARDAN_OK);
        least[i] = simulate(d, "reduction", run).smallest_pivot;
        cardan_description_destroy(d);
    }
    CHECK_NEAR(least[1], least[0], 1e-6 * least[0]);
}

// A row of four-bars passes configurations where all of them are singular. After them the pivots are as large as
// before.
static void test_pivots_after_singularity(void)
{
    cardan_description* d      = NULL;
    cardan_report       report = {0};
    cardan_run_settings run    = cardan_run_default();
    CHECK(cardan_family_generate("n-four-bar", 40, NULL, &d, &report) == CARDAN_OK);
    run.integrator = cardan_integrator_find("rk4");
    run.step       = 0.001;
    run.end        = 3.1;
    const cost e = simulate(d, "reduction", run), other = simulate(d, "augmented", run);
    CHECK((double)e.factors[1] < 1.2 * (double)other.factors[1]);
    cardan_description_destroy(d);
}

// After the passage, the elimination order with fewer operations is used again.
static void test_order_after_singularity(void)
{
    const cardan_parameter_setting fast    = {"rate", "-8"};
    const cardan_load_options      options = {.nsetting = 1, .setting = &fast};
    cardan_description*            d       = NULL;
    cardan_report                  report  = {0};
    cardan_run_settings            run     = cardan_run_default();
    run.end                                = 4;
    CHECK(cardan_family_generate("n-four-bar", 40, &options, &d, &report) == CARDAN_OK);
    CHECK(simulate(d, "reduction", run).inward);
    cardan_description_destroy(d);
}

int main(void)
{
    RUN(test_rolling());
    RUN(test_position());
    RUN(test_pivots_after_singularity());
    RUN(test_order_after_singularity());
    return test_end();
}
