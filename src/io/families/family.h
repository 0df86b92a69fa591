// SPDX-License-Identifier: BSD-3-Clause
// The model files of families.def, kept in the library: the build makes them from families/*.yaml.
#pragma once

typedef struct cd_family_text {
    const char *name, *text;
} cd_family_text;

extern const cd_family_text cd_family_texts[]; // ended by a name of NULL
