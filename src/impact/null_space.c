// SPDX-License-Identifier: BSD-3-Clause
// Cholesky factorization with symmetric pivoting: P'A P = [L1; L2] [L1; L2]' with the rank as the number of columns.
// Null vectors [-L1^-T L2'; 1], orthonormalized by Gram and Schmidt, twice (Golub & Van Loan, 4.2.8, 5.2.8).
#include "impact/null_space.h"

#include <math.h>

static void swap_rows_and_columns(int n, double* A, int* order, int a, int b)
{
    if (a == b) return;
    for (int j = 0; j < n; ++j) {
        const double value = A[a * n + j];
        A[a * n + j]       = A[b * n + j];
        A[b * n + j]       = value;
    }
    for (int i = 0; i < n; ++i) {
        const double value = A[i * n + a];
        A[i * n + a]       = A[i * n + b];
        A[i * n + b]       = value;
    }
    const int index = order[a];
    order[a]        = order[b];
    order[b]        = index;
}

// Lower triangle of A becomes L up to column `rank`.
static int factor(int n, double* A, double tolerance, int* order)
{
    double largest = 0;
    for (int i = 0; i < n; ++i) {
        order[i] = i;
        largest  = fmax(largest, A[i * n + i]);
    }
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (A[i * n + i] > 1.0001 * A[best * n + best]) best = i; // equal pivots: the first one
        if (!(A[best * n + best] > tolerance * largest)) return k;
        swap_rows_and_columns(n, A, order, k, best);
        const double pivot = sqrt(A[k * n + k]);
        A[k * n + k]       = pivot;
        for (int i = k + 1; i < n; ++i) A[i * n + k] /= pivot;
        for (int j = k + 1; j < n; ++j) {
            const double l = A[j * n + k];
            for (int i = j; i < n; ++i) A[i * n + j] -= A[i * n + k] * l;
            for (int i = j + 1; i < n; ++i) A[j * n + i] = A[i * n + j];
        }
    }
    return n;
}

static void orthonormalize(int count, int n, double* basis)
{
    for (int i = 0; i < count; ++i) {
        double* row = basis + i * n;
        for (int pass = 0; pass < 2; ++pass) {
            for (int j = 0; j < i; ++j) {
                const double* other = basis + j * n;
                double        dot   = 0;
                for (int k = 0; k < n; ++k) dot += row[k] * other[k];
                for (int k = 0; k < n; ++k) row[k] -= dot * other[k];
            }
            double norm = 0;
            for (int k = 0; k < n; ++k) norm += row[k] * row[k];
            norm = sqrt(norm);
            for (int k = 0; k < n; ++k) row[k] /= norm;
        }
    }
}

int cd_null_space(int n, double* A, double tolerance, int* order, double* basis)
{
    const int rank = factor(n, A, tolerance, order);
    for (int v = rank; v < n; ++v) {
        double* vector = basis + (v - rank) * n;
        for (int i = 0; i < n; ++i) vector[i] = 0;
        vector[order[v]] = 1;
        for (int k = rank - 1; k >= 0; --k) { // L1' x = -L2'
            double sum = -A[v * n + k];
            for (int i = k + 1; i < rank; ++i) sum -= A[i * n + k] * vector[order[i]];
            vector[order[k]] = sum / A[k * n + k];
        }
    }
    orthonormalize(n - rank, n, basis);
    return rank;
}
