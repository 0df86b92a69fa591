// SPDX-License-Identifier: BSD-3-Clause
// Long rope ladders by lagrange: eliminated from ground outward, accelerations agree with reduction, runs keep the
// constraints, multipliers are free of amplified round-off. Ladders with redundant rows get another elimination order,
// which finds all of them. Results with several threads are bit-identical.
#include "fixture.h"

#include "dynamics/data.h"
#include "formulation/maximal/kkt_system.h"

#include <cardan/family.h>

static bool open_ladder(fixture* f, const char* family, int cells, const char* formulation)
{
    *f               = (fixture){0};
    const int  index = cardan_formulation_find(formulation);
    const bool good  = cardan_family_generate(family, cells, NULL, &f->description, &f->report) == CARDAN_OK &&
                      cardan_model_compile(f->description, cardan_formulation_tree_policy(index), &f->model,
                                           &f->report) == CARDAN_OK &&
                      cardan_data_create(f->model, index, &f->data, &f->report) == CARDAN_OK;
    if (good) f->m = cardan_model_get_view(f->model);
    CHECK(good);
    return good;
}

// Motions of all bodies of the description, with accelerations.
static cardan_motion* body_motions(fixture* f, int* count)
{
    *count              = cardan_description_get_view(f->description).nbody;
    double*        a    = calloc((size_t)f->m.nv, sizeof *a);
    cardan_motion* body = calloc((size_t)*count, sizeof *body);
    CHECK(cardan_data_accelerate(f->data, a, NULL, &f->report) == CARDAN_OK);
    cardan_data_body_motions(f->data, a, body);
    free(a);
    return body;
}

static void check_equal(fixture* f, fixture* g, double tolerance)
{
    int            n, same;
    cardan_motion *a = body_motions(f, &n), *b = body_motions(g, &same);
    double         linear = 0, angular = 0, largest = 0;
    CHECK(n == same);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k) {
            linear  = fmax(linear, fabs(a[i].a[k] - b[i].a[k]));
            angular = fmax(angular, fabs(a[i].alpha[k] - b[i].alpha[k]));
            largest = fmax(largest, fabs(b[i].alpha[k]));
        }
    CHECK(largest > 1);
    CHECK_NEAR(linear, 0, tolerance * largest);
    CHECK_NEAR(angular, 0, tolerance * largest);
    free(a), free(b);
}

static const char* order_of(const fixture* f)
{
    return cd_ordering_at(((const cd_kkt_system*)f->data->formulation_work)->ordering)->name;
}

static void test_agrees(const char* family, int cells, const char* order, int null, double tolerance)
{
    fixture f, g;
    if (open_ladder(&f, family, cells, "lagrange") && open_ladder(&g, family, cells, "reduction")) {
        check_equal(&f, &g, tolerance);
        CHECK(strcmp(order_of(&f), order) == 0);
        CHECK_NEAR(cardan_data_redundant_rows(f.data, 0, NULL, NULL), null, 0);
        fixture_close(&g);
    }
    fixture_close(&f);
}

typedef struct multiplier_monitor {
    fixture* f;
    double   largest; // largest multiplier
} multiplier_monitor;

static bool record_multipliers(void* user, double t)
{
    multiplier_monitor* w = user;
    (void)t;
    for (int i = 0; i < w->f->data->rows.nrow; ++i) w->largest = fmax(w->largest, fabs(w->f->data->solve.lambda[i]));
    return true;
}

static double energy(fixture* f)
{
    const cardan_energies e = cardan_data_energy(f->data);
    return e.kinetic + e.potential;
}

// Simulate the fall from standstill to `end`. Returns the change of energy; *largest: largest multiplier of all steps.
static double fall(fixture* f, double h, double end, double* largest)
{
    multiplier_monitor  w   = {.f = f};
    cardan_run_settings run = cardan_run_default();
    cardan_run_summary  summary;
    run.integrator = cardan_integrator_find("semi-implicit-euler");
    run.step       = h;
    run.end = run.output_interval = end;
    run.progress_callback         = record_multipliers;
    run.user                      = &w;
    CHECK(cardan_data_set_state(f->data, 0, f->m.q_start, f->m.v_start, f->m.state_start) == CARDAN_OK);
    const double before = energy(f);
    CHECK(cardan_simulate(f->data, &run, &summary, &f->report) == CARDAN_OK);
    CHECK(summary.max_position_violation < 1e-10 && summary.max_velocity_violation < 1e-10);
    *largest = w.largest;
    return energy(f) - before;
}

// The energy error is that of the integrator, which is of first order: half the step, half the error.
static void test_energy(int cells)
{
    fixture f;
    double  largest;
    if (open_ladder(&f, "rope-ladder-spatial", cells, "lagrange"))
        CHECK_NEAR(fall(&f, 1e-3, 0.03, &largest) / fall(&f, 5e-4, 0.03, &largest), 2, 0.01);
    fixture_close(&f);
}

// Multipliers of all steps have the size of those of the last state, which are solved with refinement: no amplified
// round-off.
static void test_multipliers(int cells)
{
    fixture f;
    double  largest, last = 0;
    if (open_ladder(&f, "rope-ladder-spatial", cells, "lagrange")) {
        fall(&f, 1e-3, 0.02, &largest);
        CHECK(cardan_data_accelerate(f.data, f.data->scratch.nv, NULL, &f.report) == CARDAN_OK);
        for (int i = 0; i < f.data->rows.nrow; ++i) last = fmax(last, fabs(f.data->solve.lambda[i]));
        CHECK(last > 100);
        CHECK(largest < 4 * last);
    }
    fixture_close(&f);
}

static void test_threads(int cells)
{
    fixture f;
    if (open_ladder(&f, "rope-ladder-spatial", cells, "lagrange")) {
        double *one = calloc((size_t)f.m.nv, sizeof *one), *two = calloc((size_t)f.m.nv, sizeof *two);
        CHECK(cardan_data_accelerate(f.data, one, NULL, &f.report) == CARDAN_OK);
        CHECK(cardan_data_set_threads(f.data, 2, &f.report) == CARDAN_OK);
        CHECK(cardan_data_set_state(f.data, 1, f.m.q_start, f.m.v_start, f.m.state_start) == CARDAN_OK);
        CHECK(cardan_data_set_state(f.data, 0, f.m.q_start, f.m.v_start, f.m.state_start) == CARDAN_OK);
        CHECK(cardan_data_accelerate(f.data, two, NULL, &f.report) == CARDAN_OK);
        CHECK(memcmp(one, two, (size_t)f.m.nv * sizeof *one) == 0);
        free(one), free(two);
    }
    fixture_close(&f);
}

int main(void)
{
    RUN(test_agrees("rope-ladder-spatial", 300, "outward", 0, 1e-11));
    RUN(test_agrees("rope-ladder-spatial", 1200, "outward", 0, 1e-10));
    RUN(test_agrees("rope-ladder", 1000, "nested-dissection", 1000, 1e-12));
    RUN(test_energy(1200));
    RUN(test_multipliers(10000));
    RUN(test_threads(1500));
    return test_end();
}
