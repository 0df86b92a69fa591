// SPDX-License-Identifier: BSD-3-Clause
// Principal axes of an inertia to full precision; MuJoCo computes them to about nine digits.
#pragma once

#include "math/quaternion.h"

// I = R(q) diag(moment) R(q)'; I is xx yy zz xy xz yz. Jacobi rotations, each of which eliminates one off-diagonal
// entry.
static inline void principal_axes(const double I[6], double moment[3], double q[4])
{
    double A[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
    double R[9]    = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int sweep = 0; sweep < 20; ++sweep)
        for (int k = 0; k < 3; ++k) {
            const int a = k == 2 ? 1 : 0, b = k == 0 ? 1 : 2;
            if (A[a][b] == 0) continue;
            // t = tan of the angle: t^2 + 2 t cot(2 angle) - 1 = 0, the smaller root
            const double cot = (A[b][b] - A[a][a]) / (2 * A[a][b]);
            const double t = (cot < 0 ? -1 : 1) / (fabs(cot) + hypot(cot, 1)), c = 1 / hypot(t, 1), s = t * c;
            for (int i = 0; i < 3; ++i) {
                const double x = A[i][a], y = A[i][b], u = R[3 * i + a], v = R[3 * i + b];
                A[i][a]      = c * x - s * y;
                A[i][b]      = s * x + c * y;
                R[3 * i + a] = c * u - s * v;
                R[3 * i + b] = s * u + c * v;
            }
            for (int i = 0; i < 3; ++i) {
                const double x = A[a][i], y = A[b][i];
                A[a][i] = c * x - s * y;
                A[b][i] = s * x + c * y;
            }
            A[a][b] = A[b][a] = 0;
        }
    for (int i = 0; i < 3; ++i) moment[i] = A[i][i];
    q4_of_matrix(R, q);
}
