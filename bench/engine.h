// SPDX-License-Identifier: BSD-3-Clause
// Cardan's side of the benchmark: the stages of its formulations, each callable separately.
#pragma once

#include "mechanism.h"

typedef struct engine engine;

// Create the engine for a formulation by name. It keeps pointers to model and state. Returns NULL if the formulation
// does not support the model.
engine* engine_create(const cardan_model* m, const char* formulation, const state* s, cardan_report* report);
void    engine_destroy(engine* e);

// Return the memory of one simulation [bytes].
double engine_memory(const engine* e);

const double* engine_efforts(const engine* e);       // (nv) of engine_inverse_dynamics
const double* engine_accelerations(const engine* e); // (nv) of engine_forward

// Timed functions; the argument is an engine.
void engine_inverse_dynamics(void* e); // forward kinematics, recursive Newton-Euler
void engine_mass_matrix(void* e);      // forward kinematics, composite bodies
void engine_mass_and_factor(void* e);  // the same and its factorization in place
void engine_solve(void* e);            // one right-hand side with the current factor
void engine_forward(void* e);          // forward kinematics, velocity terms, assembly, factorization, solve
