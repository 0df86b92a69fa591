// SPDX-License-Identifier: BSD-3-Clause
// State as one vector y = [q, z] (nq + nz) for methods without a manifold: quaternions are integrated by their
// components, with a term that restores unit length,
//
//     q' = q o (0, w) / 2 + kappa (1 - |q|^2) q,     kappa = sqrt(1 + |w|^2) / 2   [1/s].
//
// The length decays to 1 at the rate 2 kappa, which grows only with the angular velocity, so the term never makes the
// equation stiff; the term is parallel to q, so direction and length do not mix. States handed out are normalized.
#pragma once

#include "simulation/ode/ode_system.h"

// Compute q' (nq) including the normalizing term.
void cd_state_vector_q_rate(const cd_ode_system* system, const double* q, const double* v, double* rate);
// Add `factor` times the derivative of q' to the rows of q: by q into the columns of q; along the velocities x (nv)
// into one column. work: (nq).
void cd_state_vector_q_rate_by_q(const cd_ode_system* system, const double* q, const double* v, double factor,
                                 double** column);
void cd_state_vector_q_rate_along(const cd_ode_system* system, const double* q, const double* x, double factor,
                                  double* work, double* column);
// Block of one quaternion e at the angular velocity x.
void cd_quaternion_rate_jacobian(const double e[4], const double x[3], double R[4][4]);
// Convert a derivative along the velocities into one by the coordinates q, and add it to entry i of the columns of y:
// value j is at derivative[j * stride]. A change de of a quaternion e is the rotation 2 vec(conj(e) de).
void cd_state_vector_derivative_by_q(const cd_ode_system* system, const double* q, const double* derivative,
                                     size_t stride, double factor, int i, double** column);
// y' = f(t, y).
cardan_status cd_state_vector_rate(cd_ode_system* system, double t, const double* y, double* rate);
// Weights 1 / scale of every entry of y. The scale is a tenth of the system's error scale: multistep methods measure
// the root mean square and accumulate the errors of many small steps; so the same tolerance gives about the error of
// dopri5.
void cd_state_vector_error_weights(const cd_ode_system* system, const double* y, double* weight);
void cd_state_vector_from_state(const cd_ode_system* system, const cd_ode_state* x, double* y);
void cd_state_vector_to_state(const cd_ode_system* system, double t, const double* y, cd_ode_state* x);

// Return CARDAN_STEP_TOO_SMALL and store the entry of y with the largest scaled error; `error` may be NULL.
cardan_status cd_state_vector_step_too_small(cd_ode_system* system, double t, const double* y, const double* error);

// Return whether a dense Jacobian of y stays below 2 GB; the system may grant a larger block without having the
// memory.
bool cd_state_vector_jacobian_fits(const cd_ode_system* system);
