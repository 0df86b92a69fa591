// SPDX-License-Identifier: BSD-3-Clause
// What was generated: files, their texts, operations of each routine.
#include "core/arguments.h"
#include "generate/generation.h"

int cardan_generated_files(const cardan_generated* g) { return g ? g->language->nfile : 0; }
static bool has_file(const cardan_generated* g, int i) { return cd_is_index(i, cardan_generated_files(g)); }
const char* cardan_generated_file(const cardan_generated* g, int i) { return has_file(g, i) ? g->file[i] : NULL; }
const char* cardan_generated_text(const cardan_generated* g, int i)
{
    return !has_file(g, i) ? NULL : g->text[i].data ? g->text[i].data : "";
}
int cardan_generated_routines(const cardan_generated* g) { return g ? g->sheet.ntraced : 0; }

cardan_routine_count cardan_generated_count(const cardan_generated* g, int i)
{
    if (!cd_is_index(i, cardan_generated_routines(g))) return (cardan_routine_count){0};
    const cd_routine*  r = g->sheet.traced[i].routine;
    const cd_program*  p = &g->sheet.program[i];
    const cardan_tally n = p->tally;
    return (cardan_routine_count){r->form, r->name, n, n.add + n.mul + n.div + n.sqrt, p->equations};
}
