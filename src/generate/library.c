// SPDX-License-Identifier: BSD-3-Clause
// Generated code at run time: key, cache, compile, load, check.
#include "core/clock.h"
#include "core/arguments.h"
#include "core/file.h"
#include "generate/library.h"
#include "io/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDITION = 5 }; // of what is generated for runs: another number, other keys
// Compilers take so long for an operation and to begin [s]; measured with gcc 12 and clang 14, the slower one.
static const double per_operation = 1.5e-4, at_least = 0.1;

// What is generated, by kind.
static const char* const forms[] = {"rate", "rate,rate_d", "equations,equations_d"};

// Model, version, compiler, flags, machine.
static cardan_status make_key(const cardan_model* model, cardan_library_kind kind, const cd_compiler* c, char key[65],
                              cardan_report* report)
{
    cd_text             text   = {0};
    char*               saved  = NULL;
    const cardan_status status = cd_save_identity(model->description, &saved, report);
    if (status != CARDAN_OK) return status;
    cd_build_key(&text, c, EDITION);
    cd_text_format(&text, "tree %d %s\n%s", (int)model->policy, forms[kind], saved);
    free(saved);
    const bool good = !text.failed;
    if (good) cd_sha256(text.data, text.length, key);
    cd_text_free(&text);
    return good ? CARDAN_OK : CARDAN_NO_MEMORY;
}

// Its functions, and whether it gives what its vectors say.
static cardan_status accept(void* user, void* handle, cardan_report* report)
{
    cardan_library* l = user;
    int (*selftest)(void);
    bool there = cd_build_function(handle, "generated_selftest", &selftest, sizeof selftest);
    if (l->kind == CARDAN_LIBRARY_EQUATIONS)
        there = there && cd_build_function(handle, "generated_equations", &l->equations, sizeof l->equations) &&
                cd_build_function(handle, "generated_equations_derivatives", &l->equation_slopes,
                                  sizeof l->equation_slopes);
    else
        there = there && cd_build_function(handle, "generated_rate", &l->rate, sizeof l->rate);
    if (l->kind == CARDAN_LIBRARY_SLOPES)
        there = there && cd_build_function(handle, "generated_rate_derivatives", &l->slopes, sizeof l->slopes);
    if (!there)
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_GENERATED_CODE_FAILED, cardan_nowhere(),
                           "generated code is not what was written");
    if (selftest() == 0) return CARDAN_OK;
    return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_GENERATED_CODE_MISMATCH, cardan_nowhere(),
                       "generated code of '%s' misses its test vectors", l->model->view.name);
}

static cardan_status make(cd_build* b, const cardan_library* l, double most, cardan_library_facts* facts,
                          cardan_report* report)
{
    cardan_generate_options wish  = cardan_generate_options_default();
    cardan_generated*       g     = NULL;
    const double            begin = cd_clock_wall();
    wish.forms                    = forms[l->kind];
    wish.name                     = "generated";
    cardan_status status          = cardan_generate(l->model, &wish, &g, report);
    facts->trace                  = cd_clock_wall() - begin;
    if (status == CARDAN_OK) {
        facts->operations   = cardan_generated_count(g, 0).total;
        facts->slopes       = l->kind != CARDAN_LIBRARY_RATES ? cardan_generated_count(g, 1).total : 0;
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

// A library of the cache that is there, whole, and gives what its vectors say: facts->cached. CARDAN_UNSUPPORTED where
// the one that is there cannot be trusted.
static cardan_status take_cached(cd_build* b, cardan_library_facts* facts, cardan_report* report)
{
    const cd_found found = cd_build_find(b, report);
    facts->damaged       = found == CD_DAMAGED;
    facts->cached        = found == CD_SOUND;
    if (found == CD_REFUSED) {
        facts->cache_is_refused = true;
        return CARDAN_UNSUPPORTED;
    }
    if (facts->damaged)
        cardan_note(report, CARDAN_CODE_CACHE_DAMAGED, cardan_nowhere(),
                    "generated code in the cache was damaged, and is %s: %.240s/%s",
                    b->cache->grows ? "removed" : "not used", b->cache->path, b->file);
    if (!facts->cached) return CARDAN_OK;
    facts->trace      = b->about.trace;
    facts->compile    = b->about.compile;
    facts->operations = b->about.operations;
    return CARDAN_OK;
}

cardan_status cardan_library_open(const cardan_model* model, cardan_library_kind kind, double most,
                                  cardan_library** library, cardan_library_facts* facts, cardan_report* report)
{
    char                 key[65], file[80];
    cd_compiler          c;
    cd_cache             cache = {.folder = -1};
    cardan_library_facts unused;
    CD_REFUSE_NULL(library, "library", report);
    *library = NULL;
    if (!facts) facts = &unused;
    *facts = (cardan_library_facts){.compiler = ""};
    CD_REFUSE_NULL(model, "model", report);
    CD_REFUSE_INDEX((int)kind, CARDAN_LIBRARY_EQUATIONS + 1, "kind", report);
    if (isnan(most)) return cd_fail_not_finite(report, __func__, "most");
    cardan_library* l = cd_allocate(1, sizeof *l);
    if (!l) return CARDAN_NO_MEMORY;
    l->model = model;
    l->kind  = kind == CARDAN_LIBRARY_SLOPES && cardan_model_look(model).nconstraint > 0 ? CARDAN_LIBRARY_RATES : kind;
    cardan_status status       = cd_compiler_find(&c, report);
    facts->compiler_is_missing = status != CARDAN_OK;
    memcpy(l->compiler, c.path, sizeof c.path);
    cd_build b = {.compiler = &c, .cache = &cache, .file = file, .user = l, .accept = accept};
    if (status == CARDAN_OK) status = make_key(model, l->kind, &c, key, report);
    if (status == CARDAN_OK) {
        snprintf(file, sizeof file, "%s.so", key);
        status                  = cd_cache_open(&cache, report);
        facts->cache_is_refused = status != CARDAN_OK;
    }
    if (status == CARDAN_OK) status = take_cached(&b, facts, report);
    if (status == CARDAN_OK && !facts->cached) status = most > 0 ? make(&b, l, most, facts, report) : CARDAN_STOPPED;
    l->loaded = b.loaded;
    cd_cache_close(&cache);
    if (status != CARDAN_OK) return cardan_library_close(l), status;
    facts->compiler = l->compiler;
    *library        = l;
    return CARDAN_OK;
}

void cardan_library_close(cardan_library* l)
{
    if (l) cd_unload(&l->loaded);
    free(l);
}

cardan_status cardan_data_use_generated(cardan_data* d, const cardan_library* l)
{
    CD_REFUSE_NULL(d, "data", NULL);
    if (l && l->model != d->m) return CARDAN_BAD_USAGE;
    d->generated                 = l ? l->rate : NULL;
    d->generated_slopes          = l ? l->slopes : NULL;
    d->generated_equations       = l ? l->equations : NULL;
    d->generated_equation_slopes = l ? l->equation_slopes : NULL;
    return CARDAN_OK;
}
