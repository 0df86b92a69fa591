// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: reader of JSON states (`--state FILE`) for a mechanism with a loop, a free body and a state variable.
#include "fuzz.h"

#include "cli/support/loaded_model.h"

#include <stdlib.h>
#include <string.h>

static const char model[] = "cardan: 1\n"
                            "bodies:\n"
                            "  a: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}\n"
                            "  b: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0]}\n"
                            "  c: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}\n"
                            "joints:\n"
                            "  j: {revolute: [ground, a], at: [0, 0, 0], axis: y}\n"
                            "  k: {revolute: [a, b], at: [1, 0, 0], axis: y}\n"
                            "  l: {revolute: [ground, b], at: [2, 0, 0], axis: y}\n"
                            "  free: {free: [ground, c], at: [0, 0, 0]}\n"
                            "  w: {spherical: [a, c], at: [0, 0, 0]}\n"
                            "states: {s: {start: 1, rate: =t}}\n";

static void* allocate(int count, size_t size)
{
    void* p = calloc((size_t)count + 1, size);
    if (!p) abort();
    return p;
}

static void open_case(cd_model_instance* c, cardan_description** description)
{
    cardan_report report = {0};
    if (cardan_description_load_text(model, "model.yaml", NULL, description, &report) != CARDAN_OK) abort();
    if (cardan_model_compile(*description, CARDAN_TREE_BREADTH_FIRST, &c->model, &report) != CARDAN_OK) abort();
    c->model_view = cardan_model_get_view(c->model);
    c->q          = allocate(c->model_view.nq_joint, sizeof *c->q);
    c->v          = allocate(c->model_view.nv_joint, sizeof *c->v);
    c->a          = allocate(c->model_view.nv_joint, sizeof *c->a);
    c->state      = allocate(c->model_view.nstate, sizeof *c->state);
    c->start      = allocate(c->model_view.njoint, sizeof *c->start);
    for (int j = 0; j < c->model_view.njoint; ++j) c->start[j] = cardan_joint_start_default(c->model, j);
}

static void close_case(cd_model_instance* c, cardan_description* description)
{
    cardan_model_destroy(c->model);
    cardan_description_destroy(description);
    free(c->q);
    free(c->v);
    free(c->a);
    free(c->state);
    free(c->start);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    char*             text     = fuzz_text(data, size);
    cardan_report     report   = {0};
    cd_json_document* document = NULL;
    if (cd_json_parse(text, size, "state.json", &document, &report) == CARDAN_OK) {
        cd_model_instance   c           = {0};
        cardan_description* description = NULL;
        open_case(&c, &description);
        cd_state_file_apply(document, &c, &report);
        cd_state_file_time(document, &c.t, &report);
        close_case(&c, description);
    }
    cd_json_destroy(document);
    free(text);
    return 0;
}
