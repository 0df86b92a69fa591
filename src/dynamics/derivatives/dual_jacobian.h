// SPDX-License-Identifier: BSD-3-Clause
// Exact slopes of all equations of a model (equation/equation_set.h), by dual numbers. Plain numbers in and out: the only
// file that computes with dual ones is dual_jacobian.c.
#pragma once

#include "equation/equation_set.h"

struct cd_colouring;

typedef struct cd_dual_work cd_dual_work;

// A state: coordinates (nq_all, measured ones with their last values), velocities (nv), states (ns), accelerations
// (nv), multipliers (nrow).
typedef struct cd_dual_state {
    const double *q, *v, *s, *a, *lambda;
} cd_dual_state;

void cd_dual_layout(const cardan_model* m, cd_arena* arena, cd_dual_work** dual);

// Columns of n = nv + ns + 3 nrow rows each: by positions (nv, quaternions along their velocities), by velocities (nv),
// by states (ns). Columns of one colour share directions (colouring.h; or NULL).
void cd_dual_jacobian(const cardan_model* m, const cd_equation_input* given, const cd_dual_state* x, cd_dual_work* dual,
                      const struct cd_colouring* colouring, double* by_q, double* by_v, double* by_s);

enum { CD_FREE_BODY_COLUMNS = 18 };

// The same in flat coordinates, packed: entry k of the colouring, a row of its link, has CD_FREE_BODY_COLUMNS slopes, six by
// position, six by velocity, six by acceleration. by_s as above.
void cd_dual_free_body_jacobian(const cardan_model* m, const cd_equation_input* given, const cd_dual_state* x,
                                cd_dual_work* dual, const struct cd_colouring* colouring, double* jacobian,
                                double* by_s);

enum { CD_JOINT_COLUMNS = 6 };

// Slopes of the efforts of laws along joints of the tree, by what the own joint does: (nv x CD_JOINT_COLUMNS) row
// major, column i belongs to velocity number i of the row's link.
void cd_dual_joint_force_jacobian(const cardan_model* m, const cd_stop* frozen_stops, const cd_dual_state* x,
                                  cd_dual_work* dual, double* by_q, double* by_v);

// A motion beside the state: velocities along q, and changes of v, a (nv each) and states (ns).
typedef struct cd_dual_direction {
    const double *q, *v, *a, *s;
} cd_dual_direction;

// How joint velocities and accelerations (nv_all), measured joints included, and the outputs of the model (noutput; may
// be NULL) change along it.
void cd_dual_directional_derivative(const cardan_model* m, double t, const cd_dual_state* x, cd_dual_work* dual,
                                    const cd_dual_direction* direction, double* joint_v, double* joint_a,
                                    double* output);
