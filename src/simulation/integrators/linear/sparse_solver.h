// SPDX-License-Identifier: BSD-3-Clause
// The linear solver that IDA uses for sparse Jacobians: entries (triplet_matrix.h), which the Jacobian function tells,
// factored by KLU.
#pragma once

#include "simulation/integrators/linear/triplet_matrix.h"
#include "simulation/ode/ode_system.h"

#include <sundials/sundials_linearsolver.h>

// For vectors like y. The entries stay the caller's. NULL: no memory. Freed by SUNLinSolFree.
SUNLinearSolver cd_sparse_solver_create(cd_ode_system* system, cd_triplet_matrix* entries, SUNContext context);
// A matrix that holds nothing: the values are in the entries. Freed by SUNMatDestroy.
SUNMatrix cd_sparse_matrix_create(SUNContext context);
