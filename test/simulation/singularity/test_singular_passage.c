// SPDX-License-Identifier: BSD-3-Clause
// Passage of singular configurations. The N-four-bar of the IFToMM benchmark library (problem A02): N + 1 equal cranks
// and N couplers, thin rods of 1 m and 1 kg; when they lie on one line, its mobility changes from 1 to N + 1. On the
// parallelogram branch it has one degree of freedom,
//
//     ((N+1)/3 + N) theta'' = -((N+1)/2 + N) g cos theta,
//
// with reference values of 20 digits at 1, 2, 5 and 10 s.
#include "planar_rods.h"
#include "sentences.h"
#include "test.h"

#include <cardan/cardan.h>
#include <stdio.h>
#include <string.h>

enum { EVENTS = 64 };

typedef struct record {
    int          count, samples;
    cardan_event event[EVENTS];
    double       t[16], q[16], v[16]; // of the first crank
} record;

static void keep_event(void* user, cardan_data* data, const cardan_event* event)
{
    record* r = user;
    (void)data;
    if (r->count < EVENTS) r->event[r->count++] = *event;
}

static bool keep_sample(void* user, cardan_data* data, const cardan_sample* sample)
{
    record* r = user;
    if (r->samples == 16) return false;
    r->t[r->samples] = sample->t;
    cardan_data_joint_state(data, 0, &r->q[r->samples], &r->v[r->samples]);
    ++r->samples;
    return true;
}

// Cranks upright, the first one rotating at -1 rad/s.
static cardan_description* n_four_bar(int n)
{
    cardan_description* d = cardan_description_create("four bars");
    int                 crank[8], coupler[8];
    cardan_description_set_gravity(d, (const double[3]){0, -9.81, 0});
    for (int i = 0; i <= n; ++i) crank[i] = add_rod(d, "crank", i, 1, i, 0, 0, 1);
    for (int i = 1; i <= n; ++i) coupler[i] = add_rod(d, "coupler", i, 1, i - 1, 1, 1, 0);
    for (int i = 0; i <= n; ++i) add_hinge(d, "a", i, CARDAN_GROUND, crank[i], i, 0, 0, 0, -1);
    for (int i = 1; i <= n; ++i) {
        add_hinge(d, "b", i - 1, crank[i - 1], coupler[i], 0, 1, 0, 0, 1);
        add_hinge(d, "c", i, coupler[i], crank[i], 1, 0, 0, 1, -1);
    }
    return d;
}

static cardan_status simulate(int n, const char* formulation, const char* integrator, double tolerance, double end,
                              record* r, cardan_run_summary* summary, cardan_report* report)
{
    cardan_description* d      = n_four_bar(n);
    cardan_model*       m      = NULL;
    cardan_data*        data   = NULL;
    const int           index  = cardan_formulation_find(formulation);
    cardan_run_settings run    = cardan_run_default();
    cardan_status       status = cardan_model_compile(d, cardan_formulation_tree_policy(index), &m, report);
    if (!status) status = cardan_data_create(m, index, &data, report);
    run.integrator      = cardan_integrator_find(integrator);
    run.tolerance       = tolerance;
    run.end             = end;
    run.output_interval = 1;
    run.event_callback  = keep_event;
    run.sample_callback = keep_sample;
    run.user            = r;
    *r                  = (record){0};
    if (!status) status = cardan_simulate(data, &run, summary, report);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return status;
}

// Times at which the rods are aligned: theta is a multiple of pi, from the equation with one degree of freedom.
static int alignments(int n, double end, double time[EVENTS])
{
    const double k = (((double)n + 1) / 2 + n) * 9.81 / (((double)n + 1) / 3 + n), h = 1e-4, pi = acos(-1.0);
    double       theta = pi / 2, w = -1;
    int          count = 0;
    for (double t = 0; t < end && count < EVENTS; t += h) {
        const double k1 = -k * cos(theta), w2 = w + h / 2 * k1, k2 = -k * cos(theta + h / 2 * w), w3 = w + h / 2 * k2,
                     k3 = -k * cos(theta + h / 2 * w2), w4 = w + h * k3, k4 = -k * cos(theta + h * w3);
        const double next = theta + h * (w + 2 * w2 + 2 * w3 + w4) / 6;
        if (floor(next / pi) != floor(theta / pi))
            time[count++] = t + h * (theta - pi * floor(theta / pi)) / (theta - next);
        w += h * (k1 + 2 * k2 + 2 * k3 + k4) / 6;
        theta = next;
    }
    return count;
}

static const double reference_time[4]  = {1, 2, 5, 10};
static const double reference[2][4][4] = {
    {{-0.26071267518365035635, -0.96541643915907316791, -6.6378094961217514392, 1.7925539703889305577},
     {0.077085471792867076735, 0.99702448818395182598, 1.0313568726894231923, -0.079739898127167998254},
     {-0.94490818604295389141, -0.32733548531898346076, -1.8589308912627245614, 5.3661124296700417823},
     {0.47838505776097055901, 0.87815017879120930116, 1.7272640755471536358, -0.94095217937151564419}},
    {{-0.19502030194943509364, -0.9807992056621738326, -6.6766780368811580662, 1.3275783251604872139},
     {0.057815795768011431847, 0.99832726786345548131, 1.0172601366204365105, -0.058912248713445648198},
     {-0.81131046100510741219, -0.58461554534897554768, -3.5691173971932091857, 4.9531051713133269734},
     {0.32845811154081537865, 0.94451853817860096216, 1.4230514702069441233, -0.49486884548704295899}}};

static void check_values(int n, const record* r)
{
    for (int i = 0; i < r->samples; ++i)
        for (int k = 0; k < 4; ++k) {
            if (fabs(r->t[i] - reference_time[k]) > 1e-9) continue;
            const double  x = -sin(r->q[i]), y = cos(r->q[i]); // of B0: the crank is upright at q = 0
            const double* expected = reference[n - 1][k];
            CHECK_NEAR(x, expected[0], 1e-6);
            CHECK_NEAR(y, expected[1], 1e-6);
            CHECK_NEAR(-y * r->v[i], expected[2], 1e-6);
            CHECK_NEAR(x * r->v[i], expected[3], 1e-6);
        }
}

// On its branch through ten singular configurations; each is reported at its time with the joints of its loops.
static void test_n_four_bar(int n, const char* formulation, const char* integrator)
{
    record             r;
    cardan_run_summary summary;
    cardan_report      report = {0};
    double             time[EVENTS];
    CHECK(simulate(n, formulation, integrator, 1e-9, 10, &r, &summary, &report) == CARDAN_OK);
    CHECK(r.samples == 11);
    check_values(n, &r);
    CHECK(summary.energy_error < 1e-7);

    const int count = alignments(n, 10, time);
    CHECK(count == 10);
    CHECK(r.count == count);
    for (int i = 0; i < r.count && i < count; ++i) {
        CHECK(r.event[i].kind == CARDAN_EVENT_SINGULAR);
        CHECK_NEAR(r.event[i].t, time[i], 1e-3);
        CHECK_SENTENCE(r.event[i].description, "c1", "a1", "a0", "b0"); // loop 1; with loop 2 if there are two
        if (n == 2)
            CHECK_SENTENCE(r.event[i].description, "c2", "a2", "b1");
        else
            CHECK(!strstr(r.event[i].description, "c2"));
    }
    if (summary.status != CARDAN_OK || r.count != count)
        printf("%s %s N = %d: %d events\n", formulation, integrator, n, r.count);
}

// A method that fails reports it: a status with a message that names the loop, or an event of the branch switch.
static void test_failure_is_reported(int n, const char* formulation, const char* integrator)
{
    record              r;
    cardan_run_summary  summary;
    cardan_report       report = {0};
    const cardan_status status = simulate(n, formulation, integrator, 1e-8, 2, &r, &summary, &report);
    bool                jumped = false;
    for (int i = 0; i < r.count; ++i) jumped |= r.event[i].kind == CARDAN_EVENT_BRANCH_SWITCH;
    if (status == CARDAN_OK && !jumped) {
        const double x = -sin(r.q[r.samples - 1]);
        CHECK_NEAR(x, reference[n - 1][1][0], 1e-3);
        return;
    }
    bool named = false;
    for (int i = 0; i < report.count; ++i) named |= strstr(report.message[i].text, "c1") != NULL;
    CHECK(named);
}

static void count_branch_switches(void* user, cardan_data* data, const cardan_event* event)
{
    (void)data;
    *(int*)user += event->kind == CARDAN_EVENT_BRANCH_SWITCH;
}

// A chain of five squares stays near a singular configuration for some time and reverses there: no branch switch is
// reported.
static void test_slow_reversal(const char* formulation, const char* integrator)
{
    const int           index = cardan_formulation_find(formulation);
    cardan_description* d     = NULL;
    cardan_model*       m     = NULL;
    cardan_data*        data  = NULL;
    cardan_run_settings run   = cardan_run_default();
    cardan_run_summary  summary;
    int                 branches = 0;
    run.integrator               = cardan_integrator_find(integrator);
    run.end                      = 1.8;
    run.event_callback           = count_branch_switches;
    run.user                     = &branches;
    cardan_status status         = cardan_family_generate("square-chain", 5, NULL, &d, NULL);
    if (!status) status = cardan_model_compile(d, cardan_formulation_tree_policy(index), &m, NULL);
    if (!status) status = cardan_data_create(m, index, &data, NULL);
    if (!status) status = cardan_simulate(data, &run, &summary, NULL);
    CHECK(status == CARDAN_OK && branches == 0 && fabs(summary.energy_error) < 1e-6);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

// A multistep method loses accuracy near singular configurations: the fallback integrator crosses them, and a message
// reports it.
static void test_fallback(const char* formulation)
{
    record             r;
    cardan_run_summary summary;
    cardan_report      report   = {0};
    bool               reported = false;
    CHECK(simulate(1, formulation, "cvode-adams", 1e-9, 10, &r, &summary, &report) == CARDAN_OK);
    CHECK(fabs(summary.energy_error) < 1e-7);
    for (int i = 0; i < report.count; ++i) {
        if (report.message[i].code != CARDAN_CODE_FALLBACK_INTEGRATOR) continue;
        CHECK_MESSAGE(&report.message[i], CARDAN_CODE_FALLBACK_INTEGRATOR, "cvode-adams", "dopri5", "t = ");
        reported = true;
    }
    CHECK(reported);
}

// No alignment in the first 0.5 s: no event.
static void test_no_event(void)
{
    record             r;
    cardan_run_summary summary;
    cardan_report      report = {0};
    CHECK(simulate(1, "lagrange", "dopri5", 1e-8, 0.5, &r, &summary, &report) == CARDAN_OK);
    CHECK(r.count == 0 && summary.events == 0);
}

// No configuration is singular: the rod between two spherical joints rotates freely about its axis, and different
// velocities become dependent along the motion; redundant rows of ladders vanish; in spherical mechanisms rows vanish
// on the constraints.
static void test_never_singular(const char* file, const char* formulation)
{
    cardan_description* d      = NULL;
    cardan_model*       m      = NULL;
    cardan_data*        data   = NULL;
    cardan_report       report = {0};
    cardan_run_summary  summary;
    const int           index = cardan_formulation_find(formulation);
    cardan_run_settings run   = cardan_run_default();
    char                path[1024];
    run.end = 1.5;
    snprintf(path, sizeof path, "%s/models/diagnosis/%s.yaml", CARDAN_SOURCE, file);
    if (cardan_description_load(path, NULL, &d, &report) == CARDAN_OK &&
        cardan_model_compile(d, cardan_formulation_tree_policy(index), &m, &report) == CARDAN_OK &&
        cardan_data_create(m, index, &data, &report) == CARDAN_OK)
        CHECK(cardan_simulate(data, &run, &summary, &report) == CARDAN_OK && summary.events == 0);
    CHECK(data != NULL);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
}

int main(void)
{
    const char* const formulations[] = {"dense",     "augmented",   "order-n", "embedding",
                                        "reduction", "regularized", "lagrange"};
    enum { COUNT = sizeof formulations / sizeof *formulations };
    for (int i = 0; i < COUNT; ++i)
        for (int n = 1; n <= 2; ++n) {
            RUN(test_n_four_bar(n, formulations[i], "dopri5"));
            if (n == 1 || i < COUNT - 1) RUN(test_n_four_bar(n, formulations[i], "rk4"));
        }
    for (int i = 0; i < COUNT; ++i) {
        RUN(test_never_singular("rssr", formulations[i]));
        RUN(test_never_singular("ladder", formulations[i]));
        if (i != 5) RUN(test_never_singular("spherical", formulations[i]));
    }
    for (int i = 0; i < COUNT - 1; ++i) RUN(test_failure_is_reported(1, formulations[i], "ida"));
    for (int i = 0; i < COUNT; ++i) RUN(test_fallback(formulations[i]));
    RUN(test_no_event());
    RUN(test_slow_reversal("reduction", "dopri5"));
    RUN(test_slow_reversal("reduction", "rk4"));
    RUN(test_slow_reversal("augmented", "dopri5"));
    RUN(test_sentences("test_singular_passage"));
    return test_end();
}
