// SPDX-License-Identifier: BSD-3-Clause
// Jacobian dF/dy + alpha dF/dy' of IDA's residual (ida.c) in maximal coordinates, assembled entry by entry.
#pragma once

#include "simulation/integrators/jacobian/triplet_matrix.h"
#include "simulation/integrators/jacobian/sparse_equation_jacobian.h"

typedef struct cd_ida_sparse {
    cd_sparse_equation_jacobian jacobian;
    cd_triplet_matrix           matrix;
    double *q_rate_by_v, *unit_velocity; // (6 x nq) rates of all coordinates for unit velocity i of every body; (nv)
} cd_ida_sparse;

// Prepare for the selected independent rows; n: dimension of y. Returns false if memory is exhausted.
bool cd_ida_sparse_start(const cd_ode_system* system, const cd_independent_rows* independent, int n, cd_ida_sparse* w);
void cd_ida_sparse_free(cd_ida_sparse* w);

// Assemble the entries from the derivatives in w->jacobian at y with u = v - J'eta. Returns false if memory is
// exhausted.
bool cd_ida_sparse_assemble(const cd_ode_system* system, const cd_independent_rows* independent, double alpha,
                            const double* y, const double* u, cd_ida_sparse* w);
