// SPDX-License-Identifier: BSD-3-Clause
// Dual numbers: a value and its derivatives along CD_DUAL_DIRECTIONS directions, exact to round-off. The value is lane
// 0 of a vector, so that a sum is a vector sum and a product is two products of a number with a vector.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { CD_DUAL_DIRECTIONS = 7 };

typedef double cd_dual_lanes __attribute__((vector_size(64), aligned(8)));

typedef struct real {
    cd_dual_lanes x;
} real;

static inline double r_value(real a) { return a.x[0]; }
static inline real   r_const(double a) { return (real){{a}}; }

// f(a, b) with df = fa da + fb db
static inline real r_chain(double value, double fa, real a, double fb, real b)
{
    real f = {fa * a.x + fb * b.x};
    f.x[0] = value;
    return f;
}
static inline real r_chain_unary(double value, double derivative, real a)
{
    real f = {derivative * a.x};
    f.x[0] = value;
    return f;
}

static inline real r_add(real a, real b) { return (real){a.x + b.x}; }
static inline real r_sub(real a, real b) { return (real){a.x - b.x}; }
static inline real r_neg(real a) { return (real){-a.x}; }
static inline real r_mul(real a, real b) { return r_chain(a.x[0] * b.x[0], b.x[0], a, a.x[0], b); }
static inline real r_div(real a, real b)
{
    const double inverse = 1 / b.x[0], value = a.x[0] * inverse;
    return r_chain(a.x[0] / b.x[0], inverse, a, -value * inverse, b);
}
static inline real r_mul_inv(real a, real inverse) { return r_mul(a, inverse); }
static inline real r_sqrt(real a)
{
    const double root = sqrt(a.x[0]);
    return r_chain_unary(root, root > 0 ? 0.5 / root : 0, a);
}
static inline real r_tanh(real a)
{
    const double t = tanh(a.x[0]);
    return r_chain_unary(t, 1 - t * t, a);
}
static inline real r_power(real a, double n) { return r_chain_unary(pow(a.x[0], n), n * pow(a.x[0], n - 1), a); }
static inline void r_sincos(real a, real* s, real* c)
{
    const double sine = sin(a.x[0]), cosine = cos(a.x[0]);
    *s = r_chain_unary(sine, cosine, a);
    *c = r_chain_unary(cosine, -sine, a);
}
static inline real r_atan2(real y, real x)
{
    const double square = x.x[0] * x.x[0] + y.x[0] * y.x[0];
    return r_chain(atan2(y.x[0], x.x[0]), x.x[0] / square, y, -y.x[0] / square, x);
}
static inline real r_round(real a) { return r_const(round(a.x[0])); }
static inline real r_select(real a, real b, real x, real y) { return a.x[0] < b.x[0] ? x : y; }
static inline bool r_is_zero(real a)
{
    bool zero = true;
    for (int i = 0; i <= CD_DUAL_DIRECTIONS; ++i) zero &= a.x[i] == 0;
    return zero;
}
static inline bool r_can_branch(void) { return true; }
static inline bool r_has_derivatives(void) { return true; }
static inline real r_flush_below(real a, double threshold) { return (void)threshold, a; }

static inline int r_padded_rows(int rows) { return rows; }
static inline int r_first_row(int first) { return first; }

#include "math/number_dense.h"

#define CD_NUMBER_NAME(name) name##_dual
