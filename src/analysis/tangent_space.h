// SPDX-License-Identifier: BSD-3-Clause
// Tangent space of the constraints at a state, without the mass matrix (statics does not use it). With
// velocities in units (rad/s; `length` per second), x = U v, the constraint rows are J U^-1, and
// QR with column pivoting gives
//
//   (J U^-1)' P = [Q1 N] [R; 0]        N: orthonormal basis of the admissible motions, Q1: of the row space
//   projection     x = -Q1 R^-T P'c    minimum-norm solution of J dx = -c (positions); of J dv = -c' (velocities)
#pragma once

#include "dynamics/data.h"

typedef struct cd_tangent_space {
    cardan_data* d;
    cd_arena     arena;
    int          nv, nrow;
    int          rank, nmotion; // numerical rank; dimension of the tangent space, nv - rank
    double       length;        // [m] length_scale; without arms, the largest radius of gyration
    double*      unit;          // (nv) U
    double*      basis;         // (nv x nmotion) N, column major, in units
    double*      factor;        // (nv x nrow) QR factors, column major
    double *     tau, *work, *y, *scale;
    double*      saved_q; // (nq) positions before a probe at a perturbed state
    int*         pivot;   // (nrow) column permutation P
} cd_tangent_space;

cardan_status cd_tangent_space_create(cardan_data* d, cd_tangent_space* t, cardan_report* report);
void          cd_tangent_space_release(cd_tangent_space* t);

// Compute the tangent space at the state of the data, from holonomic rows only or from all rows (rolling included).
// Returns false if J is not finite.
bool cd_tangent_space_compute(cd_tangent_space* t, bool positions_only);
// Count the motions whose rows are ill-conditioned at this state and well-conditioned at a small distance: the state is
// close to a singular configuration, where these motions are admissible at first order. Call after
// cd_tangent_space_compute with all rows; overwrites its results.
int cd_tangent_space_near_singular(cd_tangent_space* t);
// Project the positions of the data onto the constraints; project its velocities. The result depends only on the given
// state, so that finite differences are smooth. Return false if the violation stays above the tolerance.
bool cd_tangent_space_project(cd_tangent_space* t);
bool cd_tangent_space_project_velocity(cd_tangent_space* t);
// Compute the minimum-norm solution v (nv) of J v = -c, c (nrow). Call after cd_tangent_space_compute.
void cd_tangent_space_min_norm_change(cd_tangent_space* t, const double* c, double* v);
// Compute the multipliers lambda (nrow) that minimize |g + (J U^-1)'lambda|, g (nv) in units. Call after
// cd_tangent_space_compute.
void cd_tangent_space_multipliers(cd_tangent_space* t, const double* g, double* lambda);

// Freeze all driver functions at their values at the current time, with zero derivatives.
void cd_freeze_drivers(cardan_data* d);
