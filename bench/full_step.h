// SPDX-License-Identifier: BSD-3-Clause
// One complete step: kinematics, forces, assembly, factorization, accelerations, semi-implicit Euler, stabilization of
// positions and velocities; as in cardan_simulate in maximal coordinates, by lagrange or by another solver of the same
// matrix.
#pragma once

#include "formulation/formulation.h"

#include <cardan/cardan.h>

typedef struct whole whole;

// Create a family of `cardan make` of size n, or load a model file if n is 0. `solver` NULL: lagrange. Returns NULL
// with a message on failure.
whole* whole_create(const char* what, int n, const cd_formulation* solver, cardan_report* report);
void   whole_destroy(whole* w);

cardan_data* whole_data(whole* w);
cardan_data* whole_rewind(whole* w); // the same, reset to the start
int          whole_bodies(const whole* w);
int          whole_velocities(const whole* w);
int          whole_rows(const whole* w);

// Return the time of one step [us]: `steps` steps of h [s] from the start. NAN and a message on failure.
double whole_run(whole* w, int steps, double h, cardan_report* report);
// The same without the checks of a run between steps: singular configurations, branch switches, winding numbers;
// stabilization NULL: the default.
double whole_bare(whole* w, int steps, double h, const char* stabilization, cardan_report* report);
// So many steps up to a row: how well the loops are closed there.
bool whole_check(whole* w, int steps, double h, double* closure, cardan_report* report);

// Coordinates (nq) at the end of the last check.
const double* whole_end(const whole* w);

// Other solvers of the matrix, for comparison.
extern const cd_formulation solver_dense;  // LAPACK's dsytrf and dsytrs
extern const cd_formulation solver_sparse; // SuiteSparse: AMD and LDL
