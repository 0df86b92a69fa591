// SPDX-License-Identifier: BSD-3-Clause
// Manifests: what produced some results. All begin with the command, the time, the model and what was set in it.
#pragma once

#include "cli/support/mechanism.h"
#include "io/results/results.h"

typedef struct cd_manifest {
    int                nfact, capacity;
    bool               failed; // no memory
    cd_manifest_entry* fact;
    int                nkey;
    cd_text*           key; // "set.name" of every setting
    char *             line, *file;
    char               now[32], digest[65], key_text[3][32];
} cd_manifest;

// The beginning, with room for `more` facts.
void cd_manifest_begin(cd_manifest* manifest, const cd_mechanism* mechanism, int more);
// The same for any file; "task" instead of "model" is what it is called.
void cd_manifest_begin_of(cd_manifest* manifest, const cd_options* options, const char* what, const char* name,
                          const char* file, int more);
void cd_manifest_add(cd_manifest* manifest, cd_manifest_entry fact);
// Beside the results at `path`; then the manifest is empty.
cardan_status cd_manifest_end(cd_manifest* manifest, const char* path, cardan_report* report);
