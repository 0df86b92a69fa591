// SPDX-License-Identifier: BSD-3-Clause
// Wrong accelerations of generated code do not change a run: samples and events equal those of the library, also if
// samples and events are rare.
#include "sentences.h"
#include "test.h"

#include "dynamics/data.h"

#include <cardan/io.h>
#include <cardan/simulate.h>
#include <string.h>

static cardan_report report;
static cardan_data*  reference; // reference of the generated code
static double        from, to;  // [s] interval in which it is wrong
typedef enum fault {
    LARGE_ERROR,
    SMALL_ERROR,
    NO_RESULT
} fault; // a wrong value that makes the run fail, one that does not, or a failure with NaN, like that of invalid pivots
static fault active_fault;
static long  evaluations;

static int generated_code(const double* q, const double* v, const double* effort, const double* state, double t,
                          double* a, double* state_rate, double* power)
{
    (void)effort, (void)state_rate;
    ++evaluations;
    cardan_data_set_state(reference, t, q, v, state);
    cardan_data_accelerate(reference, a, NULL, NULL);
    *power = 0;
    if (t > from && t < to)
        a[0] = active_fault == SMALL_ERROR ? a[0] + 3 : active_fault == NO_RESULT ? (double)NAN : 1e5;
    return active_fault == NO_RESULT && t > from && t < to;
}

typedef struct record {
    int    samples, events;
    double t[64], q[64], keep_event[64];
} record;

static bool keep_sample(void* user, cardan_data* data, const cardan_sample* r)
{
    (void)data;
    record* it           = user;
    it->t[it->samples]   = r->t;
    it->q[it->samples++] = r->q[0];
    return true;
}

static void keep_event(void* user, cardan_data* data, const cardan_event* e)
{
    (void)data;
    record* it                   = user;
    it->keep_event[it->events++] = e->t;
}

static const char* const swing =
    "cardan: 1\nname: swing\nbodies:\n  bob: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}\njoints:\n"
    "  hinge: {revolute: [ground, bob], at: [0, 0, 0], axis: y, limits: {lower: -1, upper: 1.2}}\n";

static cardan_run_summary run_model(const cardan_model* m, const char* integrator, bool generated, record* it)
{
    cardan_data*        data    = NULL;
    cardan_run_summary  summary = {0};
    cardan_run_settings run     = cardan_run_default();
    *it                         = (record){0};
    evaluations                 = 0;
    cardan_report_clear(&report);
    CHECK(cardan_data_create(m, cardan_formulation_find("order-n"), &data, &report) == CARDAN_OK);
    run.integrator      = cardan_integrator_find(integrator);
    run.end             = 6;
    run.output_interval = 3;
    run.sample_callback = keep_sample;
    run.event_callback  = keep_event;
    run.user            = it;
    if (generated) data->compiled.rhs = generated_code;
    CHECK(cardan_simulate(data, &run, &summary, &report) == CARDAN_OK);
    cardan_data_destroy(data);
    return summary;
}

static void test_fault(const cardan_model* m, const char* integrator, double begin, double end, fault kind)
{
    record library, with;
    run_model(m, integrator, false, &library);
    from = begin, to = end, active_fault = kind;
    run_model(m, integrator, true, &with);
    CHECK(evaluations > 0);
    CHECK(library.samples == 3 && with.samples == 3);
    CHECK(library.events > 3 && with.events == library.events);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(with.t[i], library.t[i], 0);
        CHECK_NEAR(with.q[i], library.q[i], 1e-6);
    }
    for (int i = 0; i < library.events && i < with.events; ++i)
        CHECK_NEAR(with.keep_event[i], library.keep_event[i], 1e-6);
    bool reported = false;
    for (int i = 0; i < report.count; ++i) {
        if (report.message[i].code != CARDAN_CODE_GENERATED_CODE_MISMATCH) continue;
        CHECK_MESSAGE(&report.message[i], CARDAN_CODE_GENERATED_CODE_MISMATCH, "'swing'", "t = ");
        reported = true;
    }
    CHECK(reported == (begin < end && active_fault != NO_RESULT));
}

int main(void)
{
    cardan_description* description = NULL;
    cardan_model*       m           = NULL;
    CHECK(cardan_description_load_text(swing, "swing.yaml", NULL, &description, &report) == CARDAN_OK);
    CHECK(cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &m, &report) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("order-n"), &reference, &report) == CARDAN_OK);
    static const char* const integrator[] = {"dopri5", "cvode-adams", "rk4"};
    for (int i = 0; i < 3; ++i) {
        RUN(test_fault(m, integrator[i], 1, 0, SMALL_ERROR));   // correct everywhere
        RUN(test_fault(m, integrator[i], 1.3, 9, SMALL_ERROR)); // wrong from 1.3 s on
        RUN(test_fault(m, integrator[i], 1.3, 9, LARGE_ERROR)); // the run would fail or take very short steps
        RUN(test_fault(m, integrator[i], 3.5, 9, SMALL_ERROR)); // after a sample
        RUN(test_fault(m, integrator[i], 1.3, 4,
                       NO_RESULT)); // the library computes these evaluations, and the run does not restart
    }
    cardan_data_destroy(reference);
    cardan_model_destroy(m);
    cardan_description_destroy(description);
    RUN(test_sentences("test_generated_code_monitor"));
    return test_end();
}
