// SPDX-License-Identifier: BSD-3-Clause
// Long rope ladders by lagrange: eliminated from ground outward they agree with reduction, keep closed in runs, and
// their multipliers do not answer rounding; where rows repeat others the order is another one, and tells them all;
// threads change no bit.
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

// Bodies of the description, with their accelerations.
static cardan_motion* accelerated(fixture* f, int* count)
{
    *count              = cardan_description_get_view(f->description).nbody;
    double*        a    = calloc((size_t)f->m.nv, sizeof *a);
    cardan_motion* body = calloc((size_t)*count, sizeof *body);
    CHECK(cardan_accelerate(f->data, a, NULL, &f->report) == CARDAN_OK);
    cardan_body_motions(f->data, a, body);
    free(a);
    return body;
}

static void check_alike(fixture* f, fixture* g, double part)
{
    int            n, same;
    cardan_motion *a = accelerated(f, &n), *b = accelerated(g, &same);
    double         off = 0, turn = 0, most = 0;
    CHECK(n == same);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k) {
            off  = fmax(off, fabs(a[i].a[k] - b[i].a[k]));
            turn = fmax(turn, fabs(a[i].alpha[k] - b[i].alpha[k]));
            most = fmax(most, fabs(b[i].alpha[k]));
        }
    CHECK(most > 1);
    CHECK_NEAR(off, 0, part * most);
    CHECK_NEAR(turn, 0, part * most);
    free(a), free(b);
}

static const char* order_of(const fixture* f)
{
    return cd_ordering_at(((const cd_kkt_system*)f->data->formulation_work)->ordering)->name;
}

static void test_agrees(const char* family, int cells, const char* order, int null, double part)
{
    fixture f, g;
    if (open_ladder(&f, family, cells, "lagrange") && open_ladder(&g, family, cells, "reduction")) {
        check_alike(&f, &g, part);
        CHECK(strcmp(order_of(&f), order) == 0);
        CHECK_NEAR(cardan_redundant_rows(f.data, 0, NULL, NULL), null, 0);
        fixture_close(&g);
    }
    fixture_close(&f);
}

typedef struct watched {
    fixture* f;
    double   most; // of the multipliers
} watched;

static bool watch(void* user, double t)
{
    watched* w = user;
    (void)t;
    for (int i = 0; i < w->f->data->rows.nrow; ++i) w->most = fmax(w->most, fabs(w->f->data->lambda[i]));
    return true;
}

static double energy(fixture* f)
{
    const cardan_energies e = cardan_energy(f->data);
    return e.kinetic + e.potential;
}

// To `end` from rest. Returns the change of the energy; the largest multiplier of a step.
static double fall(fixture* f, double h, double end, double* most)
{
    watched        w   = {.f = f};
    cardan_run     run = cardan_run_default();
    cardan_summary summary;
    run.integrator = cardan_integrator_find("semi-implicit-euler");
    run.step       = h;
    run.end = run.output_interval = end;
    run.progress_callback         = watch;
    run.user                      = &w;
    CHECK(cardan_data_set_state(f->data, 0, f->m.q_start, f->m.v_start, f->m.state_start) == CARDAN_OK);
    const double before = energy(f);
    CHECK(cardan_simulate(f->data, &run, &summary, &f->report) == CARDAN_OK);
    CHECK(summary.max_position_violation < 1e-10 && summary.max_velocity_violation < 1e-10);
    *most = w.most;
    return energy(f) - before;
}

// The error of the method, which is of first order, and nothing else.
static void test_energy(int cells)
{
    fixture f;
    double  most;
    if (open_ladder(&f, "rope-ladder-spatial", cells, "lagrange"))
        CHECK_NEAR(fall(&f, 1e-3, 0.03, &most) / fall(&f, 5e-4, 0.03, &most), 2, 0.01);
    fixture_close(&f);
}

// Forces of the mechanism in all steps, not of rounding: those at the end are solved for to the last digits.
static void test_multipliers(int cells)
{
    fixture f;
    double  most, last = 0;
    if (open_ladder(&f, "rope-ladder-spatial", cells, "lagrange")) {
        fall(&f, 1e-3, 0.02, &most);
        CHECK(cardan_accelerate(f.data, f.data->scratch_nv, NULL, &f.report) == CARDAN_OK);
        for (int i = 0; i < f.data->rows.nrow; ++i) last = fmax(last, fabs(f.data->lambda[i]));
        CHECK(last > 100);
        CHECK(most < 4 * last);
    }
    fixture_close(&f);
}

static void test_threads(int cells)
{
    fixture f;
    if (open_ladder(&f, "rope-ladder-spatial", cells, "lagrange")) {
        double *one = calloc((size_t)f.m.nv, sizeof *one), *two = calloc((size_t)f.m.nv, sizeof *two);
        CHECK(cardan_accelerate(f.data, one, NULL, &f.report) == CARDAN_OK);
        CHECK(cardan_data_set_threads(f.data, 2, &f.report) == CARDAN_OK);
        CHECK(cardan_data_set_state(f.data, 1, f.m.q_start, f.m.v_start, f.m.state_start) == CARDAN_OK);
        CHECK(cardan_data_set_state(f.data, 0, f.m.q_start, f.m.v_start, f.m.state_start) == CARDAN_OK);
        CHECK(cardan_accelerate(f.data, two, NULL, &f.report) == CARDAN_OK);
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
