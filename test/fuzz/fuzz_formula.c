// SPDX-License-Identifier: BSD-3-Clause
// Reader of formulas: parsed over a small mechanism, differentiated, evaluated, written as text.
#include "fuzz.h"

#include "model/description.h"

#include <cardan/io.h>
#include <stdlib.h>

static const char model[] =
    "cardan: 1\n"
    "parameters: {a: 2, b: =a + 1}\n"
    "tables: {f: {x: [0, 1, 2], y: [0, 1, 4], interpolation: spline}, g: {x: [0, 1], y: [0, =b]}}\n"
    "bodies: {arm: {at: [0, 0, 0], mass: =a, inertia: [1, 1, 1]}, tip: {at: [1, 0, 0], mass: 1, inertia: [1, 1, 1]}}\n"
    "joints:\n"
    "  j: {revolute: [ground, arm], at: [0, 0, 0], axis: y}\n"
    "  k: {spherical: [arm, tip], at: [1, 0, 0]}\n"
    "markers: {m: {on: tip, at: [1, 0, 0]}}\n"
    "states: {s: {start: 1, rate: =f(t) + g(s)}}\n";

static void use(cardan_description* d, cardan_expression node)
{
    cd_tape* tape  = cd_tape_create(d->graph, 1, &node);
    double*  work  = tape ? calloc((size_t)cd_tape_work(tape) + 1, sizeof *work) : NULL;
    double*  input = calloc((size_t)d->nsignal + 1, sizeof *input);
    double   value;
    char*    text = cd_node_text(d->graph, node, NULL, NULL);
    if (tape && work && input) cd_tape_run(tape, input, work, &value);
    if (d->nsignal > 0) cd_derivative(d->graph, node, 0);
    free(text);
    free(input);
    free(work);
    cd_tape_destroy(tape);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    char*               text        = fuzz_text(data, size);
    cardan_report       report      = {0};
    cardan_description* description = NULL;
    cardan_expression   node;
    double              value;
    if (cardan_load_text(model, "model.yaml", NULL, &description, &report) != CARDAN_OK) abort();
    cardan_parse_number(description, text, cardan_nowhere(), &value, &report);
    if (cardan_parse(description, text, (cardan_place){"formula", 1, 1}, &node, &report) == CARDAN_OK)
        use(description, node);
    cardan_description_destroy(description);
    free(text);
    return 0;
}
