// SPDX-License-Identifier: BSD-3-Clause
// Runtime model of an OCP: states projected onto the loops, and static efforts.
#pragma once

#include "optimize/task/task.h"

typedef struct cd_loop_projection cd_loop_projection;

cardan_status cd_loop_projection_create(const cardan_task* task, cd_loop_projection** projection,
                                        cardan_report* report);
void          cd_loop_projection_destroy(cd_loop_projection* projection);
// Compute the inertia of each velocity at q, (n); 1 where it is zero.
cardan_status cd_loop_projection_inertias(cd_loop_projection* projection, const double* q, double* inertia);
// Project q (nq) and v (nv) onto the constraints by the minimum-norm change; unchanged if that fails, and for trees.
void cd_loop_projection_project(cd_loop_projection* projection, double t, double* q, double* v);
// The same for q only; coordinates fixed by equality conditions of the list are kept if possible.
cardan_status cd_loop_projection_assemble(cd_loop_projection* projection, double t, const cd_conditions* list,
                                          double* q);
// Compute the efforts (ncontrol) of static equilibrium in least squares; NaN on failure.
void cd_loop_projection_static_efforts(cd_loop_projection* projection, double t, const double* q, double* effort);
