// SPDX-License-Identifier: BSD-3-Clause
// Counting numbers: every operation increments the operation count of its operands. Constants of the model have no
// count until they are combined with a number that has one. Comparisons, copies and signs are free.
#pragma once

#include <cardan/dynamics.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct real {
    double                  value;
    cardan_operation_count* tally;
} real;

static inline cardan_operation_count* r_tally(real a, real b) { return a.tally ? a.tally : b.tally; }

#define CD_COUNT(field, a, b)                                                                                          \
    cardan_operation_count* tally = r_tally(a, b);                                                                     \
    if (tally) ++tally->field

static inline real r_const(double a) { return (real){a, NULL}; }
static inline real r_add(real a, real b)
{
    CD_COUNT(add, a, b);
    return (real){a.value + b.value, tally};
}
static inline real r_sub(real a, real b)
{
    CD_COUNT(add, a, b);
    return (real){a.value - b.value, tally};
}
static inline real r_mul(real a, real b)
{
    CD_COUNT(mul, a, b);
    return (real){a.value * b.value, tally};
}
static inline real r_div(real a, real b)
{
    CD_COUNT(div, a, b);
    return (real){a.value / b.value, tally};
}
static inline real r_mul_inv(real a, real b)
{
    CD_COUNT(div, a, b);
    return (real){a.value * b.value, tally};
}
static inline real r_neg(real a) { return (real){-a.value, a.tally}; }
static inline real r_sqrt(real a)
{
    CD_COUNT(sqrt, a, a);
    return (real){sqrt(a.value), tally};
}
static inline real r_power(real a, double n)
{
    CD_COUNT(trig, a, a);
    return (real){pow(a.value, n), tally};
}
static inline double r_value(real a) { return a.value; }
static inline void   r_sincos(real a, real* s, real* c)
{
    if (a.tally) a.tally->trig += 2;
    *s = (real){sin(a.value), a.tally};
    *c = (real){cos(a.value), a.tally};
}
static inline real r_atan2(real y, real x)
{
    CD_COUNT(trig, y, x);
    return (real){atan2(y.value, x.value), tally};
}
static inline real r_tanh(real a)
{
    CD_COUNT(trig, a, a);
    return (real){tanh(a.value), tally};
}
static inline real r_round(real a) { return (real){round(a.value), a.tally}; }
static inline real r_select(real a, real b, real x, real y) { return a.value < b.value ? x : y; }
static inline real r_chain(double value, double fa, real a, double fb, real b)
{
    (void)fa, (void)fb;
    CD_COUNT(trig, a, b);
    return (real){value, tally};
}
static inline bool r_is_zero(real a) { return a.value == 0; }
static inline real r_flush_below(real a, double threshold) { return fabs(a.value) > threshold ? a : r_const(0); }
static inline bool r_can_branch(void) { return true; }
static inline bool r_has_derivatives(void) { return false; }

#undef CD_COUNT

// Columns of small blocks: only the required operations are executed and counted.
static inline int r_padded_rows(int rows) { return rows; }
static inline int r_first_row(int first) { return first; }

#include "math/number_dense.h"

#define CD_NUMBER_NAME(name) name##_counted
