// SPDX-License-Identifier: BSD-3-Clause
// Which formula has no finite value: a root of what is negative, a division by zero, slopes at the end of a range.
#include "optimize/plan.h"

// Place and name of what a row of a block stands for.
static cardan_place name_row(const cardan_plan* p, const cd_kind* kind, int row, const char** what)
{
    const cd_conditions* list = cd_conditions_of(p, kind);
    const bool           cost = row == kind->nrow;
    *what                     = "the equations of motion have";
    if (kind == p->integral && cost) return *what = "the integral of the cost has", p->task->integral_place;
    if (kind == p->at_end && cost) return *what = "the final cost has", p->task->final_place;
    if (list && row < list->count) return *what = "this condition has", list->list[row].place;
    return p->task->place;
}

void cd_plan_tell_undefined(cardan_plan* p, cardan_report* report)
{
    const double* const place[] = {p->solved.x, p->program.x_start};
    int                 block, row;
    for (int i = 0; i < 2; ++i) {
        if (!cd_chain_undefined(&p->program, place[i], &block, &row)) continue;
        const cd_block*    b = &p->program.block[block];
        const double       h = cd_plan_step(p, place[i]);
        const char*        what;
        const cardan_place at = name_row(p, b->kind, row, &what);
        if (b->interval < p->N)
            cardan_note(report, CARDAN_CODE_TASK_UNDEFINED, at,
                        "%s no finite value or slope between %.4g and %.4g s of the %s", what, b->interval * h,
                        (b->interval + 1) * h, i == 0 ? "last motion" : "guess");
        else
            cardan_note(report, CARDAN_CODE_TASK_UNDEFINED, at, "%s no finite value or slope at the end of the %s",
                        what, i == 0 ? "last motion" : "guess");
        return;
    }
}
