// SPDX-License-Identifier: BSD-3-Clause
// Generated code at run time: key, cache, compilation, loading, check.
#include "core/clock.h"
#include "core/check_arguments.h"
#include "core/file.h"
#include "generate/compiled/compiled_code.h"
#include "io/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_EDITION = 5 }; // version of the code generated for runs; part of the key
// [s] compile time per operation and per call; measured with gcc 12 and clang 14, the slower one.
static const double compile_time_per_operation = 1.5e-4, compile_time_base = 0.1;

// Forms generated for each kind.
static const char* const forms[] = {"rate", "rate,rate_d", "equations,equations_d"};

// Key: digest of version, compiler, flags, processor, and the canonical text of the model.
static cardan_status make_key(const cardan_model* model, cardan_compiled_code_kind kind, const cd_c_compiler* c,
                              char key[65], cardan_report* report)
{
    cd_text             text   = {0};
    char*               saved  = NULL;
    const cardan_status status = cd_save_canonical_text(model->description, &saved, report);
    if (status != CARDAN_OK) return status;
    cd_build_append_key(&text, c, CODE_EDITION);
    cd_text_format(&text, "tree %d %s\n%s", (int)model->policy, forms[kind], saved);
    free(saved);
    const bool complete = !text.failed;
    if (complete) cd_sha256(text.data, text.length, key);
    cd_text_free(&text);
    return complete ? CARDAN_OK : CARDAN_NO_MEMORY;
}

// Find the functions of the library and run its self-test.
static cardan_status check_library(void* user, void* handle, cardan_report* report)
{
    cardan_compiled_code* l = user;
    int (*selftest)(void);
    bool has_symbols = cd_build_symbol(handle, "generated_selftest", &selftest, sizeof selftest);
    if (l->kind == CARDAN_COMPILED_RESIDUAL)
        has_symbols = has_symbols && cd_build_symbol(handle, "generated_equations", &l->residual, sizeof l->residual) &&
                      cd_build_symbol(handle, "generated_equations_derivatives", &l->residual_jacobian,
                                      sizeof l->residual_jacobian);
    else
        has_symbols = has_symbols && cd_build_symbol(handle, "generated_rate", &l->rhs, sizeof l->rhs);
    if (l->kind == CARDAN_COMPILED_RHS_JACOBIAN)
        has_symbols = has_symbols &&
                      cd_build_symbol(handle, "generated_rate_derivatives", &l->rhs_jacobian, sizeof l->rhs_jacobian);
    if (!has_symbols)
        return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_GENERATED_CODE_FAILED, cardan_location_none(),
                           "the compiled library lacks a generated routine");
    if (selftest() == 0) return CARDAN_OK;
    return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_GENERATED_CODE_MISMATCH, cardan_location_none(),
                       "generated code of '%s' fails its self-test", l->model->view.name);
}

static cardan_status generate_and_compile(cd_build* b, const cardan_compiled_code* l, double max_seconds,
                                          cardan_compiled_code_info* info, cardan_report* report)
{
    cardan_generate_options options = cardan_generate_options_default();
    cardan_generated*       g       = NULL;
    const double            begin   = cd_clock_wall();
    options.forms                   = forms[l->kind];
    options.name                    = "generated";
    cardan_status status            = cardan_generated_create(l->model, &options, &g, report);
    info->trace_time                = cd_clock_wall() - begin;
    if (status == CARDAN_OK) {
        info->operations          = cardan_generated_routine_at(g, 0).total;
        info->jacobian_operations = l->kind != CARDAN_COMPILED_RHS ? cardan_generated_routine_at(g, 1).total : 0;
        info->predicted_compile_time =
            compile_time_base + compile_time_per_operation * (double)(info->operations + info->jacobian_operations);
        b->nfile           = 2;
        b->file_name       = (const char* const[]){"generated.c", "generated.h"};
        b->file_text       = (const char* const[]){cardan_generated_file_text(g, 0), cardan_generated_file_text(g, 1)};
        b->info.trace_time = info->trace_time;
        b->info.operations = info->operations;
        status             = info->predicted_compile_time > max_seconds ? CARDAN_STOPPED : cd_build_compile(b, report);
        info->compile_time = b->info.compile_time;
    }
    cardan_generated_destroy(g);
    return status;
}

// Load the library from the cache if it is valid and passes its self-test: info->was_cached. Returns CARDAN_UNSUPPORTED
// if the file is not trusted.
static cardan_status load_from_cache(cd_build* b, cardan_compiled_code_info* info, cardan_report* report)
{
    const cd_cache_result found = cd_build_find(b, report);
    info->was_damaged           = found == CD_CACHE_DAMAGED;
    info->was_cached            = found == CD_CACHE_VALID;
    if (found == CD_CACHE_REFUSED) {
        info->cache_is_refused = true;
        return CARDAN_UNSUPPORTED;
    }
    if (info->was_damaged)
        cardan_note(report, CARDAN_CODE_CACHE_DAMAGED, cardan_location_none(),
                    "compiled code in the cache is damaged and %s: %.240s/%s",
                    b->cache->is_writable ? "was removed" : "is not used", b->cache->path, b->library_name);
    if (!info->was_cached) return CARDAN_OK;
    info->trace_time   = b->info.trace_time;
    info->compile_time = b->info.compile_time;
    info->operations   = b->info.operations;
    return CARDAN_OK;
}

cardan_status cardan_compiled_code_open(const cardan_model* model, cardan_compiled_code_kind kind, double max_seconds,
                                        cardan_compiled_code** code, cardan_compiled_code_info* info,
                                        cardan_report* report)
{
    char                      key[65], file[80];
    cd_c_compiler             c;
    cd_code_cache             cache = {.folder = -1};
    cardan_compiled_code_info unused;
    CD_REQUIRE_POINTER(code, "code", report);
    *code = NULL;
    if (!info) info = &unused;
    *info = (cardan_compiled_code_info){.compiler = ""};
    CD_REQUIRE_POINTER(model, "model", report);
    CD_REQUIRE_INDEX((int)kind, CARDAN_COMPILED_RESIDUAL + 1, "kind", report);
    if (isnan(max_seconds)) return cd_fail_not_finite(report, __func__, "most");
    cardan_compiled_code* l = cd_allocate(1, sizeof *l);
    if (!l) return CARDAN_NO_MEMORY;
    l->model = model;
    l->kind = kind == CARDAN_COMPILED_RHS_JACOBIAN && cardan_model_get_view(model).nconstraint > 0 ? CARDAN_COMPILED_RHS
                                                                                                   : kind;
    cardan_status status      = cd_c_compiler_find(&c, report);
    info->compiler_is_missing = status != CARDAN_OK;
    memcpy(l->compiler, c.path, sizeof c.path);
    cd_build b = {.compiler = &c, .cache = &cache, .library_name = file, .user = l, .check = check_library};
    if (status == CARDAN_OK) status = make_key(model, l->kind, &c, key, report);
    if (status == CARDAN_OK) {
        snprintf(file, sizeof file, "%s.so", key);
        status                 = cd_code_cache_open(&cache, report);
        info->cache_is_refused = status != CARDAN_OK;
    }
    if (status == CARDAN_OK) status = load_from_cache(&b, info, report);
    if (status == CARDAN_OK && !info->was_cached)
        status = max_seconds > 0 ? generate_and_compile(&b, l, max_seconds, info, report) : CARDAN_STOPPED;
    l->loaded = b.loaded;
    cd_code_cache_close(&cache);
    if (status != CARDAN_OK) return cardan_compiled_code_close(l), status;
    info->compiler = l->compiler;
    *code          = l;
    return CARDAN_OK;
}

void cardan_compiled_code_close(cardan_compiled_code* l)
{
    if (l) cd_loaded_library_close(&l->loaded);
    free(l);
}

cardan_status cardan_data_set_compiled_code(cardan_data* d, const cardan_compiled_code* l)
{
    CD_REQUIRE_POINTER(d, "data", NULL);
    if (l && l->model != d->m) return CARDAN_BAD_USAGE;
    d->compiled.rhs               = l ? l->rhs : NULL;
    d->compiled.rhs_jacobian      = l ? l->rhs_jacobian : NULL;
    d->compiled.residual          = l ? l->residual : NULL;
    d->compiled.residual_jacobian = l ? l->residual_jacobian : NULL;
    return CARDAN_OK;
}
