// SPDX-License-Identifier: BSD-3-Clause
// The runtime beside a plan: states with their loops closed, and efforts that hold the mechanism still.
#pragma once

#include "optimize/task/task.h"

typedef struct cd_loop_projection cd_loop_projection;

cardan_status cd_loop_projection_create(const cardan_task* task, cd_loop_projection** projection,
                                        cardan_report* report);
void          cd_loop_projection_destroy(cd_loop_projection* projection);
// Inertia of each velocity at q, (n); 1 where there is none.
cardan_status cd_loop_projection_inertias(cd_loop_projection* projection, const double* q, double* inertia);
// q (nq) and v (nv) onto the constraints by the shortest change; as they were where that fails, and for trees.
void cd_loop_projection_project(cd_loop_projection* projection, double t, double* q, double* v);
// The same for q alone, with the coordinates that equal conditions of the list fix kept where that is possible.
cardan_status cd_loop_projection_assemble(cd_loop_projection* projection, double t, const cd_conditions* list,
                                          double* q);
// Efforts (ncontrol) at rest, of all that do the least that is not balanced; NaN where there are none.
void cd_loop_projection_static_efforts(cd_loop_projection* projection, double t, const double* q, double* effort);

// Coordinate of a velocity, or -1 - component of the turns (three for each quaternion).
int cd_coordinate_of_velocity(const cardan_model* model, int v);
