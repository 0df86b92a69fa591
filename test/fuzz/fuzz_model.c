// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: reader of model files; an accepted file is saved and read again.
#include "fuzz.h"

#include <cardan/io.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    char*               text        = fuzz_text(data, size);
    cardan_load_options options     = {.max_elements = 2000};
    cardan_report       report      = {0};
    cardan_description* description = NULL;
    if (cardan_description_load_text(text, "fuzz.yaml", &options, &description, &report) == CARDAN_OK) {
        cardan_description* again = NULL;
        char* saved = cardan_description_save_text(description); // NULL: names that a model file cannot contain
        if (saved && cardan_description_load_text(saved, "saved.yaml", &options, &again, &report) == CARDAN_OK)
            cardan_description_destroy(again);
        free(saved);
        cardan_description_destroy(description);
    }
    free(text);
    return 0;
}
