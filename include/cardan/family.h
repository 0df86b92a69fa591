// SPDX-License-Identifier: BSD-3-Clause
// Families: parametric mechanisms of any size, for tests and benchmarks. `cardan make` writes them as model files.
//
//   cardan_description* d;
//   cardan_family_generate("ring", 1000, NULL, &d, &report);
#pragma once

#include <cardan/io.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_family {
    const char* name;
    const char* size_unit; // unit of its size: "links", "cells", ...
    int         min_size;
    const char* summary;
} cardan_family;

int                  cardan_family_count(void);
const cardan_family* cardan_family_at(int family);
/// Index by name, or CARDAN_NONE.
int cardan_family_find(const char* name);

/// Generate the model file of the member of size n: a short text with the size as parameter N. Settings in `options`
/// (may be NULL) change other parameters. The caller frees *text. Returns CARDAN_BAD_INPUT if the name is unknown or
/// the size or a setting is not possible.
cardan_status cardan_family_generate_text(const char* family, int n, const cardan_load_options* options, char** text,
                                          cardan_report* report);

/// Generate the description of the member of size n.
cardan_status cardan_family_generate(const char* family, int n, const cardan_load_options* options,
                                     cardan_description** description, cardan_report* report);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
