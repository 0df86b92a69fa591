// SPDX-License-Identifier: BSD-3-Clause
// A run prepared up to its first step, for tests that call single functions of src/simulation. The fields of its
// internal structs are accessed here only, so that tests do not depend on where they are.
#pragma once

#include "simulation/simulation.h"
#include "test.h"

#include <cardan/cardan.h>

#include <stdlib.h>

typedef struct prepared_run {
    cardan_description* description;
    cardan_model*       model;
    cardan_data*        data;
    cardan_report       report;
    cardan_run_summary  summary;
    cd_simulation       simulation;
} prepared_run;

#define CD_MONITOR(name) extern const cd_monitor cd_monitor_##name;
#include "simulation/monitors/monitors.def"
#undef CD_MONITOR

static inline cd_ode_system*          run_system(prepared_run* r) { return &r->simulation.system; }
static inline cd_conditioning*        run_conditioning(prepared_run* r) { return &r->simulation.system.conditioning; }
static inline cd_singular_limit*      run_limit(prepared_run* r) { return &r->simulation.system.singular_limit; }
static inline cd_singular_events*     run_singular_events(prepared_run* r) { return &r->simulation.singularity.events; }
static inline cd_singular_standstill* run_standstill(prepared_run* r) { return &r->simulation.singularity.standstill; }
static inline cd_fallback_integrator* run_fallback(prepared_run* r) { return &r->simulation.fallback; }
static inline cd_ode_state*           run_state(prepared_run* r) { return &r->simulation.x; }
static inline const cd_integrator*    run_integrator(const prepared_run* r) { return r->simulation.integrator; }
static inline long* run_evaluations(prepared_run* r) { return &r->simulation.system.statistics.evaluations; }

// Work memory of a monitor of the run; NULL if the monitor does not apply.
static inline void* run_monitor(const prepared_run* r, const cd_monitor* monitor)
{
    const cd_active_monitors* active = &r->simulation.monitors;
    for (int i = 0; i < active->count; ++i)
        if (active->monitor[i] == monitor) return active->work[i];
    return NULL;
}

// Ask a monitor about the step from `from` to x.
static inline cd_verdict run_check(prepared_run* r, const cd_monitor* monitor, cd_monitor_phase phase, double from)
{
    r->simulation.step.from = from;
    return monitor->check[phase](&r->simulation, run_monitor(r, monitor));
}

// Data of a description with a formulation; the description is destroyed by run_close.
static inline bool run_compile(prepared_run* r, cardan_description* d, const char* formulation)
{
    const int index = cardan_formulation_find(formulation);
    *r              = (prepared_run){.description = d};
    const bool good =
        d && cardan_model_compile(d, cardan_formulation_tree_policy(index), &r->model, &r->report) == CARDAN_OK &&
        cardan_data_create(r->model, index, &r->data, &r->report) == CARDAN_OK;
    for (int i = 0; i < r->report.count; ++i) printf("%s\n", r->report.message[i].text);
    CHECK(good);
    return good;
}

// The same and everything that a run with an integrator prepares before its first state.
static inline bool run_prepare(prepared_run* r, cardan_description* d, const char* formulation, const char* integrator,
                               double end)
{
    if (!run_compile(r, d, formulation)) return false;
    cd_simulation*      s   = &r->simulation;
    cardan_run_settings run = cardan_run_default();
    run.integrator          = cardan_integrator_find(integrator);
    run.end                 = end;
    run.output_interval     = end / 10;
    s->summary              = &r->summary;
    s->report               = &r->report;
    const bool good         = cd_settings_complete(&run, &s->run, &r->report) == CARDAN_OK &&
                      cd_simulation_prepare(s, r->data, &run) == CARDAN_OK;
    CHECK(good);
    return good;
}

static inline void run_close(prepared_run* r)
{
    if (r->simulation.integrator) cd_simulation_close(&r->simulation, CARDAN_OK);
    cardan_data_destroy(r->data);
    cardan_model_destroy(r->model);
    cardan_description_destroy(r->description);
}

// Description of a model text.
static inline cardan_description* describe_text(const char* text)
{
    cardan_description* d      = NULL;
    cardan_report       report = {0};
    CHECK(cardan_description_load_text(text, "model.yaml", NULL, &d, &report) == CARDAN_OK);
    for (int i = 0; !d && i < report.count; ++i) printf("%s\n", report.message[i].text);
    return d;
}

// Number of messages with this code.
static inline int messages_with(const cardan_report* report, cardan_code code)
{
    int n = 0;
    for (int i = 0; i < report->count; ++i) n += report->message[i].code == code;
    return n;
}
