// SPDX-License-Identifier: BSD-3-Clause
// The state as one flat vector y = [q, z] (nq + nz) for methods that know no manifold: quaternions are integrated
// by their components, with a term that pulls them back to unit length,
//
//     q' = q o (0, w) / 2 + kappa (1 - |q|^2) q,     kappa = sqrt(1 + |w|^2) / 2   [1/s].
//
// The length decays to 1 at the rate 2 kappa, as fast as the body turns and no faster, so the term never makes the
// equation stiff; direction and length do not mix, because the term is parallel to q. Points handed out are normalized.
#pragma once

#include "simulation/ode/ode_system.h"

// q' (nq) with the pull.
void cd_state_vector_q_rate(const cd_ode_system* system, const double* q, const double* v, double* rate);
// Its slopes, added `factor` times to the rows of q: by q into the columns of q; along the velocities x (nv) into one
// column. work: (nq).
void cd_state_vector_q_rate_by_q(const cd_ode_system* system, const double* q, const double* v, double factor,
                                 double** column);
void cd_state_vector_q_rate_along(const cd_ode_system* system, const double* q, const double* x, double factor,
                                  double* work, double* column);
// The block of one quaternion e at the angular velocity x.
void cd_quaternion_rate_jacobian(const double e[4], const double x[3], double R[4][4]);
// A slope by the coordinates q (nq, into entry i of the columns of y) from one along the velocities: value j stands at
// along[j * stride]. A quaternion e that changes by de turns by 2 vec(conj(e) de).
void cd_state_vector_derivative_by_q(const cd_ode_system* system, const double* q, const double* derivative,
                                     size_t stride, double factor, int i, double** column);
// y' = f(t, y).
cardan_status cd_state_vector_rate(cd_ode_system* system, double t, const double* y, double* rate);
// Weights 1 / unit of every entry of y. The unit is a tenth of the system's: multistep methods measure the root mean
// square and let errors of many small steps add up; so the same tolerance gives about the error of dopri5.
void cd_state_vector_error_weights(const cd_ode_system* system, const double* y, double* weight);
void cd_state_vector_from_state(const cd_ode_system* system, const cd_ode_state* x, double* y);
void cd_state_vector_to_state(const cd_ode_system* system, double t, const double* y, cd_ode_state* x);

// CARDAN_STEP_TOO_SMALL at the entry of y whose error is largest in its unit; `error` may be NULL.
cardan_status cd_state_vector_step_too_small(cd_ode_system* system, double t, const double* y, const double* error);

// Whether a dense Jacobian of y stays below 2 GB; a larger one might be promised by the system and never kept.
bool cd_state_vector_jacobian_fits(const cd_ode_system* system);
