// SPDX-License-Identifier: BSD-3-Clause
// Gaussian elimination with row pivoting by columns: P A = L U.
#include "impact/dense_lu.h"

#include "math/lapack.h"

#include <math.h>

enum { LAPACK_MIN_SIZE = 48 }; // size from which LAPACK is faster

static int pivot_row(int n, int k, const double* column)
{
    int best = k;
    for (int i = k + 1; i < n; ++i)
        if (fabs(column[i]) > fabs(column[best])) best = i;
    return best;
}

static void swap_rows(int n, double* A, int a, int b)
{
    for (int j = 0; j < n; ++j) {
        double*      column = A + (long)j * n;
        const double value  = column[a];
        column[a]           = column[b];
        column[b]           = value;
    }
}

static double largest_entry(int n, const double* column)
{
    double largest = 0;
    for (int i = 0; i < n; ++i) largest = fmax(largest, fabs(column[i]));
    return largest;
}

static int factor_small(int n, double* A, int* pivot, double tolerance, double* smallest)
{
    int sign = 1;
    for (int k = 0; k < n; ++k) {
        double* column = A + (long)k * n;
        double  size   = largest_entry(n, column);
        for (int j = 0; j < k; ++j) { // solve with the columns of L found so far
            const double* left = A + (long)j * n;
            const double  v    = column[j];
            if (v == 0) continue;
            for (int i = j + 1; i < n; ++i) column[i] -= left[i] * v;
        }
        const int p = pivot_row(n, k, column);
        pivot[k]    = p;
        if (p != k) {
            swap_rows(n, A, p, k);
            sign = -sign;
        }
        size               = fmax(size, 1e-300);
        const double ratio = fabs(column[k]) / size;
        if (smallest) *smallest = fmin(*smallest, ratio);
        if (!(ratio > tolerance)) return 0;
        if (column[k] < 0) sign = -sign;
        const double inverse = 1 / column[k];
        for (int i = k + 1; i < n; ++i) column[i] *= inverse;
    }
    return sign;
}

static int factor_large(int n, double* A, int* pivot, double tolerance, double* smallest)
{
    if (!cd_lapack_lu_panel(n, 0, n, A, pivot)) return 0;
    int sign = 1;
    for (int k = 0; k < n; ++k) {
        const double u = A[(long)k * n + k], ratio = fabs(u) / fmax(largest_entry(k + 1, A + (long)k * n), 1e-300);
        if ((u < 0) != (pivot[k] != k + 1)) sign = -sign;
        if (smallest) *smallest = fmin(*smallest, ratio);
        if (!(ratio > tolerance)) return 0;
    }
    return sign;
}

int cd_dense_lu(int n, double* A, int* pivot, double tolerance, double* smallest)
{
    if (smallest) *smallest = 1;
    return n < LAPACK_MIN_SIZE ? factor_small(n, A, pivot, tolerance, smallest)
                               : factor_large(n, A, pivot, tolerance, smallest);
}

void cd_dense_lu_solve(int n, const double* A, const int* pivot, double* b)
{
    if (n >= LAPACK_MIN_SIZE) {
        cd_lapack_lu_solve(n, A, pivot, b);
        return;
    }
    for (int k = 0; k < n; ++k) {
        const double v = b[pivot[k]];
        b[pivot[k]]    = b[k];
        b[k]           = v;
    }
    for (int k = 0; k < n; ++k)
        for (int i = k + 1; i < n; ++i) b[i] -= A[(long)k * n + i] * b[k];
    for (int k = n - 1; k >= 0; --k) {
        b[k] /= A[(long)k * n + k];
        for (int i = 0; i < k; ++i) b[i] -= A[(long)k * n + i] * b[k];
    }
}
