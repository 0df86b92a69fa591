// SPDX-License-Identifier: BSD-3-Clause
// Functions as batch routines (print_batch.c) that take one array and give one. The key of the cache is the text
// itself.
#include "generate/functions.h"

#include "core/file.h"
#include "core/memory.h"
#include "generate/build.h"
#include "generate/syntax.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDITION = 2, LONGEST_LINE = 8, LONGEST_PART = 1500 };

// One pass of optimization less than for routines of runs: these have several times their operations, and are compiled
// once per task.
static const char flags[] =
    "-O1 -std=c11 -march=native -ffp-contract=fast -fno-math-errno -fno-trapping-math -shared -fPIC";

struct cd_functions {
    int               count;
    const cd_outputs* wanted; // while it is opened
    cd_batch*         batch;
    cd_loaded         loaded;
};

// What is printed: a sheet without a mechanism.
typedef struct printing {
    cd_sheet    sheet;
    cd_routine* routine;
    cd_text     text;
} printing;

static void release(printing* p)
{
    for (int i = 0; i < p->sheet.ntraced; ++i) cd_program_release(&p->sheet.program[i]);
    free(p->sheet.program);
    free(p->sheet.traced);
    free(p->routine);
    cd_text_free(&p->text);
}

static cardan_status print(const cd_graph* graph, int ninput, int block, int n, const cd_outputs* f, printing* p)
{
    const cd_sources in = {
        .v = ninput, .a = ninput, .effort = ninput, .state = ninput, .time = ninput, .count = ninput};
    p->sheet         = (cd_sheet){.name = "many", .in = in, .batch = true, .block = block};
    p->sheet.traced  = cd_allocate((size_t)n + 1, sizeof *p->sheet.traced);
    p->sheet.program = cd_allocate((size_t)n + 1, sizeof *p->sheet.program);
    p->routine       = cd_allocate((size_t)n + 1, sizeof *p->routine);
    if (!p->sheet.traced || !p->sheet.program || !p->routine) return CARDAN_NO_MEMORY;
    for (int i = 0; i < n; ++i) {
        p->routine[i] = (cd_routine){.form = f[i].name, .name = f[i].name, .summary = f[i].name, .takes = CD_TAKES_Q};
        p->sheet.traced[i]         = (cd_traced){.routine = &p->routine[i],
                                                 .nresult = 1,
                                                 .noutput = f[i].count,
                                                 .result  = {{.name = "result", .what = "", .rows = f[i].count, .columns = 1}}};
        const cardan_status status = cd_program_make(
            &p->sheet.program[i], graph, f[i].count, f[i].node,
            (cd_cutting){.longest_line = LONGEST_LINE, .longest_part = LONGEST_PART, .runs = true, .angles = true});
        if (status != CARDAN_OK) return status;
        ++p->sheet.ntraced;
    }
    p->sheet.many = p->sheet.program;
    cd_text_add(&p->text, "#include <math.h>\n");
    cd_print_c_helpers(&p->text, &p->sheet);
    cd_print_batch(&p->text, &p->sheet);
    return p->text.failed ? CARDAN_NO_MEMORY : CARDAN_OK;
}

static cardan_status accept(void* user, void* handle, cardan_report* report)
{
    cd_functions* l = user;
    for (int i = 0; i < l->count; ++i) {
        char name[64];
        snprintf(name, sizeof name, "many_%s_batch", l->wanted[i].name);
        if (!cd_build_function(handle, name, &l->batch[i], sizeof l->batch[i]))
            return cardan_fail(report, CARDAN_UNSUPPORTED, CARDAN_CODE_GENERATED_CODE_FAILED, cardan_nowhere(),
                               "generated code is not what was written");
    }
    return CARDAN_OK;
}

static cardan_status key_of(const cd_text* source, const cd_compiler* c, char key[65])
{
    cd_text text = {0};
    cd_build_key(&text, c, EDITION);
    cd_text_add(&text, source->data);
    const bool good = !text.failed;
    if (good) cd_sha256(text.data, text.length, key);
    cd_text_free(&text);
    return good ? CARDAN_OK : CARDAN_NO_MEMORY;
}

static cardan_status take(const printing* p, cd_functions* l, cd_functions_facts* facts, cardan_report* report)
{
    char          key[65], file[80];
    cd_compiler   c;
    cd_cache      cache;
    cardan_status status = cd_compiler_find(&c, report);
    if (status != CARDAN_OK) return status;
    c.flags = flags;
    status  = key_of(&p->text, &c, key);
    if (status == CARDAN_OK) status = cd_cache_open(&cache, report);
    if (status != CARDAN_OK) return status;
    snprintf(file, sizeof file, "%s.so", key);
    const char* const text  = p->text.data;
    cd_build          b     = {.compiler = &c,
                               .cache    = &cache,
                               .file     = file,
                               .ntext    = 1,
                               .name     = (const char* const[]){"functions.c"},
                               .text     = &text,
                               .user     = l,
                               .accept   = accept,
                               .about    = {.operations = facts->operations}};
    const cd_found    found = cd_build_find(&b, report);
    facts->cached           = found == CD_SOUND;
    if (found == CD_REFUSED)
        status = CARDAN_UNSUPPORTED;
    else if (!facts->cached)
        status = cd_build_make(&b, report);
    facts->compile = b.about.compile;
    l->loaded      = b.loaded;
    cd_cache_close(&cache);
    return status;
}

cardan_status cd_functions_open(const cd_graph* graph, int ninput, int block, int nfunction, const cd_outputs* function,
                                cd_functions** functions, cd_functions_facts* facts, cardan_report* report)
{
    printing      p = {0};
    cd_functions* l = cd_allocate(1, sizeof *l);
    *functions      = NULL;
    *facts          = (cd_functions_facts){0};
    if (l)
        *l = (cd_functions){
            .count = nfunction, .wanted = function, .batch = cd_allocate((size_t)nfunction + 1, sizeof *l->batch)};
    cardan_status status = l && l->batch ? print(graph, ninput, block, nfunction, function, &p) : CARDAN_NO_MEMORY;
    for (int i = 0; i < p.sheet.ntraced; ++i) {
        const cardan_tally t = p.sheet.program[i].tally;
        facts->operations += t.add + t.mul + t.div + t.sqrt;
    }
    if (status == CARDAN_OK) status = take(&p, l, facts, report);
    release(&p);
    if (status == CARDAN_OK)
        *functions = l;
    else
        cd_functions_close(l);
    return status;
}

void cd_functions_close(cd_functions* l)
{
    if (!l) return;
    cd_unload(&l->loaded);
    free(l->batch);
    free(l);
}

cd_batch cd_functions_at(const cd_functions* l, int i) { return l->batch[i]; }
