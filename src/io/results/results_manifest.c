// SPDX-License-Identifier: BSD-3-Clause
// Manifest of results: their origin, as JSON.
#include "io/results/results.h"

#include "core/file.h"
#include "core/json.h"

#include <cardan/version.h>
#include <stdlib.h>
#include <string.h>

static const char* path_base_name(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char* cd_results_sibling_path(const char* path, const char* ending)
{
    const char*  name = path_base_name(path);
    const char*  dot  = strrchr(name, '.');
    const size_t stem = dot && dot != name ? (size_t)(dot - path) : strlen(path);
    cd_text      text = {0};
    cd_text_add_bytes(&text, path, stem);
    cd_text_add(&text, ending);
    return cd_text_detach(&text);
}

static void write_entry(cd_json_writer* json, const char* key, const cd_manifest_entry* entry)
{
    switch (entry->kind) {
    case CD_MANIFEST_TEXT:
        cd_json_string(json, key, entry->text);
        break;
    case CD_MANIFEST_NUMBER:
        cd_json_number(json, key, entry->number);
        break;
    case CD_MANIFEST_INTEGER:
        cd_json_integer(json, key, entry->integer);
        break;
    case CD_MANIFEST_BOOLEAN:
        cd_json_boolean(json, key, entry->integer != 0);
        break;
    }
}

// Write the entries in order; consecutive entries with the same prefix before the dot share an object.
static void write_entries(cd_json_writer* json, int nentry, const cd_manifest_entry* entry)
{
    char group[128] = "";
    for (int i = 0; i < nentry; ++i) {
        const char*  dot = strchr(entry[i].key, '.');
        const size_t n   = dot && (size_t)(dot - entry[i].key) < sizeof group ? (size_t)(dot - entry[i].key) : 0;
        if (*group && (strlen(group) != n || strncmp(group, entry[i].key, n) != 0)) {
            cd_json_end(json);
            *group = '\0';
        }
        if (n && !*group) {
            memcpy(group, entry[i].key, n);
            group[n] = '\0';
            cd_json_begin_object(json, group);
        }
        write_entry(json, n ? dot + 1 : entry[i].key, &entry[i]);
    }
    if (*group) cd_json_end(json);
}

cardan_status cd_manifest_write(const char* path, int nentry, const cd_manifest_entry* entry, cardan_report* report)
{
    cd_text        text = {0};
    cd_json_writer json = cd_json_writer_to(&text);
    cd_json_begin_object(&json, NULL);
    cd_json_string(&json, "cardan", cardan_version());
    cd_json_string(&json, "results", path_base_name(path));
    write_entries(&json, nentry, entry);
    cd_json_end(&json);

    const size_t  length  = text.length;
    char*         content = cd_text_detach(&text);
    char*         name    = cd_results_sibling_path(path, ".manifest.json");
    cardan_status status  = content && name
                                ? cd_file_write(name, content, length, true, report)
                                : cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY,
                                              cardan_location_none(), "out of memory for the manifest of %s", path);
    free(content);
    free(name);
    return status;
}

char* cd_command_line(int count, const char* const* argument)
{
    cd_text text = {0};
    for (int i = 0; i < count; ++i) {
        if (i) cd_text_add(&text, " ");
        const char* a = argument[i];
        const bool  safe =
            *a && !a[strspn(a, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%")];
        if (!safe) cd_text_add(&text, "'");
        for (; *a; ++a) {
            if (*a == '\'')
                cd_text_add(&text, "'\\''");
            else
                cd_text_add_bytes(&text, a, 1);
        }
        if (!safe) cd_text_add(&text, "'");
    }
    return cd_text_detach(&text);
}

cardan_status cd_file_content_hash(const char* path, char digest[65], cardan_report* report)
{
    char*               data   = NULL;
    size_t              length = 0;
    const cardan_status status = cd_file_read(path, &data, &length, report);
    digest[0]                  = '\0';
    if (status == CARDAN_OK) cd_sha256(data, length, digest);
    free(data);
    return status;
}
