// SPDX-License-Identifier: BSD-3-Clause
// Generated code at run time: key, cache, compile, load, check.
#include "core/file.h"
#include "core/text.h"
#include "dynamics/data.h"
#include "generate/cache.h"
#include "generate/compiler.h"

#include <cardan/generate.h>
#include <cardan/io.h>
#include <cardan/version.h>

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { EDITION = 1 };  // of what is generated for runs: another number, other keys
static const long long cache_most = 256LL << 20;
// Compilers take so long for an operation and to begin [s]; measured with gcc 12 and clang 14, the slower one.
static const double per_operation = 1.5e-4, at_least = 0.1;

struct cardan_library {
    const cardan_model* model;
    void*               handle;
    cd_rate_function    rate;
    char                compiler[CD_COMPILER_PATH];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

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

// Model, version, compiler, flags, machine.
static bool make_key(const cardan_model* model, const cd_compiler* c, char key[65])
{
    cd_text text  = {0};
    char*   saved = cardan_save_text(model->description);
    if (!saved) return false;
    cd_text_format(&text, "Cardan %s %d\ntree %d\n%s %s\n%s\n%s\n", CARDAN_VERSION, EDITION, (int)model->policy, c->path, c->words, c->stamp, c->flags);
    add_machine(&text);
    cd_text_add(&text, saved);
    free(saved);
    const bool good = !text.failed;
    if (good) cd_sha256(text.data, text.length, key);
    cd_text_free(&text);
    return good;
}

// A function from an address: C does not convert one into the other.
static bool find(void* handle, const char* name, void* function, size_t size)
{
    void* address = dlsym(handle, name);
    memcpy(function, &address, size);
    return address != NULL;
}

static cardan_status load(const char* path, cardan_library* l, cardan_report* report)
{
    int (*selftest)(void);
    l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!l->handle) return cardan_fail(report, CARDAN_UNSUPPORTED, cardan_nowhere(), "generated code cannot be loaded: %s", dlerror());
    if (!find(l->handle, "generated_rate", &l->rate, sizeof l->rate) || !find(l->handle, "generated_selftest", &selftest, sizeof selftest))
        return cardan_fail(report, CARDAN_UNSUPPORTED, cardan_nowhere(), "generated code at %s is not what was written", path);
    if (selftest() == 0) return CARDAN_OK;
    return cardan_fail(report, CARDAN_UNSUPPORTED, cardan_nowhere(), "generated code of '%s' misses its test vectors", l->model->view.name);
}

// ---- making it

typedef struct making {
    char           folder[CD_CACHE_PATH], source[CD_CACHE_PATH + 32], header[CD_CACHE_PATH + 32], library[CD_CACHE_PATH + 32], log[CD_CACHE_PATH + 32];
    const char*    cache;  // folder, or NULL
    char           path[CD_CACHE_PATH + 80];
    cardan_library_facts* facts;
    double         most;
} making;

static cardan_status write_source(making* k, const cardan_generated* g, cardan_report* report)
{
    snprintf(k->source, sizeof k->source, "%s/generated.c", k->folder);
    snprintf(k->header, sizeof k->header, "%s/generated.h", k->folder);
    snprintf(k->library, sizeof k->library, "%s/generated.so", k->folder);
    snprintf(k->log, sizeof k->log, "%s/log", k->folder);
    for (int i = 0; i < 2; ++i) {
        const char*         text   = cardan_generated_text(g, i);
        const cardan_status status = cd_file_write(i ? k->header : k->source, text, strlen(text), true, report);
        if (status != CARDAN_OK) return CARDAN_UNSUPPORTED;
    }
    return CARDAN_OK;
}

static cardan_status compile(making* k, const cd_compiler* c, const cardan_generated* g, cardan_library* l, cardan_report* report)
{
    if (!cd_work_folder(k->cache, k->folder))
        return cardan_fail(report, CARDAN_UNSUPPORTED, cardan_nowhere(), "there is no folder to compile generated code in: %s", k->folder);
    const double  begin  = now();
    cardan_status status = write_source(k, g, report);
    if (status == CARDAN_OK) status = cd_compiler_run(c, k->source, k->library, k->log, report);
    k->facts->compile = now() - begin;
    if (status == CARDAN_OK) status = load(k->library, l, report);
    const cd_cached about = {k->facts->trace, k->facts->compile, k->facts->operations};
    if (status == CARDAN_OK && k->cache && cd_cache_seal(k->library, &about) && cd_cache_keep(k->library, k->path)) cd_cache_bound(k->cache, cache_most);
    cd_work_remove(k->folder, 4, (const char* const[]){k->source, k->header, k->library, k->log});
    return status;
}

static cardan_status make(making* k, const cd_compiler* c, cardan_library* l, cardan_report* report)
{
    cardan_generate_options wish  = cardan_generate_options_default();
    cardan_generated*       g     = NULL;
    const double            begin = now();
    wish.forms                    = "rate";
    wish.name                     = "generated";
    cardan_status status          = cardan_generate(l->model, &wish, &g, report);
    k->facts->trace               = now() - begin;
    if (status == CARDAN_OK) {
        k->facts->operations = cardan_generated_count(g, 0).total;
        k->facts->predicted  = at_least + per_operation * (double)k->facts->operations;
        status               = k->facts->predicted > k->most ? CARDAN_STOPPED : compile(k, c, g, l, report);
    }
    cardan_generated_destroy(g);
    return status;
}

// A library of the cache that is there, whole, and gives what its vectors say.
static bool take_cached(making* k, cardan_library* l)
{
    cd_cached      about;
    const cd_found found = cd_cache_look(k->path, &about);
    k->facts->damaged    = found == CD_DAMAGED;
    if (found != CD_SOUND) return false;
    if (load(k->path, l, NULL) != CARDAN_OK) {
        if (l->handle) dlclose(l->handle);
        l->handle         = NULL;
        k->facts->damaged = true;
        return unlink(k->path), false;
    }
    k->facts->cached     = true;
    k->facts->trace      = about.trace;
    k->facts->compile    = about.compile;
    k->facts->operations = about.operations;
    return true;
}

cardan_status cardan_library_open(const cardan_model* model, double most, cardan_library** library, cardan_library_facts* facts, cardan_report* report)
{
    char        folder[CD_CACHE_PATH], key[65];
    cd_compiler c;
    *library          = NULL;
    *facts            = (cardan_library_facts){.compiler = ""};
    cardan_library* l = cd_allocate(1, sizeof *l);
    if (!l) return CARDAN_NO_MEMORY;
    l->model        = model;
    const bool some = cd_compiler_find(&c);
    memcpy(l->compiler, c.path, sizeof c.path);
    making        k      = {.facts = facts, .most = most, .cache = cd_cache_folder(folder) ? folder : NULL};
    cardan_status status = CARDAN_OK;
    bool          done   = false;
    if (!some)
        status = cardan_fail(report, CARDAN_UNSUPPORTED, cardan_nowhere(),
                             "there is no C compiler: neither is CC set to one, nor are cc, gcc or clang found on PATH");
    if (status == CARDAN_OK && !make_key(model, &c, key)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK && k.cache) {
        snprintf(k.path, sizeof k.path, "%s/%s.so", folder, key);
        done = take_cached(&k, l);
        if (facts->damaged) cardan_note(report, cardan_nowhere(), "generated code in the cache was damaged: %s is made anew", k.path);
    }
    if (status == CARDAN_OK && !done) status = most > 0 ? make(&k, &c, l, report) : CARDAN_STOPPED;
    if (status != CARDAN_OK) return cardan_library_close(l), status;
    facts->compiler = l->compiler;
    *library        = l;
    return CARDAN_OK;
}

void cardan_library_close(cardan_library* l)
{
    if (l && l->handle) dlclose(l->handle);
    free(l);
}

// ---- using it

// One evaluation by the data, as a run asks for it.
static cardan_status evaluate(cardan_data* d, double t, const double* q, const double* v, const double* state, double* a, cardan_report* report)
{
    cardan_status status = cardan_data_set(d, t, q, v, state);
    if (status == CARDAN_OK) status = cardan_accelerate(d, a, d->state_rate, report);
    if (status == CARDAN_OK) d->state_rate[d->m->nstate] = cd_power(d);
    return status;
}

// The fastest of some rounds counts: others were disturbed.
cardan_status cardan_library_measure(const cardan_library* l, cardan_data* d, double t, const double* q, const double* v, const double* state,
                                     cardan_library_gain* gain, cardan_report* report)
{
    enum { ROUNDS = 12, TIMES = 4 };
    const int     nv  = d->m->nv;
    double*       a   = cd_allocate(2 * (size_t)nv + 1, sizeof *a);
    double        off = 0, largest = 0, power;
    cardan_status status = a ? CARDAN_OK : CARDAN_NO_MEMORY;
    *gain                = (cardan_library_gain){INFINITY, INFINITY, INFINITY};
    for (int round = 0; status == CARDAN_OK && round < ROUNDS; ++round) {
        const double begin = now();
        for (int i = 0; status == CARDAN_OK && i < TIMES; ++i) status = evaluate(d, t, q, v, state, a, report);
        const double middle = now();
        for (int i = 0; i < TIMES; ++i) l->rate(d->q, d->v, d->rest, d->state, t, a + nv, d->state_rate, &power);
        gain->runtime   = fmin(gain->runtime, (middle - begin) / TIMES);
        gain->generated = fmin(gain->generated, (now() - middle) / TIMES);
    }
    for (int i = 0; status == CARDAN_OK && i < nv; ++i) {
        off     = isfinite(a[nv + i]) ? fmax(off, fabs(a[i] - a[nv + i])) : INFINITY;
        largest = fmax(largest, fabs(a[i]));
    }
    gain->off = off / (largest > 0 ? largest : 1);
    free(a);
    return status;
}

cardan_status cardan_data_use_generated(cardan_data* d, const cardan_library* l)
{
    if (l && l->model != d->m) return CARDAN_BAD_USAGE;
    d->generated = l ? l->rate : NULL;
    return CARDAN_OK;
}
