// SPDX-License-Identifier: BSD-3-Clause
// Access to the results of a generation: files, their texts, operation counts of the routines.
#include "core/check_arguments.h"
#include "generate/routine/generation.h"

int         cardan_generated_file_count(const cardan_generated* g) { return g ? g->language->nfile : 0; }
static bool has_file(const cardan_generated* g, int i) { return cd_is_index(i, cardan_generated_file_count(g)); }
const char* cardan_generated_file_name(const cardan_generated* g, int i) { return has_file(g, i) ? g->file[i] : NULL; }
const char* cardan_generated_file_text(const cardan_generated* g, int i)
{
    return !has_file(g, i) ? NULL : g->text[i].data ? g->text[i].data : "";
}
int cardan_generated_routine_count(const cardan_generated* g) { return g ? g->unit.ntraced : 0; }

cardan_routine_cost cardan_generated_routine_at(const cardan_generated* g, int i)
{
    if (!cd_is_index(i, cardan_generated_routine_count(g))) return (cardan_routine_cost){0};
    const cd_routine*            r = g->unit.traced[i].routine;
    const cd_program*            p = &g->unit.program[i];
    const cardan_operation_count n = p->operations;
    return (cardan_routine_cost){r->form, r->name, n, n.add + n.mul + n.div + n.sqrt, p->equations};
}
