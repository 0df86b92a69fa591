// SPDX-License-Identifier: BSD-3-Clause
// Files are written to a folder of their own, compiled there, loaded, tried, and moved to the cache.
#include "core/clock.h"
#include "generate/build.h"

#include "core/file.h"

#include <cardan/version.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { FILES = 8 };
static const long long cache_most = 256LL << 20;

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
    cd_text_format(text, "Cardan %s %d\n%s %s\n%s\n%s\n", CARDAN_VERSION, edition, c->path, c->words, c->stamp,
                   c->flags);
    add_machine(text);
}

bool cd_build_function(void* handle, const char* name, void* function, size_t size)
{
    void* address = dlsym(handle, name);
    memcpy(function, &address, size);
    return address != NULL;
}

void cd_build_close(void* handle)
{
    if (handle) dlclose(handle);
}

static cardan_status load(cd_build* b, const char* path, cardan_report* report)
{
    b->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!b->handle)
        return cardan_fail(report, CARDAN_UNSUPPORTED, cardan_nowhere(), "generated code cannot be loaded: %s",
                           dlerror());
    const cardan_status status = b->accept(b->user, b->handle, report);
    if (status == CARDAN_OK) return status;
    dlclose(b->handle);
    b->handle = NULL;
    return status;
}

cd_found cd_build_find(cd_build* b)
{
    if (b->cache) cd_work_tidy(b->cache);
    const cd_found found = cd_cache_look(b->path, &b->about);
    if (found != CD_SOUND || load(b, b->path, NULL) == CARDAN_OK) return found;
    unlink(b->path);
    return CD_DAMAGED;
}

// Files of a build, and what the compiler makes of them.
typedef struct work {
    char file[FILES + 2][CD_CACHE_PATH + 32];
    int  nfile;
} work;

static cardan_status write_files(const cd_build* b, const char* folder, work* w, cardan_report* report)
{
    for (; w->nfile < b->ntext && w->nfile < FILES; ++w->nfile) {
        const char* text = b->text[w->nfile];
        snprintf(w->file[w->nfile], sizeof *w->file, "%s/%.24s", folder, b->name[w->nfile]);
        if (cd_file_write(w->file[w->nfile], text, strlen(text), true, report) != CARDAN_OK) return CARDAN_UNSUPPORTED;
    }
    return CARDAN_OK;
}

cardan_status cd_build_make(cd_build* b, cardan_report* report)
{
    work    w = {0};
    cd_work at;
    if (!cd_work_folder(b->cache, &at))
        return cardan_fail(report, CARDAN_UNSUPPORTED, cardan_nowhere(),
                           "there is no folder to compile generated code in: %s", at.folder);
    const char* const folder = at.folder;
    const double      begin  = cd_clock_wall();
    cardan_status     status = write_files(b, folder, &w, report);
    char *const library = w.file[w.nfile], *const log = w.file[w.nfile + 1];
    snprintf(library, sizeof *w.file, "%s/generated.so", folder);
    snprintf(log, sizeof *w.file, "%s/log", folder);
    if (status == CARDAN_OK) status = cd_compiler_run(b->compiler, w.file[0], library, log, report);
    b->about.compile = cd_clock_wall() - begin;
    if (status == CARDAN_OK) status = load(b, library, report);
    const bool kept =
        status == CARDAN_OK && b->cache && cd_cache_seal(library, &b->about) && cd_cache_keep(library, b->path);
    if (kept)
        cd_cache_bound(b->cache, cache_most);
    else if (status == CARDAN_OK)
        cardan_note(report, cardan_nowhere(),
                    "generated code cannot be kept, and is compiled again in every run: %s%.240s%s",
                    *b->folder ? "the cache '" : "there is no folder for it", b->folder,
                    *b->folder ? "' cannot be written; CARDAN_CACHE names another" : "; CARDAN_CACHE names one");
    cd_work_remove(&at);
    return status;
}
