// SPDX-License-Identifier: BSD-3-Clause
// Complex numbers, for tests (complex-step derivative): the imaginary part of f(x + i h) / h is the derivative to full
// precision, since nothing is subtracted and h may be as small as 1e-40. Operations are holomorphic; decisions use the
// real part only.
//
// J. N. Lyness, C. B. Moler, Numerical differentiation of analytic functions, SIAM J. Numer. Anal. 4 (1967) 202-210.
#pragma once

#include "math/pi.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct real {
    double re, im;
} real;

static inline real r_const(double a) { return (real){a, 0}; }
static inline real r_add(real a, real b) { return (real){a.re + b.re, a.im + b.im}; }
static inline real r_sub(real a, real b) { return (real){a.re - b.re, a.im - b.im}; }
static inline real r_mul(real a, real b) { return (real){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
static inline real r_div(real a, real b)
{
    const double square = b.re * b.re + b.im * b.im;
    return (real){(a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square};
}
static inline real r_mul_inv(real a, real inverse) { return r_mul(a, inverse); }
static inline real r_neg(real a) { return (real){-a.re, -a.im}; }
static inline real r_sqrt(real a)
{
    const double r = sqrt((hypot(a.re, a.im) + fabs(a.re)) / 2);
    if (r == 0) return (real){0, 0};
    return a.re < 0 ? (real){fabs(a.im) / (2 * r), copysign(r, a.im)} : (real){r, a.im / (2 * r)};
}
static inline real r_tanh(real a) // (t + i s) / (1 + i t s)
{
    const double t = tanh(a.re), s = tan(a.im), d = 1 + t * t * s * s;
    return (real){t * (1 + s * s) / d, s * (1 - t * t) / d};
}
static inline real   r_power(real a, double n) { return (real){pow(a.re, n), n * pow(a.re, n - 1) * a.im}; }
static inline double r_value(real a) { return a.re; }
static inline void   r_sincos(real a, real* s, real* c)
{
    *s = (real){sin(a.re) * cosh(a.im), cos(a.re) * sinh(a.im)};
    *c = (real){cos(a.re) * cosh(a.im), -sin(a.re) * sinh(a.im)};
}
static inline real r_atan(real a)
{
    const double x = a.re, y = a.im;
    return (real){0.5 * atan2(2 * x, 1 - x * x - y * y), 0.25 * log1p(4 * y / (x * x + (1 - y) * (1 - y)))};
}
// atan of the ratio of smaller to larger, shifted to the quadrant of the real parts
static inline real r_atan2(real y, real x)
{
    const double quarter = CD_PI / 2;
    if (fabs(x.re) >= fabs(y.re)) {
        const real a = r_atan(r_div(y, x));
        return r_add(a, r_const(x.re >= 0 ? 0 : y.re < 0 ? -2 * quarter : 2 * quarter));
    }
    const real a = r_atan(r_div(x, y));
    return r_sub(r_const(y.re < 0 ? -quarter : quarter), a);
}
static inline real r_round(real a) { return r_const(round(a.re)); }
static inline real r_select(real a, real b, real x, real y) { return a.re < b.re ? x : y; }
static inline real r_chain(double value, double fa, real a, double fb, real b)
{
    return (real){value, fa * a.im + fb * b.im};
}
static inline bool r_is_zero(real a) { return a.re == 0 && a.im == 0; }
static inline bool r_can_branch(void) { return true; }
static inline bool r_has_derivatives(void) { return true; }
static inline real r_flush_below(real a, double threshold) { return (void)threshold, a; }

static inline int r_padded_rows(int rows) { return rows; }
static inline int r_first_row(int first) { return first; }

#include "math/number_dense.h"

#define CD_NUMBER_NAME(name) name##_complex
