// SPDX-License-Identifier: BSD-3-Clause
// Helpers of tests: loading of optimization tasks and creation of their optimal-control problems.
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
        printf("the task was rejected without a message\n");
    return task;
}

static inline cardan_ocp* create_ocp(cardan_task* task, cardan_optimize_options options)
{
    cardan_ocp* ocp = NULL;
    cardan_report_clear(&report);
    if (task && cardan_ocp_create(task, &options, &ocp, &report) != CARDAN_OK) puts(report.message[0].text);
    return ocp;
}

static inline cardan_task* load_reach(void)
{
    cardan_task* task = NULL;
    CHECK(cardan_task_load(CARDAN_SOURCE "/models/arm_pendulum/reach.yaml", NULL, &task, &report) == CARDAN_OK);
    return task;
}
