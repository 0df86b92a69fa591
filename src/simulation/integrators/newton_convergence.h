// SPDX-License-Identifier: BSD-3-Clause
// Convergence test of Newton's iteration of an implicit step, with a matrix A that may belong to an earlier step or
// to an earlier iterate:
//
//     A correction = -residual,      residual = y - a - gamma f(y)
//
// If A contains a derivative that no longer exists, such as that of dry friction that stuck before and slips now,
// corrections are far too small and stay small: their convergence rate shows nothing, because other corrections are
// larger and converge. The residual shows it. Where forces are dissipative, the error of y is at most the residual;
// so a residual of the size of the allowed error is sufficient, and a larger one must decrease from iteration to
// iteration. The test costs an additional evaluation only where the motion is stiff.
#pragma once

typedef struct cd_newton_convergence {
    double convergence_rate;     // of the corrections, measured with this matrix
    double correction, residual; // of the previous iteration
} cd_newton_convergence;

typedef enum cd_newton_status { CD_NEWTON_CONTINUE, CD_NEWTON_CONVERGED, CD_NEWTON_FAILED } cd_newton_status;

// Reset after a change of the matrix.
void cd_newton_convergence_reset(cd_newton_convergence* test);
// Test iteration 0, 1, ... of a step: norms of the correction, of the residual that it was solved for, and of the
// allowed error, all in the same norm.
cd_newton_status cd_newton_convergence_test(cd_newton_convergence* test, int iteration, double correction,
                                            double residual, double allowed);
