// SPDX-License-Identifier: BSD-3-Clause
// Cardan's side of the benchmark: the steps of its formulations, each callable by itself.
#pragma once

#include "mechanism.h"

typedef struct engine engine;

// Formulation by name. Keeps pointers to the model and the state. NULL where the formulation refuses.
engine* engine_create(const cardan_model* m, const char* formulation, const state* s, cardan_report* report);
void    engine_destroy(engine* e);

// Bytes of the memory of one simulation.
double engine_memory(const engine* e);

const double* engine_efforts(const engine* e);       // (nv) of engine_inverse_dynamics
const double* engine_accelerations(const engine* e); // (nv) of engine_forward

// What is timed; the argument is an engine.
void engine_inverse_dynamics(void* e); // place, recursive Newton-Euler
void engine_mass_matrix(void* e);      // place, composite bodies
void engine_mass_and_factor(void* e);  // the same and its factorization, which takes the place of the matrix
void engine_solve(void* e);            // one right side with the factor there is
void engine_forward(void* e);          // place, velocity terms, assemble, factor, solve
