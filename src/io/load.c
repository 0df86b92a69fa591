// SPDX-License-Identifier: BSD-3-Clause
// Loading of a model file: find the file of a path and its format.
#include "core/check_arguments.h"
#include "core/file.h"
#include "core/text.h"
#include "io/format.h"
#include "core/number_locale.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const cd_format formats[] = {
#define CD_FORMAT(name, extensions, read, summary, part) {name, extensions, read, summary, part},
#include "io/formats.def"
#undef CD_FORMAT
};

enum { NFORMAT = sizeof formats / sizeof *formats };

int              cd_format_count(void) { return NFORMAT; }
bool             cd_format_is_native(const cd_format* format) { return format == &formats[0]; }
const cd_format* cd_format_at(int i) { return i >= 0 && i < NFORMAT ? &formats[i] : NULL; }

cardan_load_options cardan_load_options_default(void) { return (cardan_load_options){0}; }

cardan_status cd_load_options_check(const cardan_load_options* options, cardan_report* report)
{
    if (!options) return CARDAN_OK;
    bool good = options->nsetting >= 0 && (options->nsetting == 0 || options->setting) && options->ninput >= 0 &&
                (options->ninput == 0 || options->input);
    for (int i = 0; good && i < options->nsetting; ++i) good = options->setting[i].name && options->setting[i].value;
    for (int i = 0; good && i < options->ninput; ++i) good = options->input[i] != NULL;
    return good ? CARDAN_OK
                : cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                              "the load options contain a setting or an input that is NULL, or a negative number of "
                              "them");
}

// Get the next extension at *list and advance. Returns false at the end.
static bool next_extension(const char** list, const char** extension, size_t* length)
{
    *list += strspn(*list, " ");
    *extension = *list;
    *length    = strcspn(*list, " ");
    *list += *length;
    return *length > 0;
}

const cd_format* cd_format_from_path(const char* path)
{
    const size_t n = strlen(path);
    for (int i = 0; i < NFORMAT; ++i) {
        const char *list = formats[i].extensions, *extension;
        size_t      length;
        while (next_extension(&list, &extension, &length))
            if (n > length && strncasecmp(path + n - length, extension, length) == 0) return &formats[i];
    }
    return NULL;
}

// ".yaml, .yml or .urdf"
static void add_extensions(cd_text* text)
{
    int total = 0, shown = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (int i = 0; i < NFORMAT; ++i) {
            const char *list = formats[i].extensions, *extension;
            size_t      length;
            while (next_extension(&list, &extension, &length)) {
                if (pass == 0) {
                    ++total;
                    continue;
                }
                if (shown > 0) cd_text_add(text, shown == total - 1 ? " or " : ", ");
                cd_text_add_bytes(text, extension, length);
                ++shown;
            }
        }
}

static cardan_status no_memory(cardan_report* report)
{
    return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(), "out of memory");
}

static bool is_file(const char* path)
{
    struct stat s;
    return stat(path, &s) == 0 && !S_ISDIR(s.st_mode);
}

// Return the name of the folder itself, also for "." and ".."; the caller frees it.
static char* folder_name(const char* folder)
{
    char* whole = realpath(folder, NULL);
    if (!whole) return NULL;
    const char* slash = strrchr(whole, '/');
    char*       name  = cd_copy_string(slash && slash[1] ? slash + 1 : "model");
    free(whole);
    return name;
}

// Find the file in a folder that has the folder's name.
static cardan_status find_in_folder(const char* folder, cd_text* file, cardan_report* report)
{
    char* name = folder_name(folder);
    if (!name && errno != ENOMEM)
        return cardan_fail(report, cd_file_status(errno), CARDAN_CODE_FILE_NOT_READABLE,
                           (cardan_location){.file = folder}, "the file cannot be read: %s", strerror(errno));
    if (!name) return no_memory(report);
    const size_t n = strlen(folder);
    for (int i = 0; i < NFORMAT; ++i) {
        const char *list = formats[i].extensions, *extension;
        size_t      length;
        while (next_extension(&list, &extension, &length)) {
            cd_text_free(file);
            cd_text_format(file, "%s%s%s%.*s", folder, n && folder[n - 1] == '/' ? "" : "/", name, (int)length,
                           extension);
            if (file->failed || is_file(file->data)) {
                free(name);
                return file->failed ? no_memory(report) : CARDAN_OK;
            }
        }
    }
    cd_text extensions = {0};
    add_extensions(&extensions);
    const cardan_status status =
        extensions.failed
            ? no_memory(report)
            : cardan_fail(report, CARDAN_FILE_ERROR, CARDAN_CODE_FILE_NOT_FOUND, (cardan_location){.file = folder},
                          "the folder contains no model file '%s' with the extension %s", name, extensions.data);
    cd_text_free(&extensions);
    free(name);
    return status;
}

char* cd_find_model_file(const char* path)
{
    cd_text             file = {0};
    struct stat         s;
    const bool          folder = stat(path, &s) == 0 && S_ISDIR(s.st_mode);
    const cardan_status found  = folder ? find_in_folder(path, &file, NULL) : CARDAN_FILE_ERROR;
    if (found != CARDAN_OK) cd_text_free(&file);
    if (found == CARDAN_NO_MEMORY) return NULL;
    if (found != CARDAN_OK) cd_text_add(&file, path);
    return cd_text_detach(&file);
}

static const char* name_at(void* names, int i) { return cd_name_table_at(names, i); }

// List the names in a folder without hidden ones; empty if it cannot be read. Returns NULL if memory is exhausted.
static cd_name_table* list_folder(const char* folder)
{
    errno                = 0;
    DIR*           open  = opendir(folder);
    cd_name_table* names = !open && errno == ENOMEM ? NULL : cd_name_table_create();
    bool           good  = names != NULL;
    for (const struct dirent* entry; open && good && (entry = readdir(open));)
        if (entry->d_name[0] != '.') good = cd_name_table_add(names, entry->d_name, 0) != NULL;
    if (open) closedir(open);
    if (good) return names;
    cd_name_table_destroy(names);
    return NULL;
}

// Find the name in a folder that the user may have meant: the same name with an extension, or a similar one.
static const char* nearest_name(cd_name_table* names, const char* wanted)
{
    const size_t stem = strlen(wanted);
    for (int i = 0; stem > 0 && i < cd_name_table_count(names); ++i) {
        const char* name = cd_name_table_at(names, i);
        if (strncmp(name, wanted, stem) == 0 && name[stem] == '.' && cd_format_from_path(name)) return name;
    }
    return cd_nearest_name(wanted, name_at, names);
}

cardan_status cd_fail_missing_file(const char* path, cardan_report* report)
{
    const cardan_location location = {.file = path};
    const char*           slash    = strrchr(path, '/');
    const int             length   = slash ? (int)(slash - path) + 1 : 0;
    cd_text               folder   = {0};
    cd_text_format(&folder, "%.*s", length ? length : 2, length ? path : "./");
    cd_name_table*      names      = folder.failed ? NULL : list_folder(folder.data);
    const char*         suggestion = names ? nearest_name(names, path + length) : NULL;
    const cardan_status status     = names ? CARDAN_FILE_ERROR : CARDAN_NO_MEMORY;
    if (!names)
        no_memory(report);
    else if (suggestion)
        cardan_fail(report, CARDAN_FILE_ERROR, CARDAN_CODE_FILE_NOT_FOUND, location,
                    "the file does not exist (did you mean '%.*s%s'?)", length, path, suggestion);
    else
        cardan_fail(report, CARDAN_FILE_ERROR, CARDAN_CODE_FILE_NOT_FOUND, location, "the file does not exist");
    cd_name_table_destroy(names);
    cd_text_free(&folder);
    return status;
}

static cardan_status fail_format(const char* path, cardan_report* report)
{
    cd_text extensions = {0};
    add_extensions(&extensions);
    const cardan_status status =
        extensions.failed
            ? no_memory(report)
            : cardan_fail(report, CARDAN_BAD_INPUT, CARDAN_CODE_FILE_FORMAT, (cardan_location){.file = path},
                          "the extension of the file is unknown; it must be %s", extensions.data);
    cd_text_free(&extensions);
    return status;
}

static cardan_status load_file(const char* path, const cardan_load_options* options, cardan_description** description,
                               cardan_report* report)
{
    const cd_format* format = cd_format_from_path(path);
    if (!format) return fail_format(path, report);
    const cd_format*    reader = options->nsetting > 0 ? &formats[0] : format; // settings need a native or translated file
    const locale_t      before = cd_locale_enter();
    const cardan_status status = reader->read(path, options, description, report);
    cd_locale_leave(before);
    return status;
}

cardan_status cardan_description_load(const char* path, const cardan_load_options* options,
                                      cardan_description** description, cardan_report* report)
{
    const cardan_load_options default_options = cardan_load_options_default();
    CD_REQUIRE_POINTER(description, "description", report);
    *description = NULL;
    if (!options) options = &default_options;
    const cardan_status options_status = cd_load_options_check(options, report);
    if (options_status != CARDAN_OK) return options_status;
    if (!path || !*path)
        return cardan_fail(report, CARDAN_BAD_USAGE, CARDAN_CODE_INVALID_ARGUMENT, cardan_location_none(),
                           "the path of the file is missing");

    struct stat s;
    if (stat(path, &s) != 0) {
        if (errno == ENOENT || errno == ENOTDIR) return cd_fail_missing_file(path, report);
        return cardan_fail(report, cd_file_status(errno), CARDAN_CODE_FILE_NOT_READABLE,
                           (cardan_location){.file = path}, "the file cannot be read: %s", strerror(errno));
    }
    if (!S_ISDIR(s.st_mode)) return load_file(path, options, description, report);

    cd_text       file   = {0};
    cardan_status status = find_in_folder(path, &file, report);
    if (!status) status = load_file(file.data, options, description, report);
    cd_text_free(&file);
    return status;
}
