// SPDX-License-Identifier: BSD-3-Clause
// Moment of a spring along a rotation vector, as the gradient of its potential (conservative).
//
//   V = theta'K theta / 2,   theta' = G w   with w in the outer (sign +1) or the inner (sign -1) frame
//   G = 1 - sign theta~/2 + g theta~ theta~,    g = 1/t^2 - cot(t/2)/(2 t),   1/12 + t^2/720 + ... for small angles t
//   torque = -G' K theta
#pragma once

#include "math/rotation.h"
#include "force/force_tolerances.h"

// G' x
static inline vec3 rotation_vector_moment(vec3 theta, vec3 x, double sign)
{
    const real t2     = v3_dot(theta, theta);
    const real series = r_add(r_const(1.0 / 12), r_scale(1.0 / 720, t2)), small = r_const(cd_moment_series_angle_sq);
    const vec3 c = v3_cross(theta, x), first_order = v3_add_scaled(x, r_const(sign / 2), c);
    if (r_can_branch() && r_value(t2) < cd_moment_series_angle_sq)
        return v3_add(first_order, v3_scale(series, v3_cross(theta, c)));
    const real t = r_sqrt(t2);
    real       sine, cosine;
    r_sincos(r_scale(0.5, t), &sine, &cosine);
    const real closed = r_sub(r_div(r_const(1), t2), r_div(cosine, r_scale(2, r_mul(t, sine))));
    const real g      = r_can_branch() ? closed : r_select(t2, small, series, closed);
    return v3_add(first_order, v3_scale(g, v3_cross(theta, c)));
}
