// SPDX-License-Identifier: BSD-3-Clause
// Linear solver of CVODE and IDA for dense Jacobians: LU by LAPACK, in panels of columns between which the run can be
// ended (cd_progress_poll). Freed by SUNLinSolFree.
#pragma once

#include "simulation/ode/ode_system.h"

#include <sundials/sundials_linearsolver.h>

// Create a solver for vectors like y. Returns NULL if memory is exhausted.
SUNLinearSolver cd_dense_solver_create(cd_ode_system* system, N_Vector y, SUNContext context);
