// SPDX-License-Identifier: BSD-3-Clause
// Quaternions and poses with parametric values (expression/parametric_values.h): the operations of math/quaternion.h.
// With NULL they are those of doubles.
#pragma once

#include "expression/parametric_values.h"
#include "math/quaternion.h"

static inline void par_q4_mul(cd_parametric* parametric, const double a[4], const double b[4], double c[4])
{
    if (!parametric) {
        q4_mul(a, b, c);
        return;
    }
    static const int with[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}},
                     sign[4][4] = {{1, -1, -1, -1}, {1, 1, 1, -1}, {1, -1, 1, 1}, {1, 1, -1, 1}};
    double r[4]                 = {0};
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 4; ++k) r[i] = par_add_product(parametric, r[i], sign[i][k] * a[k], b[with[i][k]]);
    memcpy(c, r, sizeof r);
}

static inline void par_q4_normalize(cd_parametric* parametric, double q[4])
{
    if (!par_any_parametric(parametric, 4, q)) {
        q4_normalize(q);
        return;
    }
    double square = 0;
    for (int i = 0; i < 4; ++i) square = par_add_product(parametric, square, q[i], q[i]);
    const double length = par_sqrt(parametric, square);
    for (int i = 0; i < 4; ++i) q[i] = par_div(parametric, q[i], length);
}

static inline void par_cross(cd_parametric* parametric, const double a[3], const double b[3], double c[3])
{
    double r[3];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        r[i] = par_sub(parametric, par_mul(parametric, a[j], b[k]), par_mul(parametric, a[k], b[j]));
    }
    memcpy(c, r, sizeof r);
}

static inline void par_q4_rotate(cd_parametric* parametric, const double q[4], const double v[3], double r[3])
{
    if (!parametric) {
        q4_rotate(q, v, r);
        return;
    }
    double t[3], c[3];
    par_cross(parametric, q + 1, v, t);
    for (int i = 0; i < 3; ++i) t[i] = par_mul(parametric, 2, t[i]);
    par_cross(parametric, q + 1, t, c);
    for (int i = 0; i < 3; ++i) r[i] = par_add(parametric, par_add_product(parametric, v[i], q[0], t[i]), c[i]);
}

static inline void par_q4_matrix(cd_parametric* parametric, const double q[4], double R[9])
{
    if (!par_any_parametric(parametric, 4, q)) {
        q4_matrix(q, R);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        const int     j = (i + 1) % 3, k = (i + 2) % 3;
        const double *e = q + 1, along = par_mul(parametric, e[i], e[j]), about = par_mul(parametric, q[0], e[k]);
        R[4 * i] =
            par_sub(parametric, 1,
                    par_mul(parametric, 2, par_add_product(parametric, par_mul(parametric, e[j], e[j]), e[k], e[k])));
        R[3 * i + j] = par_mul(parametric, 2, par_sub(parametric, along, about));
        R[3 * j + i] = par_mul(parametric, 2, par_add(parametric, along, about));
    }
}

// From a component that is not small; the result does not depend on which.
static inline void par_q4_of_matrix(cd_parametric* parametric, const double R[9], double q[4])
{
    if (!par_any_parametric(parametric, 9, R)) {
        q4_of_matrix(R, q);
        return;
    }
    const double trace = par_add(parametric, par_add(parametric, R[0], R[4]), R[8]);
    if (trace > 0) {
        const double s = par_mul(parametric, 2, par_sqrt(parametric, par_add(parametric, 1, trace)));
        q[0]           = par_div(parametric, s, 4);
        for (int i = 0; i < 3; ++i)
            q[i + 1] =
                par_div(parametric,
                        par_sub(parametric, R[3 * ((i + 2) % 3) + (i + 1) % 3], R[3 * ((i + 1) % 3) + (i + 2) % 3]), s);
    } else {
        const int    i = R[0] > R[4] ? (R[0] > R[8] ? 0 : 2) : (R[4] > R[8] ? 1 : 2), j = (i + 1) % 3, k = (i + 2) % 3;
        const double s = par_mul(
            parametric, 2,
            par_sqrt(parametric,
                     par_sub(parametric, par_sub(parametric, par_add(parametric, 1, R[4 * i]), R[4 * j]), R[4 * k])));
        q[0]     = par_div(parametric, par_sub(parametric, R[3 * k + j], R[3 * j + k]), s);
        q[i + 1] = par_div(parametric, s, 4);
        q[j + 1] = par_div(parametric, par_add(parametric, R[3 * j + i], R[3 * i + j]), s);
        q[k + 1] = par_div(parametric, par_add(parametric, R[3 * k + i], R[3 * i + k]), s);
    }
}

static inline cardan_pose par_pose_mul(cd_parametric* parametric, cardan_pose a, cardan_pose b)
{
    cardan_pose c;
    par_q4_rotate(parametric, a.q, b.p, c.p);
    for (int i = 0; i < 3; ++i) c.p[i] = par_add(parametric, c.p[i], a.p[i]);
    par_q4_mul(parametric, a.q, b.q, c.q);
    return c;
}

static inline cardan_pose par_pose_inverse(cd_parametric* parametric, cardan_pose a)
{
    cardan_pose c;
    q4_conjugate(a.q, c.q);
    par_q4_rotate(parametric, c.q, a.p, c.p);
    for (int i = 0; i < 3; ++i) c.p[i] = -c.p[i];
    return c;
}

static inline void par_pose_point(cd_parametric* parametric, cardan_pose a, const double x[3], double y[3])
{
    double r[3];
    par_q4_rotate(parametric, a.q, x, r);
    for (int i = 0; i < 3; ++i) y[i] = par_add(parametric, a.p[i], r[i]);
}
