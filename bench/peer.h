// SPDX-License-Identifier: BSD-3-Clause
// MuJoCo's side of the benchmark. Vectors use Cardan's numbering.
#pragma once

#include "mechanism.h"

typedef struct peer peer;

// Create the mechanism of `m` at the state `s`. NULL with a message if MuJoCo rejects it.
peer* peer_create(const cardan_model* m, const state* s, cardan_report* report);
void  peer_destroy(peer* p);

const char* peer_version(void);
int         peer_bodies(const peer* p); // moving bodies, welded ones merged

// Timed functions; the argument is a peer.
void peer_inverse_dynamics(void* p); // kinematics, comPos, comVel, rne
void peer_mass_matrix(void* p);      // kinematics, comPos, crb
void peer_factor(void* p);           // factorM (copies the matrix first)
void peer_solve(void* p);            // solveM
void peer_forward(void* p);          // kinematics, comPos, comVel, rne, crb, factorM, solveM

// Results: efforts of peer_inverse_dynamics with rotors added, accelerations of peer_forward. (nv) each.
void peer_efforts(const peer* p, double* tau);
void peer_accelerations(const peer* p, double* a);
// Set the accelerations for peer_inverse_dynamics.
void peer_set_acceleration(peer* p, const double* a);
