// SPDX-License-Identifier: BSD-3-Clause
// Generated code: printed into a folder of its own, compiled, loaded, and the folder removed.
#include "code.h"

#include "core/file.h"
#include "generate/compiler.h"

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

static cardan_status compile(const cardan_generated* g, code* c, cardan_report* report)
{
    char                     folder[] = "/tmp/cardan-bench-XXXXXX", path[4][64];
    static const char* const name[4]  = {"g.c", "g.h", "g.so", "log"};
    cd_compiler              compiler;
    cardan_status            status = cd_compiler_find(&compiler, report);
    if (status != CARDAN_OK) return status;
    if (!mkdtemp(folder))
        return cardan_fail(report, CARDAN_UNSUPPORTED, cardan_nowhere(), "no folder for generated code can be made");
    for (int i = 0; i < 4; ++i) snprintf(path[i], sizeof path[i], "%s/%s", folder, name[i]);
    for (int i = 0; i < 2 && status == CARDAN_OK; ++i)
        status = cd_file_write(path[i], cardan_generated_text(g, i), strlen(cardan_generated_text(g, i)), true, report);
    compiler.flags     = code_flags();
    const double begin = seconds();
    if (status == CARDAN_OK) status = cd_compiler_run(&compiler, path[0], path[2], path[3], report);
    c->compile = seconds() - begin;
    if (status == CARDAN_OK) c->handle = dlopen(path[2], RTLD_NOW | RTLD_LOCAL);
    for (int i = 0; i < 4; ++i) unlink(path[i]);
    rmdir(folder);
    if (status == CARDAN_OK && !c->handle)
        status = cardan_fail(report, CARDAN_UNSUPPORTED, cardan_nowhere(), "generated code cannot be loaded");
    return status;
}

cardan_status code_load(const cardan_model* m, const char* forms, code_kind kind, code* c, cardan_report* report)
{
    cardan_generate_options wish  = cardan_generate_options_default();
    cardan_generated*       g     = NULL;
    const double            begin = seconds();
    wish.forms                    = forms;
    wish.name                     = "g";
    wish.batch                    = kind.batch;
    wish.sparse                   = kind.sparse;
    *c                            = (code){0};
    cardan_status status          = cardan_generate(m, &wish, &g, report);
    c->trace                      = seconds() - begin;
    if (status == CARDAN_OK) {
        for (int i = 0; i < cardan_generated_routines(g) && i < CODE_ROUTINES; ++i) {
            const cardan_routine_count count = cardan_generated_count(g, i);
            c->tally[i]                      = count.tally;
            c->operations[i]                 = count.total;
        }
        status = compile(g, c, report);
    }
    cardan_generated_destroy(g);
    return status;
}

void code_close(code* c)
{
    if (c->handle) dlclose(c->handle);
    c->handle = NULL;
}

void* code_function(const code* c, const char* name) { return c->handle ? dlsym(c->handle, name) : NULL; }
