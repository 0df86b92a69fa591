// SPDX-License-Identifier: BSD-3-Clause
// Functions as batch routines (print_batch.c) with one array of inputs and one of outputs. The key of the cache is the
// source text itself.
#include "generate/compiled/compiled_functions.h"

#include "core/file.h"
#include "core/memory.h"
#include "generate/compiled/build.h"
#include "generate/print/syntax.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS_EDITION = 2, MAX_LINE_OPERATIONS = 8, MAX_PART_LINES = 1500 };

// Less optimization than for the routines of runs: these functions have several times as many operations and are
// compiled once per task.
static const char compile_flags[] =
    "-O1 -std=c11 -march=native -ffp-contract=fast -fno-math-errno -fno-trapping-math -shared -fPIC";

struct cd_compiled_functions {
    int                        count;
    const cd_function_outputs* requested; // valid during cd_compiled_functions_open
    cd_batch_function*         batch;
    cd_loaded_library          loaded;
};

// Code unit without a mechanism.
typedef struct function_printer {
    cd_code_unit unit;
    cd_routine*  routine;
    cd_text      text;
} function_printer;

static void release_printer(function_printer* p)
{
    for (int i = 0; i < p->unit.ntraced; ++i) cd_program_release(&p->unit.program[i]);
    free(p->unit.program);
    free(p->unit.traced);
    free(p->routine);
    cd_text_free(&p->text);
}

static cardan_status print_functions(const cd_graph* graph, int ninput, int block, int n, const cd_function_outputs* f,
                                     function_printer* p)
{
    const cd_input_layout in = {
        .v = ninput, .a = ninput, .effort = ninput, .state = ninput, .time = ninput, .count = ninput};
    p->unit         = (cd_code_unit){.name = "functions", .in = in, .batch = true, .block_size = block};
    p->unit.traced  = cd_allocate((size_t)n + 1, sizeof *p->unit.traced);
    p->unit.program = cd_allocate((size_t)n + 1, sizeof *p->unit.program);
    p->routine      = cd_allocate((size_t)n + 1, sizeof *p->routine);
    if (!p->unit.traced || !p->unit.program || !p->routine) return CARDAN_NO_MEMORY;
    for (int i = 0; i < n; ++i) {
        p->routine[i] =
            (cd_routine){.form = f[i].name, .name = f[i].name, .summary = f[i].name, .arguments = CD_TAKES_Q};
        p->unit.traced[i] =
            (cd_traced_routine){.routine = &p->routine[i],
                                .nresult = 1,
                                .noutput = f[i].count,
                                .result  = {{.name = "result", .description = "", .rows = f[i].count, .columns = 1}}};
        const cardan_status status = cd_program_make(&p->unit.program[i], graph, f[i].count, f[i].node,
                                                     (cd_program_options){.max_line_operations = MAX_LINE_OPERATIONS,
                                                                          .max_part_lines      = MAX_PART_LINES,
                                                                          .output_runs         = true,
                                                                          .precompute_angles   = true});
        if (status != CARDAN_OK) return status;
        ++p->unit.ntraced;
    }
    p->unit.batch_program = p->unit.program;
    cd_text_add(&p->text, "#include <math.h>\n");
    cd_print_c_helpers(&p->text, &p->unit);
    cd_print_batch(&p->text, &p->unit);
    return p->text.failed ? CARDAN_NO_MEMORY : CARDAN_OK;
}

static cardan_status find_functions(void* user, void* handle, cardan_report* report)
{
    cd_compiled_functions* l = user;
    for (int i = 0; i < l->count; ++i) {
        char name[64];
        snprintf(name, sizeof name, "functions_%s_batch", l->requested[i].name);
        if (!cd_build_symbol(handle, name, &l->batch[i], sizeof l->batch[i]))
            return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_GENERATED_CODE_FAILED, cardan_location_none(),
                               "the compiled library lacks a generated routine");
    }
    return CARDAN_OK;
}

static cardan_status key_of(const cd_text* source, const cd_c_compiler* c, char key[65])
{
    cd_text text = {0};
    cd_build_append_key(&text, c, FUNCTIONS_EDITION);
    cd_text_add(&text, source->data);
    const bool complete = !text.failed;
    if (complete) cd_sha256(text.data, text.length, key);
    cd_text_free(&text);
    return complete ? CARDAN_OK : CARDAN_NO_MEMORY;
}

static cardan_status load_or_compile(const function_printer* p, cd_compiled_functions* l,
                                     cd_compiled_functions_info* info, cardan_report* report)
{
    char          key[65], file[80];
    cd_c_compiler c;
    cd_code_cache cache;
    cardan_status status = cd_c_compiler_find(&c, report);
    if (status != CARDAN_OK) return status;
    c.flags = compile_flags;
    status  = key_of(&p->text, &c, key);
    if (status == CARDAN_OK) status = cd_code_cache_open(&cache, report);
    if (status != CARDAN_OK) return status;
    snprintf(file, sizeof file, "%s.so", key);
    const char* const     text  = p->text.data;
    cd_build              b     = {.compiler     = &c,
                                   .cache        = &cache,
                                   .library_name = file,
                                   .nfile        = 1,
                                   .file_name    = (const char* const[]){"functions.c"},
                                   .file_text    = &text,
                                   .user         = l,
                                   .check        = find_functions,
                                   .info         = {.operations = info->operations}};
    const cd_cache_result found = cd_build_find(&b, report);
    info->was_cached            = found == CD_CACHE_VALID;
    if (found == CD_CACHE_REFUSED)
        status = CARDAN_UNSUPPORTED;
    else if (!info->was_cached)
        status = cd_build_compile(&b, report);
    info->compile_time = b.info.compile_time;
    l->loaded          = b.loaded;
    cd_code_cache_close(&cache);
    return status;
}

cardan_status cd_compiled_functions_open(const cd_graph* graph, int ninput, int block, int nfunction,
                                         const cd_function_outputs* function, cd_compiled_functions** functions,
                                         cd_compiled_functions_info* info, cardan_report* report)
{
    function_printer       p = {0};
    cd_compiled_functions* l = cd_allocate(1, sizeof *l);
    *functions               = NULL;
    *info                    = (cd_compiled_functions_info){0};
    if (l)
        *l = (cd_compiled_functions){
            .count = nfunction, .requested = function, .batch = cd_allocate((size_t)nfunction + 1, sizeof *l->batch)};
    cardan_status status =
        l && l->batch ? print_functions(graph, ninput, block, nfunction, function, &p) : CARDAN_NO_MEMORY;
    for (int i = 0; i < p.unit.ntraced; ++i) {
        const cardan_operation_count t = p.unit.program[i].operations;
        info->operations += t.add + t.mul + t.div + t.sqrt;
    }
    if (status == CARDAN_OK) status = load_or_compile(&p, l, info, report);
    release_printer(&p);
    if (status == CARDAN_OK)
        *functions = l;
    else
        cd_compiled_functions_close(l);
    return status;
}

void cd_compiled_functions_close(cd_compiled_functions* l)
{
    if (!l) return;
    cd_loaded_library_close(&l->loaded);
    free(l->batch);
    free(l);
}

cd_batch_function cd_compiled_functions_at(const cd_compiled_functions* l, int i) { return l->batch[i]; }
