// SPDX-License-Identifier: BSD-3-Clause
// Loading and destruction of tasks.
#include "optimize/task/task.h"

#include "core/check_arguments.h"
#include "core/memory.h"
#include "io/format.h"
#include "model/description.h"

#include <cardan/dynamics.h>
#include <stdlib.h>

static cardan_status load(const char* path, const char* text, const cardan_load_options* options, cardan_task** task,
                          cardan_report* report)
{
    *task                              = NULL;
    const cardan_status options_status = cd_load_options_check(options, report);
    if (options_status != CARDAN_OK) return options_status;
    cardan_task* t = cd_allocate(1, sizeof *t);
    if (!t)
        return cardan_fail(report, CARDAN_NO_MEMORY, CARDAN_CODE_OUT_OF_MEMORY, cardan_location_none(),
                           "out of memory");
    t->cost_integral = t->cost_final = CARDAN_NONE;
    t->strings                       = cd_name_table_create();
    const cardan_status status       = t->strings ? cd_task_read(t, path, text, options, report) : CARDAN_NO_MEMORY;
    if (status == CARDAN_OK)
        *task = t;
    else
        cardan_task_destroy(t);
    return status;
}

cardan_status cardan_task_load(const char* path, const cardan_load_options* options, cardan_task** task,
                               cardan_report* report)
{
    CD_REQUIRE_POINTER(task, "task", report);
    *task = NULL;
    CD_REQUIRE_POINTER(path, "path", report);
    return load(path, NULL, options, task, report);
}

cardan_status cardan_task_load_text(const char* text, const char* name, const cardan_load_options* options,
                                    cardan_task** task, cardan_report* report)
{
    CD_REQUIRE_POINTER(task, "task", report);
    *task = NULL;
    CD_REQUIRE_POINTER(text, "text", report);
    CD_REQUIRE_POINTER(name, "name", report);
    return load(name, text, options, task, report);
}

void cardan_task_destroy(cardan_task* t)
{
    if (!t) return;
    cardan_model_destroy(t->model);
    cardan_description_destroy(t->description);
    double* const all[] = {t->q_lower, t->q_upper, t->v_lower, t->v_upper, t->q_guess_end, t->q_start, t->v_start};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
    free(t->control);
    free(t->start.list);
    free(t->end.list);
    free(t->path.list);
    cd_name_table_destroy(t->strings);
    free(t);
}

bool cd_task_uses_acceleration(const cardan_task* t, cardan_expression formula)
{
    const cardan_description* d    = t->description;
    const cd_node             root = formula;
    bool* depends = formula == CARDAN_NONE ? NULL : cd_allocate((size_t)d->nsignal + 1, sizeof *depends);
    bool  found   = false;
    if (depends && cd_dependence(d->graph, 1, &root, d->nsignal, depends) == CARDAN_OK)
        for (int i = 0; i < d->nsignal; ++i)
            found = found || (depends[i] && d->signal[i].kind == CARDAN_SIGNAL_ACCELERATION);
    free(depends);
    return found;
}

const cardan_model* cardan_task_model(const cardan_task* t) { return t ? t->model : NULL; }

// Both formulations use the tree that tasks are compiled for.
int cardan_task_formulation(const cardan_task* t)
{
    if (!t) return CARDAN_NONE;
    return cardan_formulation_find(cardan_model_get_view(t->model).nconstraint > 0 ? "augmented" : "order-n");
}

const char* cardan_task_name(const cardan_task* t) { return t ? t->name : NULL; }
const char* cardan_task_model_path(const cardan_task* t) { return t ? t->model_path : NULL; }
