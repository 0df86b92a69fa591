// SPDX-License-Identifier: BSD-3-Clause
// Inertias: are they possible? Principal moments A <= B <= C of a body satisfy A >= 0 and, because
// A + B - C = 2 * sum m z^2 >= 0, the triangle inequality C <= A + B.
#include "io/read.h"

#include <math.h>
#include <string.h>

void cd_inertia_matrix(const double I[6], double M[3][3])
{
    const double m[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
    memcpy(M, m, sizeof m);
}

void cd_inertia_six(double M[3][3], double I[6])
{
    const double six[6] = {M[0][0], M[1][1], M[2][2], M[0][1], M[0][2], M[1][2]};
    memcpy(I, six, sizeof six);
}

// Jacobi rotations: M becomes diagonal, V holds the eigenvectors as columns.
static void diagonalize(double M[3][3], double V[3][3])
{
    static const double one[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(V, one, sizeof one);
    for (int sweep = 0; sweep < 30; ++sweep) {
        const double off = fabs(M[0][1]) + fabs(M[0][2]) + fabs(M[1][2]);
        if (!(off > 1e-300)) return;
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                if (M[p][q] == 0) continue;
                const double theta = (M[q][q] - M[p][p]) / (2 * M[p][q]);
                const double t     = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(1 + theta * theta));
                const double c = 1 / sqrt(1 + t * t), s = t * c;
                for (int k = 0; k < 3; ++k) {
                    const double a = M[k][p], b = M[k][q];
                    M[k][p] = c * a - s * b;
                    M[k][q] = s * a + c * b;
                }
                for (int k = 0; k < 3; ++k) {
                    const double a = M[p][k], b = M[q][k];
                    M[p][k] = c * a - s * b;
                    M[q][k] = s * a + c * b;
                }
                for (int k = 0; k < 3; ++k) {
                    const double a = V[k][p], b = V[k][q];
                    V[k][p] = c * a - s * b;
                    V[k][q] = s * a + c * b;
                }
            }
    }
}

bool cd_inertia_check(const cd_element* e, const cd_yaml* at, double factor, const double I[6])
{
    double M[3][3], V[3][3];
    cd_inertia_matrix(I, M);
    diagonalize(M, V);
    double    moment[3] = {M[0][0], M[1][1], M[2][2]};
    const int large     = moment[0] > moment[1] ? (moment[0] > moment[2] ? 0 : 2) : (moment[1] > moment[2] ? 1 : 2);
    const double scale = fabs(moment[0]) + fabs(moment[1]) + fabs(moment[2]), least = fmin(moment[0], fmin(moment[1], moment[2]));
    if (least < -1e-12 * scale)
        return cd_element_fail(e, at, "this inertia is not possible: its principal moment %.6g is negative", least / factor);

    const double excess = 2 * moment[large] - (moment[0] + moment[1] + moment[2]);
    if (excess <= 1e-9 * scale) return true;
    // nearest on the plane C = A + B
    double sound[3][3] = {{0}}, six[6];
    for (int i = 0; i < 3; ++i) moment[i] += (i == large ? -excess : excess) / 3;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            for (int n = 0; n < 3; ++n) sound[i][k] += V[i][n] * moment[n] * V[k][n];
    cd_inertia_six(sound, six);
    for (int i = 0; i < 6; ++i) six[i] = fabs(six[i]) < 1e-14 * scale ? 0 : six[i] / factor;
    return cd_element_doubt(e, at, "no body has this inertia: its largest principal moment exceeds the sum of the others by %.3g; the nearest "
                            "sound value is [%.6g, %.6g, %.6g, %.6g, %.6g, %.6g]",
                            excess / factor, six[0], six[1], six[2], six[3], six[4], six[5]);
}
