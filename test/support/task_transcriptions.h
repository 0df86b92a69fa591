// SPDX-License-Identifier: BSD-3-Clause
// Tasks of optimal control and their plans, for tests.
#pragma once

#include "test.h"

#include "optimize/transcription/ocp.h"

static const char* const forms[] = {"impl", "semi", "exp1-o", "exp1-a", "exp2-o", "exp2-a"};

static cardan_report report;

static inline cardan_task* load(const char* text, const char* folder)
{
    char         name[600];
    cardan_task* task = NULL;
    snprintf(name, sizeof name, "%s/%s/task.yaml", CARDAN_SOURCE, folder);
    cardan_report_clear(&report);
    if (cardan_task_load_text(text, name, NULL, &task, &report) != CARDAN_OK && report.count == 0)
        printf("no sentence\n");
    return task;
}

static inline cardan_ocp* plan_of(cardan_task* task, cardan_optimize_options options)
{
    cardan_ocp* plan = NULL;
    cardan_report_clear(&report);
    if (task && cardan_ocp_create(task, &options, &plan, &report) != CARDAN_OK) puts(report.message[0].text);
    return plan;
}

static inline cardan_task* load_reach(void)
{
    cardan_task* task = NULL;
    CHECK(cardan_task_load(CARDAN_SOURCE "/models/arm_pendulum/reach.yaml", NULL, &task, &report) == CARDAN_OK);
    return task;
}
