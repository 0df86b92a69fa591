// SPDX-License-Identifier: BSD-3-Clause
// Model files of families.def, compiled into the library; the build generates them from families/*.yaml.
#pragma once

typedef struct cd_family_text {
    const char *name, *text;
} cd_family_text;

extern const cd_family_text cd_family_texts[]; // terminated by the name NULL
