// SPDX-License-Identifier: BSD-3-Clause
// Exact derivatives of inverse and forward dynamics at a state, to round-off, without a compiler: loops, forces, states
// of the user included, in tree and flat coordinates. Coordinates are varied in their tangent space: column j of a
// derivative by q belongs to velocity j, and quaternions turn along their angular velocities.
#pragma once

#include <cardan/dynamics.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Memory for derivatives of one simulation; the data must outlive it.
typedef struct cardan_derivatives cardan_derivatives;

cardan_status cardan_derivatives_create(cardan_data* data, cardan_derivatives** derivatives, cardan_report* report);
void          cardan_derivatives_destroy(cardan_derivatives* derivatives);

/// Matrices to be filled, row major; each may be NULL. Of efforts: (nv x nv), by the user's states (nv x nstate).
typedef struct cardan_inverse_dynamics_jacobians {
    double *q, *v, *a, *state;
} cardan_inverse_dynamics_jacobians;

/// Derivatives of what cardan_inverse_dynamics computes at the state of the data: the efforts that, beside the model's own
/// forces, produce `a`. With multipliers (as many as the constraints have rows; NULL: none), of effort + J'lambda.
cardan_status cardan_inverse_dynamics_derivatives(cardan_derivatives* derivatives, const double* a,
                                                  const double*                            lambda,
                                                  const cardan_inverse_dynamics_jacobians* jacobians,
                                                  cardan_report*                           report);

/// Matrices to be filled, row major; each may be NULL. Accelerations (nv rows), multipliers of the constraints (nrow),
/// rates of the user's states (nstate); by positions, velocities, efforts from outside (nv columns), states (nstate
/// columns).
typedef struct cardan_forward_dynamics_jacobians {
    double *a_q, *a_v, *a_effort, *a_state;
    double *lambda_q, *lambda_v, *lambda_effort, *lambda_state;
    double *rate_q, *rate_v, *rate_state;
} cardan_forward_dynamics_jacobians;

/// Derivatives of what cardan_accelerate computes at the state of the data, and the accelerations themselves (nv; may
/// be NULL). With loops the state has to satisfy its constraints. Where constraints repeat each other accelerations are
/// determined, multipliers are not. CARDAN_UNSUPPORTED for gears whose losses depend on their load: they are known at
/// the state, not around it.
cardan_status cardan_forward_dynamics_derivatives(cardan_derivatives* derivatives, double* a,
                                                  const cardan_forward_dynamics_jacobians* jacobians,
                                                  cardan_report*                           report);

/// Rows of the constraints, as cardan_forward_dynamics_jacobians counts multipliers.
int cardan_constraint_row_count(const cardan_data* data);
/// Multipliers of these rows at the state that cardan_accelerate solved last: M a + J'lambda = r.
cardan_status cardan_constraint_multipliers(const cardan_data* data, double* lambda);

#ifdef __cplusplus
}
#endif
