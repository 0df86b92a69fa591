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

static inline cd_ode_system*          run_system(prepared_run* r) { return &r->simulation.system; }
static inline cd_conditioning*        run_conditioning(prepared_run* r) { return &r->simulation.system.conditioning; }
static inline cd_singular_limit*      run_limit(prepared_run* r) { return &r->simulation.system.singular_limit; }
static inline cd_singular_events*     run_singular_events(prepared_run* r) { return &r->simulation.singular_events; }
static inline cd_singular_standstill* run_standstill(prepared_run* r) { return &r->simulation.standstill; }
static inline cd_fallback_integrator* run_fallback(prepared_run* r) { return &r->simulation.fallback; }
static inline cd_direction_monitor*   run_directions(prepared_run* r) { return &r->simulation.directions; }
static inline cd_chattering_monitor*  run_chattering(prepared_run* r) { return &r->simulation.chattering; }
static inline cd_ode_state*           run_state(prepared_run* r) { return &r->simulation.x; }
static inline const cd_integrator*    run_integrator(const prepared_run* r) { return r->simulation.integrator; }
static inline long*                   run_evaluations(prepared_run* r) { return &r->simulation.system.evaluations; }

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
    const bool good = cd_settings_complete(&run, &s->run, &r->report) == CARDAN_OK && cd_simulation_prepare(s, r->data);
    CHECK(good);
    return good;
}

static inline void run_close(prepared_run* r)
{
    cd_simulation* s = &r->simulation;
    if (s->integrator_work) {
        cd_fallback_integrator_finish(s);
        if (s->integrator->finish) s->integrator->finish(s->integrator_work);
    }
    free(s->integrator_work);
    free(s->stabilization_work);
    cd_arena_release(&s->arena);
    cd_chattering_monitor_close(&s->chattering);
    cardan_data_destroy(r->data);
    cardan_model_destroy(r->model);
    cardan_description_destroy(r->description);
}

// Description of a model text.
static inline cardan_description* describe_text(const char* text)
{
    cardan_description* d      = NULL;
    cardan_report       report = {0};
    CHECK(cardan_load_text(text, "model.yaml", NULL, &d, &report) == CARDAN_OK);
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
