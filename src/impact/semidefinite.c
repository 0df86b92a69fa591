// SPDX-License-Identifier: BSD-3-Clause
// A = [L1; L2] [L1; L2]' with L1 of the independent rows; null vectors [-L1^-T L2'; 1]. A row is dependent if its
// distance from the span of those before it vanishes (pivot: square of the distance).
#include "impact/semidefinite.h"

#include <math.h>

static double dot(int n, const double* a, const double* b)
{
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += a[k] * b[k];
    return sum;
}

void cd_semidefinite_factor(cd_semidefinite* f, double tolerance)
{
    const int n    = f->n;
    int       rank = 0, dependent = n;
    int*      order = f->order;
    f->smallest     = 1;
    for (int i = 0; i < n; ++i) {
        double*      row      = f->L + (long)i * n;
        const double diagonal = row[i];
        for (int m = 0; m < rank; ++m) { // entry of column order[m] moves to column m <= order[m]
            const double* other = f->L + (long)order[m] * n;
            row[m]              = (row[order[m]] - dot(m, row, other)) * other[m];
        }
        const double pivot = diagonal - dot(rank, row, row);
        if (!(pivot > tolerance * diagonal)) {
            order[--dependent] = i;
            for (int m = rank; m < n; ++m) row[m] = 0; // it lies in the span of the rows so far
            continue;
        }
        f->smallest   = fmin(f->smallest, pivot / diagonal);
        row[rank]     = 1 / sqrt(pivot);
        order[rank++] = i;
    }
    f->rank = rank;
    for (int a = rank, b = n - 1; a < b; ++a, --b) { // dependent rows were added from the end
        const int index = order[a];
        order[a]        = order[b];
        order[b]        = index;
    }
}

// L1' x = b; b and x in the order of the independent rows, in place.
static void solve_transposed(const cd_semidefinite* f, double* x)
{
    for (int m = f->rank - 1; m >= 0; --m) {
        const double* row = f->L + (long)f->order[m] * f->n;
        x[m] *= row[m];
        for (int k = 0; k < m; ++k) x[k] -= row[k] * x[m];
    }
}

// Values of the independent rows move from the first entries to their rows.
static void scatter(const cd_semidefinite* f, double* x)
{
    for (int m = f->rank - 1; m >= 0; --m) x[f->order[m]] = x[m];
    for (int v = f->rank; v < f->n; ++v) x[f->order[v]] = 0;
}

void cd_semidefinite_solve(const cd_semidefinite* f, double* b)
{
    for (int m = 0; m < f->rank; ++m) {
        const double* row = f->L + (long)f->order[m] * f->n;
        b[m]              = (b[f->order[m]] - dot(m, row, b)) * row[m];
    }
    solve_transposed(f, b);
    scatter(f, b);
}

void cd_semidefinite_null_space(const cd_semidefinite* f, double* basis)
{
    for (int v = f->rank; v < f->n; ++v) {
        double*       vector = basis + (long)(v - f->rank) * f->n;
        const double* row    = f->L + (long)f->order[v] * f->n;
        for (int m = 0; m < f->rank; ++m) vector[m] = -row[m];
        solve_transposed(f, vector);
        scatter(f, vector);
        vector[f->order[v]] = 1;
    }
}

void cd_remove_null_part(int n, int count, const double* basis, double* gram, double* product, double* y)
{
    for (int i = 0; i < count; ++i) { // Cholesky factorization of N N', solution of N N' c = N y
        const double* row = basis + (long)i * n;
        for (int j = 0; j <= i; ++j) {
            double sum = dot(n, row, basis + (long)j * n) - dot(j, gram + (long)i * count, gram + (long)j * count);
            gram[(long)i * count + j] = j < i ? sum * gram[(long)j * count + j] : 1 / sqrt(sum);
        }
        product[i] = (dot(n, row, y) - dot(i, gram + (long)i * count, product)) * gram[(long)i * count + i];
    }
    for (int i = count - 1; i >= 0; --i) {
        product[i] *= gram[(long)i * count + i];
        for (int j = 0; j < i; ++j) product[j] -= gram[(long)i * count + j] * product[i];
    }
    for (int v = 0; v < count; ++v)
        for (int i = 0; i < n; ++i) y[i] -= product[v] * basis[(long)v * n + i];
}
