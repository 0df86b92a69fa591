// SPDX-License-Identifier: BSD-3-Clause
// Manifests: how results were produced. Every manifest begins with command line, time, model file and settings.
#pragma once

#include "cli/support/loaded_model.h"
#include "io/results/results.h"

typedef struct cd_manifest {
    int                nentry, capacity;
    bool               failed; // memory is exhausted
    cd_manifest_entry* entry;
    int                nkey;
    cd_text*           key; // "set.name" for every setting
    char *             line, *file;
    char               now[32], digest[65], key_text[3][32];
} cd_manifest;

// Begin a manifest of a model with room for `more` further entries.
void cd_manifest_begin(cd_manifest* manifest, const cd_loaded_model* mechanism, int more);
// Begin a manifest of any file; `what` is "model" or "task".
void cd_manifest_begin_of(cd_manifest* manifest, const cd_options* options, const char* what, const char* name,
                          const char* file, int more);
void cd_manifest_add(cd_manifest* manifest, cd_manifest_entry entry);
// Write the manifest next to the results at `path` and free it.
cardan_status cd_manifest_end(cd_manifest* manifest, const char* path, cardan_report* report);
