// SPDX-License-Identifier: BSD-3-Clause
// Initial guess: straight lines to the end conditions or to the values of the guess, or a trajectory from a file.
#include "optimize/task/read_task.h"

#include "model/model.h"

#include <math.h>

static bool set_q_guess(cd_task_reader* r, const cd_yaml* at, int v, double lower, double upper, void* user)
{
    (void)at, (void)user;
    r->task->q_guess_end[v] = (lower + upper) / 2;
    return true;
}

static bool set_effort_guess(cd_task_reader* r, const cd_yaml* at, int v, double lower, double upper, void* user)
{
    const bool all = *(const bool*)user;
    for (int i = 0; i < r->task->ncontrol; ++i)
        if (r->task->control[i].velocity_index == v) return r->task->control[i].guess = (lower + upper) / 2, true;
    return all || r->controls_invalid || cd_task_fail(r, at, "this joint is not among the controls");
}

bool cd_task_read_guess(cd_task_reader* r, const cd_yaml* node)
{
    cardan_task* t = r->task;
    for (int c = 0; c < t->end.count; ++c) {
        const cd_condition* at = &t->end.list[c];
        if (at->kind == CD_CONDITION_Q)
            t->q_guess_end[at->velocity_index] = fmin(fmax(t->q_guess_end[at->velocity_index], at->lower), at->upper);
    }
    if (!node) return true;
    bool good = cd_task_check_keys(r, node, "guess", NULL);
    if (node->kind != CD_YAML_MAP) return false;
    const cd_yaml *q = cd_yaml_get(node, "q"), *controls = cd_yaml_get(node, "controls"),
                  *file = cd_yaml_get(node, "file");
    bool all            = controls && controls->kind != CD_YAML_MAP;
    good                = (!q || cd_task_read_per_joint(r, q, set_q_guess, NULL)) && good;
    t->has_q_guess      = q != NULL;
    good                = (!controls || cd_task_read_per_joint(r, controls, set_effort_guess, &all)) && good;
    if (file && file->kind != CD_YAML_SCALAR) return cd_task_fail(r, file, "file must be the path of a results file");
    if (file) t->guess_location = (cardan_location){t->location.file, file->line, file->column};
    return good && (!file || (t->guess_file = cd_task_resolve_path(r, file)) != NULL);
}
