// SPDX-License-Identifier: BSD-3-Clause
// Loading of tasks from a file or a text.
#include "optimize/task/task.h"

#include "core/check_arguments.h"
#include "core/memory.h"
#include "io/format.h"

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
