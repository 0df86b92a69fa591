// SPDX-License-Identifier: BSD-3-Clause
// Quaternions and poses whose numbers may depend on parameters that stay inputs: what math/quaternion.h does, entered
// in a ledger. Without one it is that.
#pragma once

#include "expression/ledger.h"
#include "math/quaternion.h"

static inline void carried_mul(cd_ledger* l, const double a[4], const double b[4], double c[4])
{
    if (!l) {
        q4_mul(a, b, c);
        return;
    }
    static const int with[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}},
                     sign[4][4] = {{1, -1, -1, -1}, {1, 1, 1, -1}, {1, -1, 1, 1}, {1, 1, -1, 1}};
    double r[4]                 = {0};
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 4; ++k) r[i] = l_more(l, r[i], sign[i][k] * a[k], b[with[i][k]]);
    memcpy(c, r, sizeof r);
}

static inline void carried_normalize(cd_ledger* l, double q[4])
{
    if (!l_knows_any(l, 4, q)) {
        q4_normalize(q);
        return;
    }
    double square = 0;
    for (int i = 0; i < 4; ++i) square = l_more(l, square, q[i], q[i]);
    const double length = l_sqrt(l, square);
    for (int i = 0; i < 4; ++i) q[i] = l_div(l, q[i], length);
}

static inline void carried_cross(cd_ledger* l, const double a[3], const double b[3], double c[3])
{
    double r[3];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        r[i] = l_sub(l, l_mul(l, a[j], b[k]), l_mul(l, a[k], b[j]));
    }
    memcpy(c, r, sizeof r);
}

static inline void carried_rotate(cd_ledger* l, const double q[4], const double v[3], double r[3])
{
    if (!l) {
        q4_rotate(q, v, r);
        return;
    }
    double t[3], c[3];
    carried_cross(l, q + 1, v, t);
    for (int i = 0; i < 3; ++i) t[i] = l_mul(l, 2, t[i]);
    carried_cross(l, q + 1, t, c);
    for (int i = 0; i < 3; ++i) r[i] = l_add(l, l_more(l, v[i], q[0], t[i]), c[i]);
}

static inline void carried_matrix(cd_ledger* l, const double q[4], double R[9])
{
    if (!l_knows_any(l, 4, q)) {
        q4_matrix(q, R);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        const int     j = (i + 1) % 3, k = (i + 2) % 3;
        const double *e = q + 1, along = l_mul(l, e[i], e[j]), about = l_mul(l, q[0], e[k]);
        R[4 * i]     = l_sub(l, 1, l_mul(l, 2, l_more(l, l_mul(l, e[j], e[j]), e[k], e[k])));
        R[3 * i + j] = l_mul(l, 2, l_sub(l, along, about));
        R[3 * j + i] = l_mul(l, 2, l_add(l, along, about));
    }
}

// By the component that is not small; which of them it is changes nothing.
static inline void carried_of_matrix(cd_ledger* l, const double R[9], double q[4])
{
    if (!l_knows_any(l, 9, R)) {
        q4_of_matrix(R, q);
        return;
    }
    const double trace = l_add(l, l_add(l, R[0], R[4]), R[8]);
    if (trace > 0) {
        const double s = l_mul(l, 2, l_sqrt(l, l_add(l, 1, trace)));
        q[0]           = l_div(l, s, 4);
        for (int i = 0; i < 3; ++i)
            q[i + 1] = l_div(l, l_sub(l, R[3 * ((i + 2) % 3) + (i + 1) % 3], R[3 * ((i + 1) % 3) + (i + 2) % 3]), s);
    } else {
        const int    i = R[0] > R[4] ? (R[0] > R[8] ? 0 : 2) : (R[4] > R[8] ? 1 : 2), j = (i + 1) % 3, k = (i + 2) % 3;
        const double s = l_mul(l, 2, l_sqrt(l, l_sub(l, l_sub(l, l_add(l, 1, R[4 * i]), R[4 * j]), R[4 * k])));
        q[0]           = l_div(l, l_sub(l, R[3 * k + j], R[3 * j + k]), s);
        q[i + 1]       = l_div(l, s, 4);
        q[j + 1]       = l_div(l, l_add(l, R[3 * j + i], R[3 * i + j]), s);
        q[k + 1]       = l_div(l, l_add(l, R[3 * k + i], R[3 * i + k]), s);
    }
}

static inline cardan_pose carried_pose_mul(cd_ledger* l, cardan_pose a, cardan_pose b)
{
    cardan_pose c;
    carried_rotate(l, a.q, b.p, c.p);
    for (int i = 0; i < 3; ++i) c.p[i] = l_add(l, c.p[i], a.p[i]);
    carried_mul(l, a.q, b.q, c.q);
    return c;
}

static inline cardan_pose carried_pose_inverse(cd_ledger* l, cardan_pose a)
{
    cardan_pose c;
    q4_conjugate(a.q, c.q);
    carried_rotate(l, c.q, a.p, c.p);
    for (int i = 0; i < 3; ++i) c.p[i] = -c.p[i];
    return c;
}

static inline void carried_pose_point(cd_ledger* l, cardan_pose a, const double x[3], double y[3])
{
    double r[3];
    carried_rotate(l, a.q, x, r);
    for (int i = 0; i < 3; ++i) y[i] = l_add(l, a.p[i], r[i]);
}
