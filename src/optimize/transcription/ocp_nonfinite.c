// SPDX-License-Identifier: BSD-3-Clause
// Search for a formula without finite value: a root of a negative number, a division by zero, an infinite
// derivative at the end of a range.
#include "optimize/transcription/ocp.h"

// Return the location of a row of a block, with its name in messages.
static cardan_location describe_row(const cardan_ocp* p, const cd_block_function* function, int row, const char** what)
{
    const cd_conditions* list = cd_ocp_conditions_of(p, function);
    const bool           cost = row == function->nrow;
    *what                     = "the equations of motion have";
    if (function == p->integral_function && cost)
        return *what = "the integral of the cost has", p->task->integral_location;
    if (function == p->end_function && cost) return *what = "the final cost has", p->task->final_location;
    if (list && row < list->count) return *what = "this condition has", list->list[row].location;
    return p->task->location;
}

void cd_ocp_note_nonfinite(cardan_ocp* p, cardan_report* report)
{
    const double* const iterate[] = {p->solution.x, p->nlp.x_start};
    int                 block, row;
    for (int i = 0; i < 2; ++i) {
        if (!cd_block_nlp_find_nonfinite(&p->nlp, iterate[i], &block, &row)) continue;
        const cd_nlp_block*   b = &p->nlp.block[block];
        const double          h = cd_ocp_interval_length(p, iterate[i]);
        const char*           what;
        const cardan_location at = describe_row(p, b->function, row, &what);
        if (b->interval < p->N)
            cardan_note(report, CARDAN_CODE_TASK_UNDEFINED, at,
                        "%s no finite value or derivative between %.4g and %.4g s of the %s", what, b->interval * h,
                        (b->interval + 1) * h, i == 0 ? "last iterate" : "guess");
        else
            cardan_note(report, CARDAN_CODE_TASK_UNDEFINED, at, "%s no finite value or derivative at the end of the %s",
                        what, i == 0 ? "last iterate" : "guess");
        return;
    }
}
