// SPDX-License-Identifier: BSD-3-Clause
// Manifests of results: command line, time, file with its digest, settings, further entries.
#include "cli/report/manifest.h"

#include "core/memory.h"
#include "io/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COMMON_FACTS = 6 };

static void format_now(char* text, size_t size)
{
    const time_t now = time(NULL);
    struct tm    utc;
    gmtime_r(&now, &utc);
    strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

void cd_manifest_add(cd_manifest* manifest, cd_manifest_entry entry)
{
    if (manifest->entry && manifest->nentry < manifest->capacity) manifest->entry[manifest->nentry++] = entry;
}

// The model entry names the file itself, without included files; the operand may be a folder.
void cd_manifest_begin(cd_manifest* manifest, const cd_loaded_model* mechanism, int more)
{
    char* file = cd_find_model_file(mechanism->options->operand[0]);
    cd_manifest_begin_of(manifest, mechanism->options, "model", mechanism->view.name, file, more);
    free(file);
}

void cd_manifest_begin_of(cd_manifest* manifest, const cd_options* options, const char* what, const char* name,
                          const char* file, int more)
{
    static const char* const part[] = {"name", "file", "sha256"};
    *manifest        = (cd_manifest){.capacity = COMMON_FACTS + options->nsetting + more, .nkey = options->nsetting};
    manifest->entry  = calloc((size_t)manifest->capacity, sizeof *manifest->entry);
    manifest->key    = calloc((size_t)manifest->nkey + 1, sizeof *manifest->key);
    manifest->line   = cd_command_line(options->argc, options->argv);
    manifest->file   = file ? cd_copy_string(file) : NULL;
    manifest->failed = !manifest->entry || !manifest->key || !manifest->line || !manifest->file;
    if (manifest->failed) return;
    format_now(manifest->now, sizeof manifest->now);
    const cardan_status hashed = cd_file_content_hash(manifest->file, manifest->digest, NULL);
    if (hashed != CARDAN_OK) manifest->digest[0] = 0;
    manifest->failed = hashed == CARDAN_NO_MEMORY;
    cd_manifest_add(manifest, cd_manifest_text("command", manifest->line));
    cd_manifest_add(manifest, cd_manifest_text("created", manifest->now));
    for (int i = 0; i < 3; ++i) snprintf(manifest->key_text[i], sizeof manifest->key_text[i], "%s.%s", what, part[i]);
    cd_manifest_add(manifest, cd_manifest_text(manifest->key_text[0], name));
    cd_manifest_add(manifest, cd_manifest_text(manifest->key_text[1], manifest->file));
    cd_manifest_add(manifest, cd_manifest_text(manifest->key_text[2], manifest->digest[0] ? manifest->digest : NULL));
    if (options->state) cd_manifest_add(manifest, cd_manifest_text("model.state", options->state));
    for (int i = 0; i < manifest->nkey; ++i) {
        cd_text* key = &manifest->key[i];
        cd_text_format(key, "set.%s", options->setting[i].name);
        manifest->failed = manifest->failed || key->failed;
        if (!key->failed) cd_manifest_add(manifest, cd_manifest_text(key->data, options->setting[i].value));
    }
}

cardan_status cd_manifest_end(cd_manifest* manifest, const char* path, cardan_report* report)
{
    const cardan_status status =
        manifest->failed ? CARDAN_NO_MEMORY : cd_manifest_write(path, manifest->nentry, manifest->entry, report);
    for (int i = 0; manifest->key && i < manifest->nkey; ++i) cd_text_free(&manifest->key[i]);
    free(manifest->key);
    free(manifest->entry);
    free(manifest->line);
    free(manifest->file);
    *manifest = (cd_manifest){0};
    return status;
}
