// SPDX-License-Identifier: BSD-3-Clause
// The linear solver that IDA uses for sparse Jacobians: entries (entries.h), which the Jacobian function tells,
// factored by KLU.
#pragma once

#include "motion/entries.h"
#include "motion/system.h"

#include <sundials/sundials_linearsolver.h>

// For vectors like y. The entries stay the caller's. NULL: no memory. Freed by SUNLinSolFree.
SUNLinearSolver cd_sparse_solver(cd_system* system, cd_entries* entries, SUNContext context);
// A matrix that holds nothing: the values are in the entries. Freed by SUNMatDestroy.
SUNMatrix cd_sparse_matrix(SUNContext context);
