// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: accepted model files are compiled, accelerated and simulated. The bytes of the input select formulation
// and integrator; large mechanisms are skipped, and runs end after a few steps.
#include "fuzz.h"

#include <cardan/assemble.h>
#include <cardan/io.h>
#include <cardan/simulate.h>
#include <stdlib.h>

enum { MOST_BODIES = 12, MOST_PARTS = 40, MOST_STEPS = 40 };

static bool few_steps(void* user, double t)
{
    (void)t;
    return --*(int*)user > 0;
}

static void simulate(cardan_data* data, const cardan_run_defaults* defaults, uint64_t choice, cardan_report* report)
{
    int                 steps = MOST_STEPS;
    cardan_run_summary  summary;
    cardan_run_settings run = cardan_run_default();
    run.integrator          = defaults->integrator ? cardan_integrator_find(defaults->integrator)
                                                   : (int)(choice % (uint64_t)cardan_integrator_count());
    run.stabilization = defaults->stabilization ? cardan_stabilization_find(defaults->stabilization) : CARDAN_NONE;
    if (defaults->duration > 0) run.end = defaults->duration;
    if (defaults->output_interval > 0) run.output_interval = defaults->output_interval;
    if (defaults->step > 0) run.step = defaults->step;
    if (defaults->tolerance > 0) run.tolerance = defaults->tolerance;
    run.stop_condition    = defaults->stop_condition;
    run.progress_callback = few_steps;
    run.user              = &steps;
    cardan_simulate(data, &run, &summary, report);
}

static void solve(const cardan_description* description, int formulation, uint64_t choice)
{
    cardan_report report = {0};
    cardan_model* model  = NULL;
    cardan_data*  data   = NULL;
    if (cardan_model_compile(description, cardan_formulation_tree_policy(formulation), &model, &report) == CARDAN_OK &&
        cardan_data_create(model, formulation, &data, &report) == CARDAN_OK) {
        const cardan_model_view view = cardan_model_get_view(model);
        double*                 a    = calloc((size_t)view.nv_joint + 1, sizeof *a);
        double*                 rate = calloc((size_t)view.nstate + 1, sizeof *rate);
        if (a && rate && cardan_data_set_state(data, 0, view.q_start, view.v_start, view.state_start) == CARDAN_OK)
            cardan_data_accelerate(data, a, rate, &report);
        simulate(data, cardan_description_get_view(description).run, choice, &report);
        free(a);
        free(rate);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(model);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    char*               text        = fuzz_text(data, size);
    cardan_load_options options     = {.max_elements = 500};
    cardan_report       report      = {0};
    cardan_description* description = NULL;
    if (cardan_description_load_text(text, "fuzz.yaml", &options, &description, &report) == CARDAN_OK) {
        const cardan_description_view view   = cardan_description_get_view(description);
        const uint64_t                choice = fuzz_hash(data, size);
        if (view.nbody <= MOST_BODIES && view.njoint + view.nconstraint + view.nforce <= MOST_PARTS)
            solve(description, (int)(choice % (uint64_t)cardan_formulation_count()), choice >> 8);
        cardan_description_destroy(description);
    }
    free(text);
    return 0;
}
