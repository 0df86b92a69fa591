// SPDX-License-Identifier: BSD-3-Clause
// Files are written to a folder of their own, compiled there, loaded, tried, and moved to the cache.
#include "core/clock.h"
#include "generate/build.h"

#include "core/file.h"

#include <cardan/version.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { FORMAT = 2 }; // of files of the cache: another number, other keys
static const long long cache_most = 256LL << 20;
// Files of a build.
static const char compiled[] = "generated.so", sealed[] = "sealed.so", log_file[] = "log";

// What the processor can do, since code is compiled for it.
static void add_machine(cd_text* text)
{
    struct utsname name;
    if (uname(&name) == 0) cd_text_format(text, "%s %s\n", name.sysname, name.machine);
    char*  about = NULL;
    size_t n     = 0;
    if (cd_file_read("/proc/cpuinfo", &about, &n, NULL) != CARDAN_OK) return;
    static const char* const wanted[] = {"model name", "flags", "Features"};
    for (int i = 0; i < 3; ++i) {
        const char* line = strstr(about, wanted[i]);
        if (line) cd_text_format(text, "%.*s\n", (int)strcspn(line, "\n"), line);
    }
    free(about);
}

void cd_build_key(cd_text* text, const cd_compiler* c, int edition)
{
    cd_text_format(text, "Cardan %s %d %d\n%s %s\n%s\n%s\n", CARDAN_VERSION, FORMAT, edition, c->path, c->words,
                   c->stamp, c->flags);
    add_machine(text);
}

bool cd_build_function(void* handle, const char* name, void* function, size_t size)
{
    void* address = dlsym(handle, name);
    memcpy(function, &address, size);
    return address != NULL;
}

static cardan_status load(cd_build* b, const cd_image* image, cardan_report* report)
{
    cardan_status status = cd_image_load(image, &b->loaded, report);
    if (status == CARDAN_OK) status = b->accept(b->user, b->loaded.handle, report);
    if (status != CARDAN_OK) cd_unload(&b->loaded);
    return status;
}

cd_found cd_build_find(cd_build* b, cardan_report* report)
{
    cd_image image;
    if (b->cache->folder < 0) return CD_ABSENT;
    if (b->cache->grows) cd_work_tidy(b->cache->folder);
    cd_found            found  = cd_cache_look(b->cache, b->file, &image, &b->about, report);
    const cardan_status status = found == CD_SOUND ? load(b, &image, NULL) : CARDAN_OK;
    if (status == CARDAN_NO_MEMORY) found = CD_ABSENT;
    if (status != CARDAN_OK && status != CARDAN_NO_MEMORY) {
        cd_cache_remove(b->cache, b->file);
        found = CD_DAMAGED;
    }
    cd_image_free(&image);
    return found;
}

static cardan_status write_files(const cd_build* b, const cd_work* work, cardan_report* report)
{
    for (int i = 0; i < b->ntext; ++i) {
        const int file = cd_work_create(work, b->name[i], b->text[i], strlen(b->text[i]));
        if (file < 0)
            return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_GENERATED_CODE_FAILED, cardan_nowhere(),
                               "generated code cannot be written: %s", strerror(errno));
        close(file);
    }
    return CARDAN_OK;
}

// What the compiler made, with what is known about it and the digest, in memory and as a file next to it. Where that
// file cannot be written the code is used all the same.
static cardan_status take_library(const cd_build* b, const cd_work* work, cd_image* image, cardan_report* report)
{
    const int made = cd_work_open(work, compiled);
    if (made < 0 || !cd_image_read(made, image) || !cd_image_seal(image, &b->about))
        return cardan_fail(report, errno == ENOMEM ? CARDAN_NO_MEMORY : CARDAN_UNSUPPORTED,
                           CARDAN_CODE_GENERATED_CODE_FAILED, cardan_nowhere(), "generated code cannot be read: %s",
                           strerror(errno));
    const int file = cd_work_create(work, sealed, image->bytes, image->length);
    if (file < 0) {
        unlinkat(work->folder, sealed, 0);
        return CARDAN_OK;
    }
    close(image->file);
    image->file = file;
    return CARDAN_OK;
}

static void note_not_kept(const cd_cache* cache, cardan_report* report)
{
    const bool named = *cache->path;
    cardan_note(report, CARDAN_CODE_CACHE_UNAVAILABLE, cardan_nowhere(),
                "generated code cannot be kept, and is compiled again in every run: %s%.240s%s",
                named ? "the cache '" : "there is no folder for it", cache->path,
                named ? "' cannot be written; CARDAN_CACHE names another" : "; CARDAN_CACHE names one");
}

cardan_status cd_build_make(cd_build* b, cardan_report* report)
{
    cd_work       work;
    cd_image      image  = cd_image_none();
    cardan_status status = cd_work_make(b->cache->grows ? b->cache->folder : -1, b->cache->path, &work, report);
    if (status != CARDAN_OK) return status;
    const double begin = cd_clock_wall();
    status             = write_files(b, &work, report);
    if (status == CARDAN_OK) status = cd_compiler_run(b->compiler, &work, b->name[0], compiled, log_file, report);
    b->about.compile = cd_clock_wall() - begin;
    if (status == CARDAN_OK) status = take_library(b, &work, &image, report);
    if (status == CARDAN_OK) status = load(b, &image, report);
    if (status == CARDAN_OK) {
        if (b->cache->grows && cd_cache_keep(b->cache, work.folder, sealed, b->file))
            cd_cache_bound(b->cache, cache_most);
        else
            note_not_kept(b->cache, report);
    }
    cd_image_free(&image);
    cd_work_remove(&work);
    return status;
}
