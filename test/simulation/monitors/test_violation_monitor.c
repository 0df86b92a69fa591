// SPDX-License-Identifier: BSD-3-Clause
// Steps that are too long for a mechanism under high loads: an event reports growing constraint violations before the
// projection fails.
#include "test.h"

#include <cardan/cardan.h>
#include <string.h>

typedef struct growth_events {
    int          count;
    cardan_event event;
} growth_events;

static void keep_event(void* user, cardan_data* data, const cardan_event* event)
{
    growth_events* x = user;
    (void)data;
    if (event->kind != CARDAN_EVENT_VIOLATION_GROWTH) return;
    ++x->count;
    x->event = *event;
}

static cardan_status simulate(const char* family, int n, double step, double end, growth_events* x,
                              cardan_run_summary* summary, cardan_report* report)
{
    cardan_description* d     = NULL;
    cardan_model*       m     = NULL;
    cardan_data*        data  = NULL;
    const int           index = cardan_formulation_find("lagrange");
    cardan_run_settings run   = cardan_run_default();
    run.integrator            = cardan_integrator_find("semi-implicit-euler");
    run.step                  = step;
    run.end                   = end;
    run.output_interval       = 0.05;
    run.event_callback        = keep_event;
    run.user                  = x;
    cardan_status status      = cardan_family_generate(family, n, NULL, &d, report);
    if (!status) status = cardan_model_compile(d, cardan_formulation_tree_policy(index), &m, report);
    if (!status) status = cardan_data_create(m, index, &data, report);
    if (!status) status = cardan_simulate(data, &run, summary, report);
    cardan_data_destroy(data);
    cardan_model_destroy(m);
    cardan_description_destroy(d);
    return status;
}

// The motion is correct until t = 0.8 s; the projection fails at 1.05 s.
static void test_long_steps(void)
{
    growth_events      x = {0};
    cardan_run_summary summary;
    cardan_report      report = {0};
    CHECK(simulate("rope-ladder-spatial", 100, 5e-3, 2, &x, &summary, &report) != CARDAN_OK);
    CHECK(x.count == 1);
    CHECK(x.event.t < summary.t - 0.1 && x.event.t > 0.5);
    CHECK(x.event.value > 1e-5 && x.event.value < 1e-2);
    CHECK(strncmp(x.event.description, "joint '", 7) == 0);
    bool warned = false;
    for (int i = 0; i < report.count; ++i) {
        if (report.message[i].code != CARDAN_CODE_VIOLATION_GROWTH) continue;
        CHECK(strstr(report.message[i].text, x.event.description) && strstr(report.message[i].text, "0.005 s"));
        warned = true;
    }
    CHECK(warned);
}

// Violations grow with the velocity of a mechanism that starts without velocity: this is not reported.
static void test_short_steps(const char* family, int n, double step)
{
    growth_events      x = {0};
    cardan_run_summary summary;
    cardan_report      report = {0};
    CHECK(simulate(family, n, step, 0.8, &x, &summary, &report) == CARDAN_OK);
    CHECK(x.count == 0);
}

int main(void)
{
    RUN(test_long_steps());
    RUN(test_short_steps("rope-ladder-spatial", 100, 1e-3));
    RUN(test_short_steps("rope-ladder", 8, 1e-3));
    RUN(test_short_steps("ladder", 8, 1e-3));
    RUN(test_short_steps("net", 5, 1e-3));
    RUN(test_short_steps("ring", 20, 5e-3));
    return test_end();
}
