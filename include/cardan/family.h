// SPDX-License-Identifier: BSD-3-Clause
// Families: mechanisms of any size, for tests and benchmarks. `cardan make` writes the same ones as model files.
//
//   cardan_description* d;
//   cardan_family_generate("ring", 1000, NULL, &d, &report);
#pragma once

#include <cardan/io.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_family {
    const char* name;
    const char* size_unit; // what its size counts: "links", "cells", ...
    int         min_size;  // smallest size
    const char* summary;
} cardan_family;

int                  cardan_family_count(void);
const cardan_family* cardan_family_at(int family);
/// Index by name, or CARDAN_NONE.
int cardan_family_find(const char* name);

/// The model file of the family's member of size n: a short one, whose parameter N is its size. Settings change other
/// parameters; `options` may be NULL. On success *text is to be freed by the caller. An unknown name, a size or a
/// setting that is not possible: CARDAN_BAD_INPUT.
cardan_status cardan_family_generate_text(const char* family, int n, const cardan_load_options* options, char** text,
                                          cardan_report* report);

/// The same as a description.
cardan_status cardan_family_generate(const char* family, int n, const cardan_load_options* options,
                                     cardan_description** description, cardan_report* report);

#ifdef __cplusplus
}
#endif
