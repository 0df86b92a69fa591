// SPDX-License-Identifier: BSD-3-Clause
// Generated code that is wrong somewhere leaves no trace in a run: rows and events are those of the library, however
// rare they are.
#include "sentences.h"
#include "test.h"

#include "dynamics/data.h"

#include <cardan/io.h>
#include <cardan/simulate.h>
#include <string.h>

static cardan_report report;
static cardan_data*  right;    // what the code should give
static double        from, to; // [s] where it is wrong
typedef enum fault {
    FAR_OFF,
    SILENT,
    LOST
} fault; // a number that fails, one that does not, or none, as where pivots are lost
static fault how;
static long  asked;

static int code(const double* q, const double* v, const double* effort, const double* state, double t, double* a,
                double* state_rate, double* power)
{
    (void)effort, (void)state_rate;
    ++asked;
    cardan_data_set_state(right, t, q, v, state);
    cardan_accelerate(right, a, NULL, NULL);
    *power = 0;
    if (t > from && t < to) a[0] = how == SILENT ? a[0] + 3 : how == LOST ? (double)NAN : 1e5;
    return how == LOST && t > from && t < to;
}

typedef struct record {
    int    rows, events;
    double t[64], q[64], event[64];
} record;

static bool row(void* user, cardan_data* data, const cardan_sample* r)
{
    (void)data;
    record* it        = user;
    it->t[it->rows]   = r->t;
    it->q[it->rows++] = r->q[0];
    return true;
}

static void event(void* user, cardan_data* data, const cardan_event* e)
{
    (void)data;
    record* it              = user;
    it->event[it->events++] = e->t;
}

static const char* const swing =
    "cardan: 1\nname: swing\nbodies:\n  bob: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}\njoints:\n"
    "  hinge: {revolute: [ground, bob], at: [0, 0, 0], axis: y, limits: {lower: -1, upper: 1.2}}\n";

static cardan_summary go(const cardan_model* m, const char* integrator, bool generated, record* it)
{
    cardan_data*   data    = NULL;
    cardan_summary summary = {0};
    cardan_run     run     = cardan_run_default();
    *it                    = (record){0};
    asked                  = 0;
    cardan_report_clear(&report);
    CHECK(cardan_data_create(m, cardan_formulation_find("order-n"), &data, &report) == CARDAN_OK);
    run.integrator      = cardan_integrator_find(integrator);
    run.end             = 6;
    run.output_interval = 3;
    run.sample_callback = row;
    run.event_callback  = event;
    run.user            = it;
    if (generated) data->generated_rhs = code;
    CHECK(cardan_simulate(data, &run, &summary, &report) == CARDAN_OK);
    cardan_data_destroy(data);
    return summary;
}

static void wrong(const cardan_model* m, const char* integrator, double begin, double end, fault kind)
{
    record library, with;
    go(m, integrator, false, &library);
    from = begin, to = end, how = kind;
    go(m, integrator, true, &with);
    CHECK(asked > 0);
    CHECK(library.rows == 3 && with.rows == 3);
    CHECK(library.events > 3 && with.events == library.events);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(with.t[i], library.t[i], 0);
        CHECK_NEAR(with.q[i], library.q[i], 1e-6);
    }
    for (int i = 0; i < library.events && i < with.events; ++i) CHECK_NEAR(with.event[i], library.event[i], 1e-6);
    bool reported = false;
    for (int i = 0; i < report.count; ++i) {
        if (report.message[i].code != CARDAN_CODE_GENERATED_CODE_MISMATCH) continue;
        CHECK_MESSAGE(&report.message[i], CARDAN_CODE_GENERATED_CODE_MISMATCH, "'swing'", "t = ");
        reported = true;
    }
    CHECK(reported == (begin < end && how != LOST));
}

int main(void)
{
    cardan_description* description = NULL;
    cardan_model*       m           = NULL;
    CHECK(cardan_load_text(swing, "swing.yaml", NULL, &description, &report) == CARDAN_OK);
    CHECK(cardan_model_compile(description, CARDAN_TREE_BREADTH_FIRST, &m, &report) == CARDAN_OK);
    CHECK(cardan_data_create(m, cardan_formulation_find("order-n"), &right, &report) == CARDAN_OK);
    static const char* const integrator[] = {"dopri5", "cvode-adams", "rk4"};
    for (int i = 0; i < 3; ++i) {
        RUN(wrong(m, integrator[i], 1, 0, SILENT));    // nowhere
        RUN(wrong(m, integrator[i], 1.3, 9, SILENT));  // from some time on
        RUN(wrong(m, integrator[i], 1.3, 9, FAR_OFF)); // so that the run would fail, or crawl
        RUN(wrong(m, integrator[i], 3.5, 9, SILENT));  // after a row
        RUN(wrong(m, integrator[i], 1.3, 4, LOST));    // the library answers there, and nothing is done again
    }
    cardan_data_destroy(right);
    cardan_model_destroy(m);
    cardan_description_destroy(description);
    RUN(test_sentences("test_generated_code_monitor"));
    return test_end();
}
