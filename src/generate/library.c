// SPDX-License-Identifier: BSD-3-Clause
// Generated code at run time: key, cache, compile, load, check.
#include "core/clock.h"
#include "core/file.h"
#include "dynamics/data.h"
#include "generate/build.h"

#include <cardan/derivatives.h>
#include <cardan/generate.h>
#include <cardan/io.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDITION = 4 };  // of what is generated for runs: another number, other keys
// Compilers take so long for an operation and to begin [s]; measured with gcc 12 and clang 14, the slower one.
static const double per_operation = 1.5e-4, at_least = 0.1;

struct cardan_library {
    const cardan_model* model;
    void*               handle;
    cd_rate_function    rate;
    cd_rate_slopes      slopes;
    bool                with_slopes;
    char                compiler[CD_COMPILER_PATH];
};

// Model, version, compiler, flags, machine.
static bool make_key(const cardan_model* model, bool slopes, const cd_compiler* c, char key[65])
{
    cd_text text  = {0};
    char*   saved = cardan_save_text(model->description);
    if (!saved) return false;
    cd_build_key(&text, c, EDITION);
    cd_text_format(&text, "tree %d slopes %d\n%s", (int)model->policy, slopes, saved);
    free(saved);
    const bool good = !text.failed;
    if (good) cd_sha256(text.data, text.length, key);
    cd_text_free(&text);
    return good;
}

// Its functions, and whether it gives what its vectors say.
static cardan_status accept(void* user, void* handle, cardan_report* report)
{
    cardan_library* l = user;
    int (*selftest)(void);
    if (!cd_build_function(handle, "generated_rate", &l->rate, sizeof l->rate) || !cd_build_function(handle, "generated_selftest", &selftest, sizeof selftest))
        return cardan_fail(report, CARDAN_UNSUPPORTED, cardan_nowhere(), "generated code is not what was written");
    if (l->with_slopes && !cd_build_function(handle, "generated_rate_derivatives", &l->slopes, sizeof l->slopes))
        return cardan_fail(report, CARDAN_UNSUPPORTED, cardan_nowhere(), "generated code is not what was written");
    if (selftest() == 0) return CARDAN_OK;
    return cardan_fail(report, CARDAN_UNSUPPORTED, cardan_nowhere(), "generated code of '%s' misses its test vectors", l->model->view.name);
}

static cardan_status make(cd_build* b, const cardan_library* l, double most, cardan_library_facts* facts, cardan_report* report)
{
    cardan_generate_options wish  = cardan_generate_options_default();
    cardan_generated*       g     = NULL;
    const double            begin = cd_clock_wall();
    wish.forms                    = l->with_slopes ? "rate,rate_d" : "rate";
    wish.name                     = "generated";
    cardan_status status          = cardan_generate(l->model, &wish, &g, report);
    facts->trace                  = cd_clock_wall() - begin;
    if (status == CARDAN_OK) {
        facts->operations   = cardan_generated_count(g, 0).total;
        facts->slopes       = l->with_slopes ? cardan_generated_count(g, 1).total : 0;
        facts->predicted    = at_least + per_operation * (double)(facts->operations + facts->slopes);
        b->ntext            = 2;
        b->name             = (const char* const[]){"generated.c", "generated.h"};
        b->text             = (const char* const[]){cardan_generated_text(g, 0), cardan_generated_text(g, 1)};
        b->about.trace      = facts->trace;
        b->about.operations = facts->operations;
        status              = facts->predicted > most ? CARDAN_STOPPED : cd_build_make(b, report);
        facts->compile      = b->about.compile;
    }
    cardan_generated_destroy(g);
    return status;
}

// A library of the cache that is there, whole, and gives what its vectors say.
static bool take_cached(cd_build* b, cardan_library_facts* facts)
{
    const cd_found found = cd_build_find(b);
    facts->damaged       = found == CD_DAMAGED;
    if (found != CD_SOUND) return false;
    facts->cached     = true;
    facts->trace      = b->about.trace;
    facts->compile    = b->about.compile;
    facts->operations = b->about.operations;
    return true;
}

cardan_status cardan_library_open(const cardan_model* model, bool slopes, double most, cardan_library** library, cardan_library_facts* facts, cardan_report* report)
{
    char        folder[CD_CACHE_PATH], key[65], path[CD_CACHE_PATH + 80];
    cd_compiler c;
    *library          = NULL;
    *facts            = (cardan_library_facts){.compiler = ""};
    cardan_library* l = cd_allocate(1, sizeof *l);
    if (!l) return CARDAN_NO_MEMORY;
    l->model        = model;
    l->with_slopes  = slopes && cardan_model_look(model).nconstraint == 0;
    const bool some = cd_compiler_find(&c);
    memcpy(l->compiler, c.path, sizeof c.path);
    cd_build      b      = {.compiler = &c, .cache = cd_cache_folder(folder) ? folder : NULL, .path = path, .user = l, .accept = accept};
    cardan_status status = CARDAN_OK;
    bool          done   = false;
    if (!some)
        status = cardan_fail(report, CARDAN_UNSUPPORTED, cardan_nowhere(),
                             "there is no C compiler: neither is CC set to one, nor are cc, gcc or clang found on PATH");
    if (status == CARDAN_OK && !make_key(model, l->with_slopes, &c, key)) status = CARDAN_NO_MEMORY;
    if (status == CARDAN_OK && b.cache) {
        snprintf(path, sizeof path, "%s/%s.so", folder, key);
        done = take_cached(&b, facts);
        if (facts->damaged) cardan_note(report, cardan_nowhere(), "generated code in the cache was damaged: %s is made anew", path);
    }
    if (status == CARDAN_OK && !done) status = most > 0 ? make(&b, l, most, facts, report) : CARDAN_STOPPED;
    l->handle = b.handle;
    if (status != CARDAN_OK) return cardan_library_close(l), status;
    facts->compiler = l->compiler;
    *library        = l;
    return CARDAN_OK;
}

void cardan_library_close(cardan_library* l)
{
    if (l) cd_build_close(l->handle);
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

// Derivatives by the data and by the library: (nv + nstate) rows, (2 nv + nstate) columns in blocks of both.
static cardan_status measure_slopes(const cardan_library* l, cardan_data* d, double t, cardan_library_gain* gain, cardan_report* report)
{
    enum { ROUNDS = 6 };
    const size_t        n = (size_t)d->m->nv, ns = (size_t)d->m->nstate, nn = n * n, all = (n + ns) * (2 * n + ns);
    double *            x = cd_allocate(2 * all + 1, sizeof *x), *y = x ? x + all : NULL, off = 0, largest = 0;
    cardan_derivatives* w = NULL;
    cardan_status       status = x ? cardan_derivatives_create(d, &w, report) : CARDAN_NO_MEMORY;
    gain->slopes_runtime = gain->slopes_generated = INFINITY;
    double *const s = x + 2 * nn, *const g = s + n * ns;
    const cardan_forward_slopes slopes = {.a_q = x, .a_v = x + nn, .a_state = ns ? s : NULL, .rate_q = ns ? g : NULL, .rate_v = ns ? g + n * ns : NULL, .rate_state = ns ? g + 2 * n * ns : NULL};
    for (int round = 0; status == CARDAN_OK && round < ROUNDS; ++round) {
        const double begin  = cd_clock_wall();
        status              = cardan_forward_derivatives(w, NULL, &slopes, report);
        const double middle = cd_clock_wall();
        l->slopes(d->q, d->v, d->rest, d->state, t, y, y + nn, y + 2 * nn, y + 2 * nn + n * ns, y + 2 * nn + 2 * n * ns, y + 2 * nn + 3 * n * ns);
        gain->slopes_runtime   = fmin(gain->slopes_runtime, middle - begin);
        gain->slopes_generated = fmin(gain->slopes_generated, cd_clock_wall() - middle);
    }
    for (size_t i = 0; status == CARDAN_OK && i < all; ++i) {
        off     = isfinite(y[i]) ? fmax(off, fabs(x[i] - y[i])) : INFINITY;
        largest = fmax(largest, fabs(x[i]));
    }
    gain->slopes_off = off / (largest > 0 ? largest : 1);
    cardan_derivatives_destroy(w);
    free(x);
    return status;
}

// The fastest of some rounds counts: others were disturbed.
cardan_status cardan_library_measure(const cardan_library* l, cardan_data* d, double t, const double* q, const double* v, const double* state,
                                     cardan_library_gain* gain, cardan_report* report)
{
    enum { ROUNDS = 12, TIMES = 4 };
    const int     nv  = d->m->nv;
    double*       a   = cd_allocate(2 * (size_t)nv + 1, sizeof *a);
    double        power;
    cardan_status status = a ? CARDAN_OK : CARDAN_NO_MEMORY;
    *gain                = (cardan_library_gain){.runtime = INFINITY, .generated = INFINITY, .off = INFINITY};
    for (int round = 0; status == CARDAN_OK && round < ROUNDS; ++round) {
        const double begin = cd_clock_wall();
        for (int i = 0; status == CARDAN_OK && i < TIMES; ++i) status = evaluate(d, t, q, v, state, a, report);
        const double middle = cd_clock_wall();
        for (int i = 0; i < TIMES; ++i) l->rate(d->q, d->v, d->rest, d->state, t, a + nv, d->state_rate, &power);
        gain->runtime   = fmin(gain->runtime, (middle - begin) / TIMES);
        gain->generated = fmin(gain->generated, (cd_clock_wall() - middle) / TIMES);
    }
    if (status == CARDAN_OK) gain->off = cd_generated_beside(d, a, a + nv);
    free(a);
    return status == CARDAN_OK && l->slopes ? measure_slopes(l, d, t, gain, report) : status;
}

cardan_status cardan_data_use_generated(cardan_data* d, const cardan_library* l)
{
    if (l && l->model != d->m) return CARDAN_BAD_USAGE;
    d->generated        = l ? l->rate : NULL;
    d->generated_slopes = l ? l->slopes : NULL;
    return CARDAN_OK;
}
