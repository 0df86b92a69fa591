// SPDX-License-Identifier: BSD-3-Clause
// Number type of the runtime: double.
#pragma once

#include "math/fast_atan2.h"
#include "math/lapack.h"

#include <math.h>
#include <stdbool.h>

typedef double real;

static inline real   r_const(double a) { return a; }
static inline real   r_add(real a, real b) { return a + b; }
static inline real   r_sub(real a, real b) { return a - b; }
static inline real   r_mul(real a, real b) { return a * b; }
static inline real   r_div(real a, real b) { return a / b; }
static inline real   r_mul_inv(real a, real inverse) { return a * inverse; }
static inline real   r_neg(real a) { return -a; }
static inline real   r_sqrt(real a) { return sqrt(a); }
static inline double r_value(real a) { return a; }
static inline void   r_sincos(real a, real* s, real* c)
{
    *s = sin(a);
    *c = cos(a);
}
static inline real r_atan2(real y, real x) { return cd_fast_atan2(y, x); }
static inline real r_tanh(real a) { return tanh(a); }
static inline real r_power(real a, double n) { return pow(a, n); }
static inline real r_round(real a) { return rint(a); }
static inline real r_select(real a, real b, real x, real y) { return a < b ? x : y; }
static inline real r_chain(double value, double fa, real a, double fb, real b)
{
    return (void)fa, (void)a, (void)fb, (void)b, value;
}
static inline bool r_is_zero(real a) { return a == 0; }
static inline real r_flush_below(real a, double threshold) { return fabs(a) > threshold ? a : 0; }
static inline bool r_can_branch(void) { return true; }
static inline bool r_has_derivatives(void) { return false; }

// Columns of small blocks are padded to whole vectors and processed completely, even if only the rows from `first` on
// are needed.
#define CD_SIMD
static inline int r_padded_rows(int rows) { return rows < 3 ? rows : rows < 5 ? 4 : 6; }
static inline int r_first_row(int first) { return (void)first, 0; }

// Large dense factorizations use LAPACK.
static inline bool r_has_lapack(void) { return true; }
static inline int  r_lapack_cholesky(int n, real* M, double tolerance, const double* min_diagonal)
{
    return cd_lapack_cholesky(n, M, tolerance, min_diagonal);
}
static inline void r_lapack_cholesky_solve(int n, const real* L, real* x) { cd_lapack_cholesky_solve(n, L, x); }

static inline int    r_least_squares_work(int n) { return cd_lapack_least_squares_work(n); }
static inline double r_rcond(int n, int rank, const real* A, real* work, int* pivot)
{
    return cd_lapack_rcond(n, rank, A, work, pivot);
}
static inline int r_least_squares(int n, real* A, real* b, double tolerance, real* work, int* pivot)
{
    return cd_lapack_least_squares(n, A, b, tolerance, work, pivot);
}
static inline int r_dependent_column(const int* pivot, int rank) { return pivot[rank] - 1; } // LAPACK counts from 1
