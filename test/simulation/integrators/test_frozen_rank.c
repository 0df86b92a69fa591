// SPDX-License-Identifier: BSD-3-Clause
// Frozen rank: while a step is projected onto the constraints, the redundant rows are those of the last factorization
// on the constraints. Then there is one factorization per step, the motion has the order of the method,
// and a solve fails if frozen rows are not redundant any more.
#include "test.h"

#include "dynamics/data.h"

#include <cardan/cardan.h>
#include <stdlib.h>

static cardan_report report;

typedef struct mechanism {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
    cardan_model_view   view;
} mechanism;

static bool open_mechanism(mechanism* x, cardan_description* d)
{
    *x              = (mechanism){.description = d};
    const bool good = d && cardan_model_compile(d, CARDAN_TREE_MAXIMAL, &x->model, &report) == CARDAN_OK &&
                      cardan_data_create(x->model, cardan_formulation_find("lagrange"), &x->data, &report) == CARDAN_OK;
    CHECK(good);
    if (good) x->view = cardan_model_get_view(x->model);
    return good;
}

static void close_mechanism(mechanism* x)
{
    cardan_data_destroy(x->data);
    if (x->model) cardan_model_destroy(x->model);
    if (x->description) cardan_description_destroy(x->description);
}

// ---- motions

typedef struct record {
    int     nq;
    double* q; // (nq) of the last sample
} record;

static bool keep(void* user, cardan_data* data, const cardan_sample* sample)
{
    record* r = user;
    (void)data;
    memcpy(r->q, sample->q, (size_t)r->nq * sizeof *r->q);
    return true;
}

// End of a run over 0.25 s; result: factorizations per step.
static double run_to(mechanism* x, const char* integrator, double step, record* r)
{
    cardan_run_summary  summary;
    cardan_run_settings run     = cardan_run_default();
    const long          factors = x->data->solve.nfactorization;
    run.integrator              = cardan_integrator_find(integrator);
    run.step                    = step;
    run.tolerance               = 1e-10;
    run.end = run.output_interval = 0.25;
    run.sample_callback           = keep;
    run.user                      = r;
    const cardan_status done      = cardan_simulate(x->data, &run, &summary, &report);
    CHECK(done == CARDAN_OK && summary.max_position_violation <= 1e-10);
    return (double)(x->data->solve.nfactorization - factors) / (double)summary.steps;
}

static double distance(const record* a, const record* b)
{
    double worst = 0;
    for (int i = 0; i < a->nq; ++i) worst = fmax(worst, fabs(a->q[i] - b->q[i]));
    return worst;
}

static void test_motion(const char* family, int n)
{
    mechanism           x;
    cardan_description* d = NULL;
    CHECK(cardan_family_generate(family, n, NULL, &d, &report) == CARDAN_OK);
    if (open_mechanism(&x, d)) {
        record end[3];
        for (int i = 0; i < 3; ++i) end[i] = (record){x.view.nq, calloc((size_t)x.view.nq, sizeof(double))};
        run_to(&x, "dopri5", 0, &end[0]);
        CHECK(run_to(&x, "semi-implicit-euler", 1e-3, &end[1]) < 1.3);
        CHECK(run_to(&x, "semi-implicit-euler", 5e-4, &end[2]) < 1.2);
        const double coarse = distance(&end[1], &end[0]), fine = distance(&end[2], &end[0]);
        CHECK(coarse < 1e-2 && coarse > 1.8 * fine && coarse < 2.2 * fine);
        for (int i = 0; i < 3; ++i) free(end[i].q);
    }
    close_mechanism(&x);
}

static void test_ladder(void) { test_motion("ladder", 120); }
static void test_small_ladder(void) { test_motion("ladder", 6); }
static void test_four_bars(void) { test_motion("n-four-bar", 90); }
static void test_two_four_bars(void) { test_motion("n-four-bar", 2); }
static void test_squares(void) { test_motion("square-chain", 70); }

// ---- rows that are redundant at one configuration only

// Cranks of 100 four-bars, all at one angle and rate.
static cardan_description* cranks(double angle, double rate)
{
    static const char format[] =
        "cardan: 1\nname: cranks\ngravity: [0, -9.81, 0]\nparameters: {N: 100, angle: %.17g, rate: %.17g}\n"
        "repeat:\n"
        "  - for: i in 0..N\n"
        "    bodies:\n"
        "      crank$i: {rod: [[=i, 0, 0], [=i, 1, 0]], mass: 1}\n"
        "    joints:\n"
        "      A$i: {revolute: [ground, crank$i], at: [=i, 0, 0], axis: z, start: {q: =angle, v: =rate}}\n"
        "  - for: i in 1..N\n"
        "    bodies:\n"
        "      coupler$i: {rod: [[=i-1, 1, 0], [=i, 1, 0]], mass: 1}\n"
        "    joints:\n"
        "      B$i: {revolute: [\"crank$(i-1)\", coupler$i], at: [=i-1, 1, 0], axis: z,"
        " start: {q: =-angle, v: =-rate}}\n"
        "      C$i: {revolute: [coupler$i, crank$i], at: [=i, 1, 0], axis: z, start: {q: =angle, v: =rate}}\n";
    char                text[1024];
    cardan_description* d = NULL;
    cardan_load_options o = {0};
    snprintf(text, sizeof text, format, angle, rate);
    CHECK(cardan_description_load_text(text, "cranks.yaml", &o, &d, &report) == CARDAN_OK);
    return d;
}

static int null_rows(const mechanism* x)
{
    bool*            null = calloc((size_t)x->data->solver_rows.nrow, sizeof *null);
    double           ratio;
    int              count   = 0;
    const cd_problem problem = cd_problem_of(x->data);
    x->data->formulation->pivots(&problem, x->data->formulation_work, null, &ratio);
    for (int i = 0; i < x->data->solver_rows.nrow; ++i) count += null[i];
    free(null);
    return count;
}

// Accelerations at the state of `configuration` with the redundant rows of the last factorization.
static cardan_status solve_frozen(mechanism* x, const mechanism* configuration, double* a)
{
    CHECK(cardan_data_set_state(x->data, 0, configuration->view.q_start, configuration->view.v_start, NULL) ==
          CARDAN_OK);
    x->data->settings.assume_full_rank = true;
    x->data->policy.rank               = CD_RANK_FROZEN;
    const cardan_status status         = cardan_data_accelerate(x->data, a, NULL, &report);
    x->data->settings.assume_full_rank = false;
    x->data->policy.rank               = CD_RANK_BY_PIVOTS;
    return status;
}

static void test_leaving_singular_configuration(void)
{
    const double quarter = acos(0.0);
    mechanism    upright = {0}, leaning = {0}, flat = {0};
    if (open_mechanism(&upright, cranks(0, 0)) && open_mechanism(&leaning, cranks(-0.5, 0)) &&
        open_mechanism(&flat, cranks(-quarter, 0))) {
        const int     nv = upright.view.nv;
        double *      a = calloc((size_t)nv, sizeof *a), *b = calloc((size_t)nv, sizeof *b), difference = 0;
        cardan_status status = cardan_data_set_state(leaning.data, 0, leaning.view.q_start, leaning.view.v_start, NULL);
        CHECK(status == CARDAN_OK && cardan_data_accelerate(leaning.data, b, NULL, &report) == CARDAN_OK);
        const int everywhere = null_rows(&leaning);

        // redundant rows of another regular configuration: the same accelerations
        status = cardan_data_set_state(upright.data, 0, upright.view.q_start, upright.view.v_start, NULL);
        CHECK(status == CARDAN_OK && cardan_data_accelerate(upright.data, a, NULL, &report) == CARDAN_OK);
        CHECK(null_rows(&upright) == everywhere && everywhere > 0);
        CHECK(solve_frozen(&upright, &leaning, a) == CARDAN_OK);
        for (int i = 0; i < nv; ++i) difference = fmax(difference, fabs(a[i] - b[i]));
        CHECK(difference < 1e-9);

        // at the singular configuration more rows are redundant, and some of them are independent elsewhere: the solve
        // fails
        status = cardan_data_set_state(flat.data, 0, flat.view.q_start, flat.view.v_start, NULL);
        CHECK(status == CARDAN_OK);
        cardan_data_accelerate(flat.data, a, NULL, NULL);
        CHECK(null_rows(&flat) > everywhere);
        CHECK(solve_frozen(&flat, &leaning, a) == CARDAN_INCONSISTENT);
        free(a), free(b);
    }
    close_mechanism(&upright), close_mechanism(&leaning), close_mechanism(&flat);
}

// ---- runs

typedef struct passage {
    int    singular, other; // events
    double first, last;     // [rad] angles of the first and the last crank
} passage;

static void count_event(void* user, cardan_data* data, const cardan_event* event)
{
    passage* p = user;
    (void)data;
    *(event->kind == CARDAN_EVENT_SINGULAR ? &p->singular : &p->other) += 1;
}

static bool keep_cranks(void* user, cardan_data* data, const cardan_sample* sample)
{
    passage* p = user;
    double   v;
    (void)sample;
    cardan_data_joint_state(data, 0, &p->first, &v);
    cardan_data_joint_state(data, 100, &p->last, &v);
    return true;
}

static passage pass(double angle, double rate, double step, double end)
{
    passage            p = {0};
    mechanism          x;
    cardan_run_summary summary;
    if (open_mechanism(&x, cranks(angle, rate))) {
        cardan_run_settings run = cardan_run_default();
        run.integrator          = cardan_integrator_find("semi-implicit-euler");
        run.step                = step;
        run.end = run.output_interval = end;
        run.sample_callback           = keep_cranks;
        run.event_callback            = count_event;
        run.user                      = &p;
        CHECK(cardan_simulate(x.data, &run, &summary, &report) == CARDAN_OK);
        CHECK(summary.max_position_violation < 1e-10);
    }
    close_mechanism(&x);
    return p;
}

// Through the singular configuration, where more rows are redundant: the rank is not frozen before it, and frozen again
// after it.
static void test_singular_passage(void)
{
    const passage p = pass(-1.4, -2, 1e-3, 0.2);
    CHECK(p.singular == 1 && p.other == 0);
    CHECK(p.first < -1.8);
    CHECK_NEAR(p.last, p.first, 1e-9);
}

// Steps so short that rates over a step are rounding errors.
static void test_short_steps(void)
{
    const passage p = pass(0.3, 5, 1e-5, 3e-3);
    CHECK(p.singular == 0 && p.other == 0);
    CHECK_NEAR(p.first, 0.3 + 5 * 3e-3, 1e-4);
    CHECK_NEAR(p.last, p.first, 1e-9);
}

int main(void)
{
    RUN(test_ladder());
    RUN(test_small_ladder());
    RUN(test_four_bars());
    RUN(test_two_four_bars());
    RUN(test_squares());
    RUN(test_leaving_singular_configuration());
    RUN(test_singular_passage());
    RUN(test_short_steps());
    return test_end();
}
