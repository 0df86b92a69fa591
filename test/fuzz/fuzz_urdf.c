// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: reader of URDF files; an accepted file is saved as a model file.
#include "fuzz.h"

#include "io/format.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    cardan_load_options options     = cardan_load_options_default();
    cardan_report       report      = {0};
    cardan_description* description = NULL;
    options.floating_base           = fuzz_hash(data, size) & 1;
    if (cd_read_urdf(fuzz_file(data, size), &options, &description, &report) == CARDAN_OK) {
        free(cardan_description_save_text(description));
        cardan_description_destroy(description);
    }
    return 0;
}
