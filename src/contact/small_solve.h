// SPDX-License-Identifier: BSD-3-Clause
// Linear equations with few unknowns: Gaussian elimination with row pivots.
#pragma once

#include <math.h>
#include <stdbool.h>

// Solve M X = Y in place, M (n x n) and Y (n x m) row by row; X replaces Y. False: a pivot is at most `smallest`.
static inline bool cd_small_solve(int n, double* M, int m, double* Y, double smallest)
{
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(M[i * n + k]) > fabs(M[pivot * n + k])) pivot = i;
        if (!(fabs(M[pivot * n + k]) > smallest)) return false;
        for (int j = 0; j < n; ++j) {
            const double x   = M[k * n + j];
            M[k * n + j]     = M[pivot * n + j];
            M[pivot * n + j] = x;
        }
        for (int j = 0; j < m; ++j) {
            const double y   = Y[k * m + j];
            Y[k * m + j]     = Y[pivot * m + j];
            Y[pivot * m + j] = y;
        }
        for (int i = k + 1; i < n; ++i) {
            const double factor = M[i * n + k] / M[k * n + k];
            for (int j = k; j < n; ++j) M[i * n + j] -= factor * M[k * n + j];
            for (int j = 0; j < m; ++j) Y[i * m + j] -= factor * Y[k * m + j];
        }
    }
    for (int k = n - 1; k >= 0; --k)
        for (int j = 0; j < m; ++j) {
            for (int i = k + 1; i < n; ++i) Y[k * m + j] -= M[k * n + i] * Y[i * m + j];
            Y[k * m + j] /= M[k * n + k];
        }
    return true;
}
