// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms without degrees of freedom, a body welded to ground and a flat triangle of rods: all integrators and
// formulations simulate them, also with a user state, without warnings.
#include "test.h"
#include "yaml_text.h"

#include <cardan/cardan.h>

#define BODY                                                                                                           \
    "cardan: 1\n"                                                                                                      \
    "name: welded\n"                                                                                                   \
    "bodies: {body: {mass: 1, at: [0, 0, 0]}}\n"                                                                       \
    "joints: {weld: {fixed: [ground, body]}}\n"

static const char welded[] = BODY;
static const char state[]  = BODY "states: {x: {start: 1, rate: \"=-50*x + sin(t)\"}}\n";
static const char truss[] =
    "cardan: 1\n"
    "name: truss\n"
    "points: {O: [0, 0, 0], P: [1, 0, 0], X: [0.5, 1, 0]}\n"
    "bodies: {a: {rod: [O, X], mass: 1, radius: 0.02}, b: {rod: [P, X], mass: 1, radius: 0.02}}\n"
    "joints:\n"
    "  o: {revolute: [ground, a], at: O, axis: z}\n"
    "  p: {revolute: [ground, b], at: P, axis: z}\n"
    "  x: {revolute: [a, b], at: X, axis: z}\n";

typedef struct end_state {
    double v, x; // largest velocity of all samples; user state
} end_state;

static bool keep(void* user, cardan_data* data, const cardan_sample* sample)
{
    end_state*              e = user;
    const cardan_model_view m = cardan_model_get_view(cardan_data_model(data));
    for (int i = 0; i < m.nv; ++i) e->v = fmax(e->v, fabs(sample->v[i]));
    if (sample->state) e->x = sample->state[0];
    return true;
}

static void test_run(const char* text, const char* formulation, bool has_state)
{
    cardan_description* d     = yaml_load(text);
    cardan_model*       model = NULL;
    cardan_data*        data  = NULL;
    cardan_report       report;
    const int           index = cardan_formulation_find(formulation);
    cardan_report_clear(&report);
    CHECK(cardan_model_compile(d, cardan_formulation_tree_policy(index), &model, &report) == CARDAN_OK);
    CHECK(cardan_data_create(model, index, &data, &report) == CARDAN_OK);
    for (int i = 0; data && i < cardan_integrator_count(); ++i) {
        end_state           e   = {0};
        cardan_run_summary  s   = {0};
        cardan_run_settings run = cardan_run_default();
        run.integrator          = i;
        run.end                 = 0.5;
        run.output_interval     = 0.25;
        run.sample_callback     = keep;
        run.user                = &e;
        cardan_report_clear(&report);
        const cardan_status status = cardan_simulate(data, &run, &s, &report);
        if (status || report.count)
            printf("%s, %s: %s\n", formulation, cardan_integrator_name(i), report.count ? report.message[0].text : "");
        CHECK(status == CARDAN_OK && report.count == 0);
        CHECK_NEAR(s.t, 0.5, 1e-12);
        CHECK_NEAR(e.v, 0, 1e-8);
        if (has_state) CHECK_NEAR(e.x, (50 * sin(0.5) - cos(0.5)) / 2501, 1e-5);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(model);
    cardan_description_destroy(d);
}

int main(void)
{
    static const char* const trees[] = {"implicit", "semi", "cholesky", "order-n", "augmented", "dense", "lagrange"};
    static const char* const loops[] = {"order-n", "augmented", "embedding", "reduction", "dense", "lagrange"};
    yaml_begin();
    for (size_t i = 0; i < sizeof trees / sizeof *trees; ++i) {
        RUN(test_run(welded, trees[i], false));
        RUN(test_run(state, trees[i], true));
    }
    for (size_t i = 0; i < sizeof loops / sizeof *loops; ++i) RUN(test_run(truss, loops[i], false));
    yaml_end();
    return test_end();
}
