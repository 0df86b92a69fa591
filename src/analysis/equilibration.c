// SPDX-License-Identifier: BSD-3-Clause
// Iteration of Ruiz (2001): divide columns and rows alternately by the square root of their largest entry; at the end
// divide the rows once by their largest entry.
#include "analysis/equilibration.h"

#include <math.h>

enum { ITERATIONS = 30 };

static double largest(int n, const double* E, int stride, const double* factor)
{
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, E[(long)i * stride] * factor[i]);
    return most;
}

void cd_equilibrate(int n, const double* E, double* rows, double* columns)
{
    for (int i = 0; i < n; ++i) rows[i] = columns[i] = 1;
    for (int iteration = 0; iteration <= ITERATIONS; ++iteration) {
        const double power = iteration < ITERATIONS ? 0.5 : 1;
        for (int j = 0; j < n && iteration < ITERATIONS; ++j) {
            const double most = columns[j] * largest(n, E + (long)j * n, 1, rows);
            if (most > 0) columns[j] /= sqrt(most);
        }
        for (int i = 0; i < n; ++i) {
            const double most = rows[i] * largest(n, E + i, n, columns);
            if (most > 0) rows[i] /= pow(most, power);
        }
    }
}
