// SPDX-License-Identifier: BSD-3-Clause
// Placement while reading: quaternions, poses, inertias in other axes.
#include "io/pose.h"

#include <math.h>
#include <string.h>

void cd_quaternion_multiply(const double a[4], const double b[4], double c[4])
{
    const double r[4] = {
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    };
    memcpy(c, r, sizeof r);
}

static void matrix_of(const double q[4], double R[3][3])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double r[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
        {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
        {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
    };
    memcpy(R, r, sizeof r);
}

void cd_quaternion_rotate(const double q[4], const double x[3], double y[3])
{
    double R[3][3], r[3];
    matrix_of(q, R);
    for (int i = 0; i < 3; ++i) r[i] = R[i][0] * x[0] + R[i][1] * x[1] + R[i][2] * x[2];
    memcpy(y, r, sizeof r);
}

void cd_quaternion_from_rpy(const double rpy[3], double q[4])
{
    const double roll[4]  = {cos(rpy[0] / 2), sin(rpy[0] / 2), 0, 0};
    const double pitch[4] = {cos(rpy[1] / 2), 0, sin(rpy[1] / 2), 0};
    const double yaw[4]   = {cos(rpy[2] / 2), 0, 0, sin(rpy[2] / 2)};
    cd_quaternion_multiply(pitch, roll, q);
    cd_quaternion_multiply(yaw, q, q);
}

static void normalize(double q[4])
{
    const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; ++i) q[i] /= n;
}

void cd_quaternion_z_to(const double axis[3], double q[4])
{
    // a third of a turn about a diagonal of the cube changes the names of the axes, without rounding
    static const struct { double axis[3], q[4]; } exact[] = {
        {{1, 0, 0}, {0.5, 0.5, 0.5, 0.5}},   {{0, 1, 0}, {0.5, -0.5, -0.5, -0.5}}, {{0, 0, 1}, {1, 0, 0, 0}},
        {{-1, 0, 0}, {0.5, 0.5, -0.5, -0.5}}, {{0, -1, 0}, {0.5, 0.5, 0.5, -0.5}},  {{0, 0, -1}, {0, 1, 0, 0}},
    };
    for (size_t i = 0; i < sizeof exact / sizeof *exact; ++i) {
        const double* a = exact[i].axis;
        if (axis[0] != a[0] || axis[1] != a[1] || axis[2] != a[2]) continue;
        memcpy(q, exact[i].q, sizeof exact[i].q);
        return;
    }
    // the shortest turn from z, or from -z after half a turn about x, so that 1 + cos of the turn stays away from 0
    const double sign    = axis[2] < 0 ? -1 : 1;
    const double turn[4] = {1 + sign * axis[2], -sign * axis[1], sign * axis[0], 0};
    const double half[4] = {0, 1, 0, 0};
    memcpy(q, turn, sizeof turn);
    if (sign < 0) cd_quaternion_multiply(turn, half, q);
    normalize(q);
}

cardan_pose cd_pose_compose(cardan_pose outer, cardan_pose inner)
{
    cardan_pose c;
    cd_quaternion_rotate(outer.q, inner.p, c.p);
    for (int i = 0; i < 3; ++i) c.p[i] += outer.p[i];
    cd_quaternion_multiply(outer.q, inner.q, c.q);
    normalize(c.q);
    return c;
}

void cd_inertia_rotate(const double q[4], const double inertia[6], double rotated[6])
{
    const double S[3][3] = {{inertia[0], inertia[3], inertia[4]}, {inertia[3], inertia[1], inertia[5]}, {inertia[4], inertia[5], inertia[2]}};
    double       R[3][3], T[3][3], U[3][3];
    matrix_of(q, R);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) T[i][j] = R[i][0] * S[0][j] + R[i][1] * S[1][j] + R[i][2] * S[2][j];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) U[i][j] = T[i][0] * R[j][0] + T[i][1] * R[j][1] + T[i][2] * R[j][2];
    const double r[6] = {U[0][0], U[1][1], U[2][2], U[0][1], U[0][2], U[1][2]};
    memcpy(rotated, r, sizeof r);
}

// One Jacobi rotation that makes S[p][q] zero.
static void jacobi(double S[3][3], int p, int q)
{
    if (S[p][q] == 0) return;
    const double theta = (S[q][q] - S[p][p]) / (2 * S[p][q]);
    const double t     = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c     = 1 / sqrt(t * t + 1), s = t * c;
    const int    r     = 3 - p - q;
    const double pq = S[p][q], rp = S[r][p], rq = S[r][q];
    S[p][p] -= t * pq;
    S[q][q] += t * pq;
    S[p][q] = S[q][p] = 0;
    S[r][p] = S[p][r] = c * rp - s * rq;
    S[r][q] = S[q][r] = s * rp + c * rq;
}

void cd_inertia_principal(const double inertia[6], double moment[3])
{
    double S[3][3] = {{inertia[0], inertia[3], inertia[4]}, {inertia[3], inertia[1], inertia[5]}, {inertia[4], inertia[5], inertia[2]}};
    for (int sweep = 0; sweep < 12; ++sweep) {
        jacobi(S, 0, 1);
        jacobi(S, 0, 2);
        jacobi(S, 1, 2);
    }
    const double m[3] = {S[0][0], S[1][1], S[2][2]};
    memcpy(moment, m, sizeof m);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            if (moment[j] > moment[j + 1]) {
                const double larger = moment[j];
                moment[j]           = moment[j + 1];
                moment[j + 1]       = larger;
            }
}
