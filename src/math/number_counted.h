// SPDX-License-Identifier: BSD-3-Clause
// Numbers that count what is done to them. A number knows the tally its operations go to; constants of the model know
// none until they meet a number that does. Comparisons, copies and signs are free.
#pragma once

#include <cardan/dynamics.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct real {
    double        value;
    cardan_tally* tally;
} real;

static inline cardan_tally* r_tally(real a, real b) { return a.tally ? a.tally : b.tally; }

#define CD_COUNT(field, a, b)                                                                      \
    cardan_tally* tally = r_tally(a, b);                                                           \
    if (tally) ++tally->field

static inline real r_lift(double a) { return (real){a, NULL}; }
static inline real r_add(real a, real b) { CD_COUNT(add, a, b); return (real){a.value + b.value, tally}; }
static inline real r_sub(real a, real b) { CD_COUNT(add, a, b); return (real){a.value - b.value, tally}; }
static inline real r_mul(real a, real b) { CD_COUNT(mul, a, b); return (real){a.value * b.value, tally}; }
static inline real r_div(real a, real b) { CD_COUNT(div, a, b); return (real){a.value / b.value, tally}; }
static inline real r_over(real a, real b) { CD_COUNT(div, a, b); return (real){a.value * b.value, tally}; }
static inline real r_neg(real a) { return (real){-a.value, a.tally}; }
static inline real r_sqrt(real a) { CD_COUNT(sqrt, a, a); return (real){sqrt(a.value), tally}; }
static inline double r_value(real a) { return a.value; }
static inline void r_sincos(real a, real* s, real* c)
{
    if (a.tally) a.tally->trig += 2;
    *s = (real){sin(a.value), a.tally};
    *c = (real){cos(a.value), a.tally};
}

#undef CD_COUNT

// Columns of small blocks: nothing but what is wanted is done, and counted.
static inline int r_lanes(int rows) { return rows; }
static inline int r_from(int first) { return first; }

static inline bool r_has_lapack(void) { return false; }
static inline int  r_lapack_cholesky(int n, real* M, double tolerance, const double* least)
{
    return (void)n, (void)M, (void)tolerance, (void)least, 0;
}
static inline void r_lapack_cholesky_solve(int n, const real* L, real* x) { (void)n, (void)L, (void)x; }
static inline int  r_dense_work(int n) { return n; }

// The rank-revealing solve in countable steps: Cholesky with symmetric pivoting of the (semidefinite) matrix.
static inline double r_condition(int n, int rank, const real* A, real* work, int* pivot)
{
    (void)n, (void)rank, (void)A, (void)work, (void)pivot;
    return 1;
}
static inline int r_least_squares(int n, real* A, real* b, double tolerance, real* work, int* pivot)
{
    (void)work;
    for (int i = 0; i < n; ++i) pivot[i] = i;
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (A[pivot[i] * n + pivot[i]].value > A[pivot[best] * n + pivot[best]].value) best = i;
        const int p = pivot[best];
        pivot[best] = pivot[k];
        pivot[k]    = p;
        if (!(A[p * n + p].value > tolerance)) return k;
        for (int i = k + 1; i < n; ++i) {
            const int  r = pivot[i];
            const real l = r_div(A[r * n + p], A[p * n + p]);
            for (int j = k + 1; j <= i; ++j) {
                const int c  = pivot[j];
                A[r * n + c] = A[c * n + r] = r_sub(A[r * n + c], r_mul(l, A[c * n + p]));
            }
            b[r]         = r_sub(b[r], r_mul(l, b[p]));
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        const int p = pivot[k];
        for (int j = k + 1; j < n; ++j) b[p] = r_sub(b[p], r_mul(A[pivot[j] * n + p], b[pivot[j]]));
        b[p] = r_div(b[p], A[p * n + p]);
    }
    return n;
}
static inline int r_dependent_column(const int* pivot, int rank) { return pivot[rank]; }

#define CD_NAMED(name) name##_counted
