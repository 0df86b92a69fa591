// SPDX-License-Identifier: BSD-3-Clause
// The motions that the constraints allow at a state, without any inertia: statics knows none. With velocities measured
// in units (rad/s; lengths of the mechanism per second), x = U v, the rows are J U^-1, and by QR with column pivots
//
//   (J U^-1)' P = [Q1 N] [R; 0]        N: an orthonormal basis of the motions, Q1: of what is held
//   closing        x = -Q1 R^-T P'c    the shortest change with J dx = -c, of positions, and of velocities with their rates for c
#pragma once

#include "dynamics/data.h"

typedef struct cd_tangent_space {
    cardan_data* d;
    cd_arena     arena;
    int          nv, nrow;
    int          rank, nmotion; // rows that count; motions, n = nv - rank
    double       length;        // [m] of the mechanism
    double*      unit;          // (nv) U
    double*      basis;         // (nv x n) column major, in units
    double*      factor;        // (nv x nrow) column major
    double *     tau, *work, *y, *scale;
    double*      saved_q; // (nq) where a look beside comes back to
    int*         pivot;   // (nrow)
} cd_tangent_space;

cardan_status cd_tangent_space_create(cardan_data* d, cd_tangent_space* t, cardan_report* report);
void          cd_tangent_space_release(cd_tangent_space* t);

// Motions at the state of the data. Only rows of positions, or those of velocities (rolling) too. False where J is not
// finite.
bool cd_tangent_space_compute(cd_tangent_space* t, bool positions_only);
// How many motions rows hold hardly here and firmly a little beside: the state is close to a singular pose, where they
// are free at first order. After cd_tangent_space_compute with all rows; what that has found is lost.
int cd_tangent_space_near_singular(cd_tangent_space* t);
// The positions of the data onto the constraints; then its velocities too. What they become depends on nothing but what
// they were, so that differences are smooth. False where that fails.
bool cd_tangent_space_project(cd_tangent_space* t);
bool cd_tangent_space_project_velocity(cd_tangent_space* t);
// The shortest change v (nv) with J v = -c, c (nrow), after cd_tangent_space_compute.
void cd_tangent_space_min_norm_change(cd_tangent_space* t, const double* c, double* v);
// Multipliers lambda (nrow) that bear of g (nv, in units) what they can: |g + (J U^-1)'lambda| is least. After
// cd_tangent_space_compute.
void cd_tangent_space_multipliers(cd_tangent_space* t, const double* g, double* lambda);

// All laws of drivers stand still at the value they have at the time set.
void cd_freeze_drivers(cardan_data* d);
