// SPDX-License-Identifier: BSD-3-Clause
// An optimal motion as results.
#pragma once

#include <cardan/optimize.h>

// CSV at `path` ("-": standard output), columns as `run` has them: t, then q, v, a, effort of joints, then the outputs of the model. Returns the
// exit code; what is wrong is told.
int cd_plan_write(const cardan_task* task, const cardan_plan_view* view, const char* path, bool force, cardan_report* report);
