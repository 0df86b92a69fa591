// SPDX-License-Identifier: BSD-3-Clause
// Generated code: written to a build folder, compiled and loaded; the folder is removed.
#include "code.h"

#include "generate/compiled/c_compiler.h"
#include "generate/compiled/build_folder.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char usual[] =
    "-O2 -std=c11 -march=native -ffp-contract=fast -fno-math-errno -fno-trapping-math -shared -fPIC";

const char* code_flags(void)
{
    const char* others = getenv("BENCH_FLAGS");
    return others ? others : usual;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Load the open file. The descriptor stays open while the library is loaded: the loader compares libraries by name.
static void* load(int file)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return file < 0 ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static cardan_status compile(const cardan_generated* g, code* c, cardan_report* report)
{
    static const char* const name[2] = {"g.c", "g.h"};
    cd_c_compiler            compiler;
    cd_build_folder          work;
    cardan_status            status = cd_c_compiler_find(&compiler, report);
    if (status == CARDAN_OK) status = cd_build_folder_create(-1, NULL, &work, report);
    if (status != CARDAN_OK) return status;
    for (int i = 0; i < 2 && status == CARDAN_OK; ++i) {
        const char* text = cardan_generated_file_text(g, i);
        const int   file = cd_build_folder_write_file(&work, name[i], text, strlen(text));
        if (file < 0)
            status = cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, cardan_location_none(),
                                 "generated code cannot be written");
        else
            close(file);
    }
    compiler.flags     = code_flags();
    const double begin = seconds();
    if (status == CARDAN_OK) status = cd_c_compiler_run(&compiler, &work, name[0], "g.so", "log", report);
    c->compile = seconds() - begin;
    c->file    = status == CARDAN_OK ? cd_build_folder_open_file(&work, "g.so") : -1;
    c->handle  = load(c->file);
    if (!c->handle && c->file >= 0) close(c->file);
    cd_build_folder_remove(&work);
    if (status == CARDAN_OK && !c->handle)
        status = cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_NOT_SUPPORTED, cardan_location_none(),
                             "generated code cannot be loaded");
    return status;
}

cardan_status code_load(const cardan_model* m, const char* forms, code_kind kind, code* c, cardan_report* report)
{
    cardan_generate_options options = cardan_generate_options_default();
    cardan_generated*       g       = NULL;
    const double            begin   = seconds();
    options.forms                   = forms;
    options.name                    = "g";
    options.batch                   = kind.batch;
    options.sparse                  = kind.sparse;
    *c                              = (code){.file = -1};
    cardan_status status            = cardan_generated_create(m, &options, &g, report);
    c->trace                        = seconds() - begin;
    if (status == CARDAN_OK) {
        for (int i = 0; i < cardan_generated_routine_count(g) && i < CODE_ROUTINES; ++i) {
            const cardan_routine_cost count = cardan_generated_routine_at(g, i);
            c->tally[i]                     = count.count;
            c->operations[i]                = count.total;
        }
        status = compile(g, c, report);
    }
    cardan_generated_destroy(g);
    return status;
}

void code_close(code* c)
{
    if (!c->handle) return;
    dlclose(c->handle);
    close(c->file);
    c->handle = NULL;
}

void* code_function(const code* c, const char* name) { return c->handle ? dlsym(c->handle, name) : NULL; }
