// SPDX-License-Identifier: BSD-3-Clause
// Quaternions (scalar first) and poses in doubles, for computations once per model or per step, not in recursions.
#pragma once

#include "math/math_tolerances.h"

#include <cardan/describe.h>
#include <math.h>
#include <string.h>

static inline void q4_mul(const double a[4], const double b[4], double c[4])
{
    const double r[4] = {
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(c, r, sizeof r);
}

static inline void q4_conjugate(const double a[4], double c[4])
{
    c[0] = a[0];
    for (int i = 1; i < 4; ++i) c[i] = -a[i];
}

// q / |q|; the identity if q = 0. Scaled, so that no finite q overflows or underflows. A quaternion of unit norm to
// round-off is not changed: normalization is idempotent.
static inline void q4_normalize(double q[4])
{
    const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (fabs(square - 1) < cd_norm_series_deviation) { // by series: the branch at round-off is unpredictable
        const double off     = fabs(square - 1) > cd_norm_roundoff ? square - 1 : 0,
                     inverse = 1 - off * (0.5 - 0.375 * off);
        for (int i = 0; i < 4; ++i) q[i] *= inverse;
        return;
    }
    const double scale = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
    if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0) { // false if an entry is NaN, which fmax ignores
        q[0] = 1;
        return;
    }
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += (q[i] / scale) * (q[i] / scale);
    const double norm = sqrt(sum);
    for (int i = 0; i < 4; ++i) q[i] = q[i] / scale / norm;
}

// exp: rotation vector to quaternion; by series up to 0.1 rad
static inline void q4_exp(const double r[3], double q[4])
{
    const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2], x = square / 4;
    double       s = 0.5 * (1 - x * (1.0 / 6) *
                              (1 - x * (1.0 / 20) * (1 - x * (1.0 / 42) * (1 - x * (1.0 / 72))))); // sin(angle/2)/angle
    q[0]           = 1 - x * (1.0 / 2) * (1 - x * (1.0 / 12) * (1 - x * (1.0 / 30) * (1 - x * (1.0 / 56))));
    if (square > cd_exp_series_angle_sq) {
        const double angle = sqrt(square);
        s                  = sin(angle / 2) / angle;
        q[0]               = cos(angle / 2);
    }
    for (int i = 0; i < 3; ++i) q[i + 1] = s * r[i];
}

// log: rotation vector of the shorter rotation
static inline void q4_log(const double q[4], double r[3])
{
    const double sign = q[0] < 0 ? -1 : 1;
    const double sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double f    = sine < cd_log_linear_sine ? 2 : 2 * atan2(sine, sign * q[0]) / sine;
    for (int i = 0; i < 3; ++i) r[i] = sign * f * q[i + 1];
}

static inline void q4_rotate(const double q[4], const double v[3], double r[3])
{
    // r = v + 2 e0 (e x v) + 2 e x (e x v)
    const double t[3] = {2 * (q[2] * v[2] - q[3] * v[1]), 2 * (q[3] * v[0] - q[1] * v[2]),
                         2 * (q[1] * v[1] - q[2] * v[0])};
    const double c[3] = {q[2] * t[2] - q[3] * t[1], q[3] * t[0] - q[1] * t[2], q[1] * t[1] - q[2] * t[0]};
    for (int i = 0; i < 3; ++i) r[i] = v[i] + q[0] * t[i] + c[i];
}

static inline void q4_matrix(const double q[4], double R[9])
{
    const double x = q[1], y = q[2], z = q[3], w = q[0];
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, r, sizeof r);
}

// quaternion of a rotation matrix, scalar part not negative
static inline void q4_of_matrix(const double R[9], double q[4])
{
    const double trace = R[0] + R[4] + R[8];
    if (trace > 0) {
        const double s    = 2 * sqrt(1 + trace);
        const double r[4] = {s / 4, (R[7] - R[5]) / s, (R[2] - R[6]) / s, (R[3] - R[1]) / s};
        memcpy(q, r, sizeof r);
    } else {
        const int    i = R[0] > R[4] ? (R[0] > R[8] ? 0 : 2) : (R[4] > R[8] ? 1 : 2), j = (i + 1) % 3, k = (i + 2) % 3;
        const double s = 2 * sqrt(fmax(0, 1 + R[4 * i] - R[4 * j] - R[4 * k]));
        q[0]           = (R[3 * k + j] - R[3 * j + k]) / s;
        q[i + 1]       = s / 4;
        q[j + 1]       = (R[3 * j + i] + R[3 * i + j]) / s;
        q[k + 1]       = (R[3 * k + i] + R[3 * i + k]) / s;
        if (q[0] < 0)
            for (int n = 0; n < 4; ++n) q[n] = -q[n];
    }
    q4_normalize(q);
}

// ---- poses

static inline cardan_pose pose_mul(cardan_pose a, cardan_pose b) // a then b: x = a(b(x'))
{
    cardan_pose c;
    q4_rotate(a.q, b.p, c.p);
    for (int i = 0; i < 3; ++i) c.p[i] += a.p[i];
    q4_mul(a.q, b.q, c.q);
    return c;
}

static inline cardan_pose pose_inverse(cardan_pose a)
{
    cardan_pose c;
    q4_conjugate(a.q, c.q);
    q4_rotate(c.q, a.p, c.p);
    for (int i = 0; i < 3; ++i) c.p[i] = -c.p[i];
    return c;
}

static inline void pose_point(cardan_pose a, const double x[3], double y[3])
{
    double r[3];
    q4_rotate(a.q, x, r);
    for (int i = 0; i < 3; ++i) y[i] = a.p[i] + r[i];
}
