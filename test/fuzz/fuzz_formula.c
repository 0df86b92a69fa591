// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: formula parser with a small mechanism; accepted formulas are differentiated, evaluated and printed.
#include "fuzz.h"

#include "model/description.h"

#include <stdlib.h>

// Two bodies with joints, a marker, parameters, tables and a state.
static cardan_description* describe(void)
{
    static const double       x[] = {0, 1, 2}, y[] = {0, 1, 4};
    const cardan_parameter    parameter[] = {{.name = "a", .value = 2}, {.name = "b", .value = 3}};
    const cardan_table        table[]     = {{"f", 3, x, y, CARDAN_INTERPOLATION_SPLINE, {0}},
                                             {"g", 2, x, y, CARDAN_INTERPOLATION_LINEAR, {0}}};
    const cardan_user_state   state       = {.name = "s", .start = 1, .rate = CARDAN_NONE};
    cardan_description* const d           = cardan_description_create("fuzz");
    if (!d) abort();
    for (int i = 0; i < 2; ++i)
        if (cardan_description_add_parameter(d, &parameter[i]) < 0 || cardan_description_add_table(d, &table[i]) < 0)
            abort();
    const cardan_body   arm = cardan_body_default("arm"), tip = cardan_body_default("tip");
    const int           first = cardan_description_add_body(d, &arm), second = cardan_description_add_body(d, &tip);
    const cardan_joint  j = cardan_joint_default("j", "revolute", CARDAN_GROUND, first);
    const cardan_joint  k = cardan_joint_default("k", "spherical", first, second);
    const cardan_marker m = {.name = "m", .body = second, .pose = cardan_pose_default()};
    if (cardan_description_add_joint(d, &j) < 0 || cardan_description_add_joint(d, &k) < 0 ||
        cardan_description_add_marker(d, &m) < 0 || cardan_description_add_state(d, &state) < 0)
        abort();
    return d;
}

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
    cardan_description* description = describe();
    cardan_expression   node;
    double              value;
    cardan_description_parse_number(description, text, cardan_location_none(), &value, &report);
    if (cardan_description_parse(description, text, (cardan_location){"formula", 1, 1}, &node, &report) == CARDAN_OK)
        use(description, node);
    cardan_description_destroy(description);
    free(text);
    return 0;
}
