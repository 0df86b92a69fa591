// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of inverse and forward dynamics at a state, exact to round-off and without a compiler; with loops, forces
// and user states, in tree and maximal coordinates. Positions vary in the tangent space: column j of a derivative by q
// belongs to velocity j, and quaternions vary along their angular velocities.
#pragma once

#include <cardan/dynamics.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/// Memory for derivatives of one simulation; the data must outlive it.
typedef struct cardan_derivatives cardan_derivatives;

cardan_status cardan_derivatives_create(cardan_data* data, cardan_derivatives** derivatives, cardan_report* report);
void          cardan_derivatives_destroy(cardan_derivatives* derivatives);

/// Output matrices, row major; each may be NULL. Derivatives of efforts: (nv x nv), by user states (nv x nstate).
typedef struct cardan_inverse_dynamics_jacobians {
    double *q, *v, *a, *state;
} cardan_inverse_dynamics_jacobians;

/// Compute the derivatives of cardan_data_inverse_dynamics at the state of the data: of the efforts that produce `a`
/// together with the forces of the model. With multipliers (one per constraint row; NULL: none), of effort + J'lambda.
cardan_status cardan_derivatives_of_inverse_dynamics(cardan_derivatives* derivatives, const double* a,
                                                     const double*                            lambda,
                                                     const cardan_inverse_dynamics_jacobians* jacobians,
                                                     cardan_report*                           report);

/// Output matrices, row major; each may be NULL. Derivatives of accelerations (nv rows), multipliers (one per
/// constraint row) and rates of user states (nstate rows) by positions, velocities, external efforts (nv columns) and
/// user states (nstate columns).
typedef struct cardan_forward_dynamics_jacobians {
    double *a_q, *a_v, *a_effort, *a_state;
    double *lambda_q, *lambda_v, *lambda_effort, *lambda_state;
    double *rate_q, *rate_v, *rate_state;
} cardan_forward_dynamics_jacobians;

/// Compute the derivatives of cardan_data_accelerate at the state of the data, and the accelerations (nv; may be NULL). The
/// state must satisfy the constraints. If constraints are redundant, accelerations are unique, multipliers are not.
/// Returns CARDAN_UNSUPPORTED for gears whose losses depend on their load: their derivatives are not available.
cardan_status cardan_derivatives_of_forward_dynamics(cardan_derivatives* derivatives, double* a,
                                                     const cardan_forward_dynamics_jacobians* jacobians,
                                                     cardan_report*                           report);

/// Number of constraint rows, the dimension of the multipliers.
int cardan_data_constraint_row_count(const cardan_data* data);
/// Multipliers of these rows at the state that cardan_data_accelerate solved last: M a + J'lambda = r.
cardan_status cardan_data_constraint_multipliers(const cardan_data* data, double* lambda);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
