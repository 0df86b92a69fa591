// SPDX-License-Identifier: BSD-3-Clause
// Linear solver of IDA for sparse Jacobians: a triplet matrix (triplet_matrix.h), filled by the Jacobian function and
// factored by KLU.
#pragma once

#include "simulation/integrators/jacobian/triplet_matrix.h"
#include "simulation/ode/ode_system.h"

#include <sundials/sundials_linearsolver.h>

// Create a solver for vectors like y. The caller keeps the entries. Returns NULL if memory is exhausted. Freed by
// SUNLinSolFree.
SUNLinearSolver cd_sparse_solver_create(cd_ode_system* system, cd_triplet_matrix* matrix, SUNContext context);
// Create an empty matrix; the values are in the triplet matrix. Freed by SUNMatDestroy.
SUNMatrix cd_sparse_matrix_create(SUNContext context);
