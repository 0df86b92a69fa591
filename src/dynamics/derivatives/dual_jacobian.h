// SPDX-License-Identifier: BSD-3-Clause
// Exact Jacobians of all equations of a model (equation/equation_set.h) by dual numbers. Arguments and results are
// plain numbers; only dual_jacobian.c computes with dual numbers.
#pragma once

#include "equation/equation_set.h"

struct cd_colouring;

typedef struct cd_dual_work cd_dual_work;

// State: coordinates (nq_joint, off-tree joints with their last values), velocities (nv), user states (nstate),
// accelerations (nv), multipliers (nrow).
typedef struct cd_dual_state {
    const double *q, *v, *s, *a, *lambda;
} cd_dual_state;

void cd_dual_layout(const cardan_model* m, cd_arena* arena, cd_dual_work** dual);

// Compute columns of nv + nstate + 3 nrow rows each: by positions (nv, tangent space), by velocities (nv), by user
// states (nstate). Columns of one colour share a direction (colouring.h; or NULL).
void cd_dual_jacobian(const cardan_model* m, const cd_equation_input* given, const cd_dual_state* x, cd_dual_work* dual,
                      const struct cd_colouring* colouring, double* by_q, double* by_v, double* by_s);

enum { CD_FREE_BODY_COLUMNS = 18 };

// The same in maximal coordinates, packed: entry k of the colouring, a row of its link, has CD_FREE_BODY_COLUMNS
// derivatives: six by position, six by velocity, six by acceleration. by_s as above.
void cd_dual_free_body_jacobian(const cardan_model* m, const cd_equation_input* given, const cd_dual_state* x,
                                cd_dual_work* dual, const struct cd_colouring* colouring, double* jacobian,
                                double* by_s);

enum { CD_JOINT_COLUMNS = 6 };

// Derivatives of the efforts of joint force elements on tree joints by position and velocity of the same joint: (nv x
// CD_JOINT_COLUMNS), row-major; column i belongs to velocity i of the row's link.
void cd_dual_joint_force_jacobian(const cardan_model* m, const cd_stop_state* frozen_stops, const cd_dual_state* x,
                                  cd_dual_work* dual, double* by_q, double* by_v);

// Direction of differentiation: velocity along q, changes of v and a (nv each) and of user states (nstate).
typedef struct cd_dual_direction {
    const double *q, *v, *a, *s;
} cd_dual_direction;

// Derivatives of joint velocities and accelerations (nv_joint, off-tree joints included) and of the outputs of the
// model (noutput; may be NULL) along a direction.
void cd_dual_directional_derivative(const cardan_model* m, double t, const cd_dual_state* x, cd_dual_work* dual,
                                    const cd_dual_direction* direction, double* joint_v, double* joint_a,
                                    double* output);
