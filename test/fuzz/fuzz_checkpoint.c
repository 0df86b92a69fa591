// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: reader of checkpoints (`--continue FILE`) for a mechanism with a loop, a point on a curve and a user state.
// A checkpoint that is accepted is advanced by some steps.
#include "fuzz.h"

#include <cardan/cardan.h>

#include <stdlib.h>

static const char text[] = "cardan: 1\n"
                           "name: fuzzed\n"
                           "parameters: {a: 0.25}\n"
                           "points: {A: [0, 0, 0], B: [=a, 0, 0.5], C: [1, 0, 0.5], D: [1, 0, 0]}\n"
                           "bodies:\n"
                           "  crank:   {rod: [A, B], mass: 1}\n"
                           "  coupler: {rod: [B, C], mass: 1}\n"
                           "  rocker:  {rod: [C, D], mass: 1}\n"
                           "joints:\n"
                           "  j: {revolute: [ground, crank], at: A, axis: y, start: {v: 1}}\n"
                           "  k: {revolute: [crank, coupler], at: B, axis: y}\n"
                           "  l: {revolute: [coupler, rocker], at: C, axis: y}\n"
                           "  m: {revolute: [ground, rocker], at: D, axis: y}\n"
                           "states: {s: {start: 1, rate: =-s}}\n";

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    cardan_report       report      = {0};
    cardan_description* description = NULL;
    cardan_model*       model       = NULL;
    cardan_data*        memory      = NULL;
    cardan_simulation*  simulation  = NULL;
    const int           formulation = cardan_formulation_find("augmented");
    if (cardan_description_load_text(text, "model.yaml", NULL, &description, &report) != CARDAN_OK) abort();
    if (cardan_model_compile(description, cardan_formulation_tree_policy(formulation), &model, &report)) abort();
    if (cardan_data_create(model, formulation, &memory, &report) != CARDAN_OK) abort();
    cardan_run_settings run = cardan_run_default();
    run.integrator          = cardan_integrator_find("rk4");
    run.end                 = 1e6;
    run.output_interval     = 0.01;
    run.checkpoint          = fuzz_file(data, size);
    if (cardan_simulation_open(memory, &run, &simulation, &report) == CARDAN_OK) {
        cardan_sample sample;
        if (cardan_simulation_sample(simulation, &sample, &report) == CARDAN_OK && sample.t < run.end - 1)
            cardan_simulation_advance(simulation, sample.t + 0.005, &report);
    }
    cardan_simulation_close(simulation, NULL, NULL);
    cardan_data_destroy(memory);
    cardan_model_destroy(model);
    cardan_description_destroy(description);
    return 0;
}
