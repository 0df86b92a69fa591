// SPDX-License-Identifier: BSD-3-Clause
// Rotation vector of a relative orientation, and the matrix that makes a spring along it conservative.
//
//   V = theta'K theta / 2,   theta' = G w   with w in the outer (sign +1) or the inner (sign -1) frame
//   G = 1 - sign theta~/2 + g theta~ theta~,    g = 1/t^2 - (1 + cos t)/(2 t sin t)
//   torque = -G' K theta
#pragma once

#include "math/quaternion.h"
#include "math/spatial.h"

static inline vec3 rotation_vector(const double q[4])
{
    double r[3];
    q4_log(q, r);
    return v3(r[0], r[1], r[2]);
}

// G' x
static inline vec3 rotation_moment(vec3 theta, vec3 x, double sign)
{
    const double t2 = v3_dot(theta, theta), t = sqrt(t2);
    const double g  = t < 1e-3 ? 1.0 / 12 + t2 / 720 : 1 / t2 - (1 + cos(t)) / (2 * t * sin(t));
    const vec3   c  = v3_cross(theta, x);
    return v3_add(v3_add_scaled(x, sign / 2, c), v3_scale(g, v3_cross(theta, c)));
}
