// SPDX-License-Identifier: BSD-3-Clause
// The point is reflected into the first octant and, beyond pi/8, rotated back by pi/4: one division.
//
//   atan(l / h) = pi/4 + atan((l - h) / (l + h))
//   atan(z)     = z + z w P(w),    w = z^2 <= 0.1716,    P of degree 11 at Chebyshev nodes: error 4e-18
#include "math/fast_atan2.h"

#include <float.h>
#include <math.h>

// Constants as nearest double and remainder.
static const double tan_pi_8 = 0.41421356237309503; // tan(pi/8)
static const double pi_4 = 0.78539816339744828, pi_4_low = 3.061616997868383e-17;
static const double pi_2 = 1.5707963267948966, pi_2_low = 6.123233995736766e-17;
static const double pi_1 = 3.1415926535897931, pi_1_low = 1.2246467991473532e-16;

// P in three independent parts, for instruction-level parallelism.
static inline double atan_polynomial(double w)
{
    const double w2 = w * w, w4 = w2 * w2;
    const double a =
        (-0.3333333333333333 + 0.19999999999999804 * w) + (-0.14285714285659748 + 0.11111111105147764 * w) * w2;
    const double b =
        (-0.09090908753118594 + 0.07692296363979952 * w) + (-0.066664246872465 + 0.05878926715756726 * w) * w2;
    const double c =
        (-0.052304374642516874 + 0.045515165635903104 * w) + (-0.0345685906686069 + 0.01628357235648259 * w) * w2;
    return a + (b + c * w4) * w4;
}

static inline double small_angle(double z)
{
    const double w = z * z;
    return z * w * atan_polynomial(w);
}

double cd_fast_atan2(double y, double x)
{
    const double a = fabs(x), b = fabs(y), high = a > b ? a : b, low = a > b ? b : a;
    double       angle;
    if (!(high > DBL_MIN && high < DBL_MAX / 2 && low >= 0)) return atan2(y, x);
    if (low > tan_pi_8 * high) {
        const double z = (low - high) / (low + high);
        angle          = pi_4 + (z + (small_angle(z) + pi_4_low));
    } else {
        const double z = low / high;
        angle          = z + small_angle(z);
    }
    if (b > a) angle = pi_2 - (angle - pi_2_low);
    if (x < 0) angle = pi_1 - (angle - pi_1_low);
    return copysign(angle, y);
}
