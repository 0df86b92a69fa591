// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: reader of optimization tasks. Models that a task names are searched in the folder of models.
#include "fuzz.h"

#include <cardan/optimize.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    char*               text    = fuzz_text(data, size);
    cardan_load_options options = {.max_elements = 500};
    cardan_report       report  = {0};
    cardan_task*        task    = NULL;
    if (cardan_task_load_text(text, CARDAN_SOURCE "/models/fuzz.yaml", &options, &task, &report) == CARDAN_OK)
        cardan_task_destroy(task);
    free(text);
    return 0;
}
