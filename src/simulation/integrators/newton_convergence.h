// SPDX-License-Identifier: BSD-3-Clause
// Whether Newton's iteration of an implicit step has converged, with a matrix A that may be of an earlier step or of a
// point that the iteration has left:
//
//     A change = -residual,      residual = y - a - gamma f(y)
//
// Where A has a slope that is gone, as that of dry friction which held before and slips now, changes are far too small,
// and small they stay: rates of changes say nothing, since others are larger and converge. The residual says it. Where
// forces damp, what y is off by is not more than the residual; so a residual of the size of the error allowed is
// enough, and a larger one has to become less from iteration to iteration. It costs an evaluation only where the motion
// is stiff.
#pragma once

typedef struct cd_newton_convergence {
    double convergence_rate;     // of changes, as it was seen with this matrix
    double correction, residual; // of the iteration before
} cd_newton_convergence;

typedef enum cd_newton_status { CD_NEWTON_CONTINUE, CD_NEWTON_CONVERGED, CD_NEWTON_FAILED } cd_newton_status;

// With another matrix.
void cd_newton_convergence_reset(cd_newton_convergence* test);
// After iteration 0, 1, ... of a step: sizes of the change and of the residual that it was solved for, and the one of
// the error that may be left, all in one norm.
cd_newton_status cd_newton_convergence_test(cd_newton_convergence* test, int iteration, double correction,
                                            double residual, double allowed);
