// SPDX-License-Identifier: BSD-3-Clause
// Source files are written to a build folder, compiled there, loaded, checked, and moved to the cache.
#include "core/clock.h"
#include "generate/compiled/build.h"

#include "core/file.h"

#include <cardan/version.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { CACHE_FORMAT = 2 }; // format of the files in the cache; part of the key
static const long long max_cache_bytes = 256LL << 20;
// Files in a build folder.
static const char compiled_name[] = "generated.so", sealed_name[] = "sealed.so", log_name[] = "log";

// Append the features of the processor, because code is compiled for it.
static void append_processor(cd_text* text)
{
    struct utsname name;
    if (uname(&name) == 0) cd_text_format(text, "%s %s\n", name.sysname, name.machine);
    char*  cpuinfo = NULL;
    size_t n       = 0;
    if (cd_file_read("/proc/cpuinfo", &cpuinfo, &n, NULL) != CARDAN_OK) return;
    static const char* const keys[] = {"model name", "flags", "Features"};
    for (int i = 0; i < 3; ++i) {
        const char* line = strstr(cpuinfo, keys[i]);
        if (line) cd_text_format(text, "%.*s\n", (int)strcspn(line, "\n"), line);
    }
    free(cpuinfo);
}

void cd_build_append_key(cd_text* text, const cd_c_compiler* c, int edition)
{
    cd_text_format(text, "Cardan %s %d %d\n%s %s\n%s\n%s\n", CARDAN_VERSION, CACHE_FORMAT, edition, c->path,
                   c->extra_arguments, c->version_stamp, c->flags);
    append_processor(text);
}

bool cd_build_symbol(void* handle, const char* name, void* function, size_t size)
{
    void* address = dlsym(handle, name);
    memcpy(function, &address, size);
    return address != NULL;
}

static cardan_status load_and_check(cd_build* b, const cd_library_image* image, cardan_report* report)
{
    cardan_status status = cd_library_image_load(image, &b->loaded, report);
    if (status == CARDAN_OK) status = b->check(b->user, b->loaded.handle, report);
    if (status != CARDAN_OK) cd_loaded_library_close(&b->loaded);
    return status;
}

cd_cache_result cd_build_find(cd_build* b, cardan_report* report)
{
    cd_library_image image;
    if (b->cache->folder < 0) return CD_CACHE_ABSENT;
    if (b->cache->is_writable) cd_build_folder_remove_stale(b->cache->folder);
    cd_cache_result     found  = cd_code_cache_find(b->cache, b->library_name, &image, &b->info, report);
    const cardan_status status = found == CD_CACHE_VALID ? load_and_check(b, &image, NULL) : CARDAN_OK;
    if (status == CARDAN_NO_MEMORY) found = CD_CACHE_ABSENT;
    if (status != CARDAN_OK && status != CARDAN_NO_MEMORY) {
        cd_code_cache_remove(b->cache, b->library_name);
        found = CD_CACHE_DAMAGED;
    }
    cd_library_image_free(&image);
    return found;
}

static cardan_status write_files(const cd_build* b, const cd_build_folder* build_folder, cardan_report* report)
{
    for (int i = 0; i < b->nfile; ++i) {
        const int file =
            cd_build_folder_write_file(build_folder, b->file_name[i], b->file_text[i], strlen(b->file_text[i]));
        if (file < 0)
            return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_GENERATED_CODE_FAILED, cardan_location_none(),
                               "generated code cannot be written: %s", strerror(errno));
        close(file);
    }
    return CARDAN_OK;
}

// Read the compiled library, append build information and digest, and write it to a second file for the cache. If that
// file cannot be written, the code is used without being cached.
static cardan_status read_library(const cd_build* b, const cd_build_folder* build_folder, cd_library_image* image,
                                  cardan_report* report)
{
    const int compiled_file = cd_build_folder_open_file(build_folder, compiled_name);
    if (compiled_file < 0 || !cd_library_image_read(compiled_file, image) || !cd_library_image_seal(image, &b->info))
        return cardan_fail(report, errno == ENOMEM ? CARDAN_NO_MEMORY : CARDAN_UNSUPPORTED,
                           CARDAN_CODE_GENERATED_CODE_FAILED, cardan_location_none(),
                           "generated code cannot be read: %s", strerror(errno));
    const int file = cd_build_folder_write_file(build_folder, sealed_name, image->bytes, image->length);
    if (file < 0) {
        unlinkat(build_folder->folder, sealed_name, 0);
        return CARDAN_OK;
    }
    close(image->file);
    image->file = file;
    return CARDAN_OK;
}

static void note_not_cached(const cd_code_cache* cache, cardan_report* report)
{
    const bool has_path = *cache->path;
    cardan_note(report, CARDAN_CODE_CACHE_UNAVAILABLE, cardan_location_none(),
                "generated code cannot be cached and is compiled in every run: %s%.240s%s",
                has_path ? "the cache folder '" : "there is no cache folder", cache->path,
                has_path ? "' is not writable; set CARDAN_CACHE to another folder" : "; set CARDAN_CACHE to a folder");
}

cardan_status cd_build_compile(cd_build* b, cardan_report* report)
{
    cd_build_folder  build_folder;
    cd_library_image image = cd_library_image_empty();
    cardan_status    status =
        cd_build_folder_create(b->cache->is_writable ? b->cache->folder : -1, b->cache->path, &build_folder, report);
    if (status != CARDAN_OK) return status;
    const double begin = cd_clock_wall();
    status             = write_files(b, &build_folder, report);
    if (status == CARDAN_OK)
        status = cd_c_compiler_run(b->compiler, &build_folder, b->file_name[0], compiled_name, log_name, report);
    b->info.compile_time = cd_clock_wall() - begin;
    if (status == CARDAN_OK) status = read_library(b, &build_folder, &image, report);
    if (status == CARDAN_OK) status = load_and_check(b, &image, report);
    if (status == CARDAN_OK) {
        if (b->cache->is_writable && cd_code_cache_store(b->cache, build_folder.folder, sealed_name, b->library_name))
            cd_code_cache_limit_size(b->cache, max_cache_bytes);
        else
            note_not_cached(b->cache, report);
    }
    cd_library_image_free(&image);
    cd_build_folder_remove(&build_folder);
    return status;
}
