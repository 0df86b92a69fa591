// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: settings of parameters (`--set NAME=VALUE`), one per line of the input.
#include "fuzz.h"

#include <cardan/io.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

static const char model[] = "cardan: 1\n"
                            "parameters: {a: 2, b: \"=a + 1\", n: 3, c: \"=f(b) + distance(P, Q)\"}\n"
                            "points: {P: [=a, 0, 0], Q: [0, =b, 0]}\n"
                            "tables: {f: {x: [0, =a + 1], y: [0, 4]}}\n"
                            "templates:\n"
                            "  link:\n"
                            "    with: {length: 1, base: ground}\n"
                            "    bodies: {bar: {mass: =length, inertia: [1, 1, 1], at: P}}\n"
                            "    joints: {pin: {revolute: [base, bar], at: Q, axis: y}}\n"
                            "use: {left: {link: {length: =b}}, right: {link: {}, mirror: y}}\n"
                            "repeat:\n"
                            "  - for: i in 1..n\n"
                            "    bodies: {b$i: {mass: =c * i, inertia: [1, 1, 1], at: [=i * a, 0, 0]}}\n"
                            "    joints: {j$i: {revolute: [ground, b$i], at: [=i * a, 0, 0], axis: y}}\n";

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    cardan_parameter_setting setting[MOST];
    cardan_load_options      options     = cardan_load_options_default();
    char*                    text        = fuzz_text(data, size);
    cardan_report            report      = {0};
    cardan_description*      description = NULL;
    for (char *line = text, *next; line && options.nsetting < MOST; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        char* equals = strchr(line, '=');
        if (!equals) continue;
        *equals                     = '\0';
        setting[options.nsetting++] = (cardan_parameter_setting){.name = line, .value = equals + 1};
    }
    options.setting      = setting;
    options.max_elements = 2000;
    if (cardan_description_load_text(model, "model.yaml", &options, &description, &report) == CARDAN_OK)
        cardan_description_destroy(description);
    free(text);
    return 0;
}
