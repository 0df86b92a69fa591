// SPDX-License-Identifier: BSD-3-Clause
// Errors of the formulation `regularized` are proportional to the tolerance on spatial loops over 10 s: the Bricard
// mechanism with redundant rows, a spatial slider-crank, and a loop of revolute and spherical joints. Reference: the
// formulation augmented at tolerance 1e-13.
#include "sentences.h"
#include "test.h"

#include <cardan/cardan.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* const slider_crank =
    "cardan: 1\nname: spatial-slider-crank\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  crank: {rod: [[0, 0.1, 0.12], [0, 0.1, 0.2]], mass: 0.12}\n"
    "  rod: {rod: [[0, 0.1, 0.2], [0.28, 0, 0]], mass: 0.5}\n"
    "  slider: {mass: 2, at: [0.28, 0, 0], inertia: [0.0001, 0.0001, 0.0001]}\njoints:\n"
    "  A: {revolute: [ground, crank], at: [0, 0.1, 0.12], axis: x, start: {v: 6.2832}}\n"
    "  B: {spherical: [crank, rod], at: [0, 0.1, 0.2]}\n"
    "  C: {universal: [rod, slider], at: [0.28, 0, 0], axes: [[0, 1, 0], [0, 0, 1]]}\n"
    "  D: {prismatic: [ground, slider], at: [0.28, 0, 0], axis: x}\n";

static const char* const revolute_spherical =
    "cardan: 1\nname: rssr\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  crank: {rod: [[0, 0, 0], [0, 0.5, 0]], mass: 1}\n"
    "  coupler: {mass: 1, at: [0.6, 0.9, 0], inertia: [0.2, 0.2, 0.2]}\n"
    "  rocker: {rod: [[1.5, 0, 0], [1.5, 0, 1.2]], mass: 1.5}\njoints:\n"
    "  A: {revolute: [ground, crank], at: [0, 0, 0], axis: x, start: {v: 1}}\n"
    "  B: {spherical: [crank, coupler], at: [0, 0.5, 0]}\n"
    "  C: {spherical: [coupler, rocker], at: [1.5, 0, 1.2]}\n"
    "  D: {revolute: [rocker, ground], at: [1.5, 0, 0], axis: y}\n";

enum { MAX_VALUES = 64 };

typedef struct samples {
    int    count, nq, nv;
    bool   warned;                // a message reports less accuracy than the tolerance
    double x[12][2 * MAX_VALUES]; // q and v of each sample
} samples;

static bool keep(void* user, cardan_data* data, const cardan_sample* sample)
{
    (void)data;
    samples* it = user;
    if (it->count == 12) return false;
    memcpy(it->x[it->count], sample->q, (size_t)it->nq * sizeof(double));
    memcpy(it->x[it->count++] + it->nq, sample->v, (size_t)it->nv * sizeof(double));
    return true;
}

// Energy error of a run over 10 s; samples in `it`.
static double run_by(const char* text, const char* name, const char* stabilization, double tolerance, samples* it)
{
    const int           formulation = cardan_formulation_find(name);
    cardan_report       report;
    cardan_description* description = NULL;
    cardan_model*       model       = NULL;
    cardan_data*        data        = NULL;
    cardan_run_summary  summary     = {0};
    cardan_run_settings run         = cardan_run_default();
    cardan_report_clear(&report);
    CHECK((text ? cardan_description_load_text(text, "loop.yaml", NULL, &description, &report)
                : cardan_description_load(CARDAN_SOURCE "/models/bricard", NULL, &description, &report)) == CARDAN_OK);
    // the same coordinates for all formulations
    CHECK(cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &model, &report) == CARDAN_OK);
    CHECK(cardan_data_create(model, formulation, &data, &report) == CARDAN_OK);
    *it = (samples){.nq = cardan_model_get_view(model).nq, .nv = cardan_model_get_view(model).nv};
    CHECK(it->nq + it->nv <= 2 * MAX_VALUES);
    if (stabilization) run.stabilization = cardan_stabilization_find(stabilization);
    run.tolerance       = tolerance;
    run.end             = 10;
    run.output_interval = 1;
    run.sample_callback = keep;
    run.user            = it;
    CHECK(cardan_simulate(data, &run, &summary, &report) == CARDAN_OK);
    it->warned = false;
    for (int i = 0; i < report.count; ++i) {
        if (report.message[i].code != CARDAN_CODE_ENERGY_ERROR) continue;
        CHECK_MESSAGE(&report.message[i], CARDAN_CODE_ENERGY_ERROR, "'Bricard mechanism'", "'regularized'",
                      "'baumgarte'", "1e-10", "'projection'");
        it->warned = true;
    }
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
    return summary.energy_error;
}

static double distance(const samples* a, const samples* b)
{
    double limit = a->count == b->count && a->count == 11 ? 0 : INFINITY;
    for (int k = 0; k < a->count && k < b->count; ++k)
        for (int i = 0; i < a->nq + a->nv; ++i) limit = fmax(limit, fabs(a->x[k][i] - b->x[k][i]));
    return limit;
}

// Energy error relative to the tolerance.
static void test_drift(const char* text, double tolerance, double limit)
{
    samples      it;
    const double drift = run_by(text, "regularized", NULL, tolerance, &it);
    if (!(drift <= limit * tolerance)) printf("energy error %g with a tolerance of %g\n", drift, tolerance);
    CHECK(drift <= limit * tolerance);
    CHECK(!it.warned);
}

// With Baumgarte stabilization and redundant rows the accuracy is lower than the tolerance: a message reports it.
static void test_baumgarte(void)
{
    samples      it;
    const double fine = run_by(NULL, "regularized", "baumgarte", 1e-8, &it);
    CHECK(fine < 1e-7 && !it.warned);
    const double drift = run_by(NULL, "regularized", "baumgarte", 1e-10, &it);
    CHECK(it.warned == (drift > 30 * 1e-10));
    CHECK(drift < 1e-7);
}

// Errors of positions and velocities relative to the tolerance.
static void test_motion(const char* text, const char* stabilization, double tolerance, double limit)
{
    samples exact, it;
    run_by(text, "augmented", NULL, 1e-13, &exact);
    run_by(text, "regularized", stabilization, tolerance, &it);
    CHECK_NEAR(distance(&it, &exact), 0, limit * tolerance);
}

int main(void)
{
    RUN(test_drift(NULL, 1e-8, 10));
    RUN(test_drift(NULL, 1e-10, 10));
    RUN(test_drift(NULL, 1e-12, 20));
    RUN(test_drift(slider_crank, 1e-8, 20));
    RUN(test_drift(slider_crank, 1e-10, 30));
    RUN(test_drift(revolute_spherical, 1e-10, 10));
    RUN(test_drift(revolute_spherical, 1e-12, 20));
    RUN(test_motion(NULL, NULL, 1e-8, 20));
    RUN(test_motion(NULL, NULL, 1e-10, 20));
    RUN(test_motion(NULL, NULL, 1e-12, 50));
    RUN(test_baumgarte());
    RUN(test_sentences("test_regularized_tolerance"));
    return test_end();
}
