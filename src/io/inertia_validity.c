// SPDX-License-Identifier: BSD-3-Clause
// Validity of an inertia from its principal moments, and the nearest physical inertia: in principal axes, the nearest
// point on the plane C = A + B.
#include "io/inertia_validity.h"

#include "io/io_tolerances.h"

#include <math.h>
#include <string.h>

// x' = c x - s y, y' = s x + c y
static void rotate_pair(double* x, double* y, double c, double s)
{
    const double a = *x, b = *y;
    *x = c * a - s * b;
    *y = s * a + c * b;
}

// Diagonalize M by Jacobi rotations; the columns of V become the eigenvectors.
static void diagonalize(double M[3][3], double V[3][3])
{
    static const double one[3][3]   = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int    pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    memcpy(V, one, sizeof one);
    for (int sweep = 0; sweep < 30 && fabs(M[0][1]) + fabs(M[0][2]) + fabs(M[1][2]) > 0; ++sweep)
        for (int i = 0; i < 3; ++i) {
            const int p = pairs[i][0], q = pairs[i][1];
            if (M[p][q] == 0) continue;
            const double theta = (M[q][q] - M[p][p]) / (2 * M[p][q]);
            const double t     = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(1 + theta * theta));
            const double c = 1 / sqrt(1 + t * t), s = t * c;
            for (int k = 0; k < 3; ++k) rotate_pair(&M[k][p], &M[k][q], c, s);
            for (int k = 0; k < 3; ++k) rotate_pair(&M[p][k], &M[q][k], c, s);
            for (int k = 0; k < 3; ++k) rotate_pair(&V[k][p], &V[k][q], c, s);
            M[p][q] = M[q][p] = 0;
        }
}

cd_inertia_validity cd_inertia_validate(const double I[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double           M[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}, V[3][3];
    diagonalize(M, V);
    double       moment[3] = {M[0][0], M[1][1], M[2][2]};
    const int    large     = moment[0] > moment[1] ? (moment[0] > moment[2] ? 0 : 2) : (moment[1] > moment[2] ? 1 : 2);
    const double scale     = fabs(moment[0]) + fabs(moment[1]) + fabs(moment[2]);

    cd_inertia_validity s = {.min_moment = fmin(moment[0], fmin(moment[1], moment[2]))};
    s.triangle_excess     = 2 * moment[large] - (moment[0] + moment[1] + moment[2]);
    s.is_nonnegative      = s.min_moment >= -cd_negative_moment_tolerance * scale;
    s.is_physical         = s.is_nonnegative && s.triangle_excess <= cd_triangle_tolerance * scale;
    for (int i = 0; i < 3; ++i) moment[i] += (i == large ? -s.triangle_excess : s.triangle_excess) / 3;
    for (int k = 0; k < 6; ++k) {
        for (int n = 0; n < 3; ++n) s.nearest_physical[k] += V[row[k]][n] * moment[n] * V[column[k]][n];
        if (fabs(s.nearest_physical[k]) < cd_zero_entry_tolerance * scale) s.nearest_physical[k] = 0;
    }
    return s;
}
