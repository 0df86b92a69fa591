// SPDX-License-Identifier: BSD-3-Clause
// Statistics of the columns of results, collected sample by sample: minimum, maximum and root mean square over time.
#pragma once

#include "io/results/results.h"

typedef struct cd_column_statistics {
    int     ncolumn;
    long    nsample;
    double *minimum, *maximum; // (ncolumn) of the finite values
    double* integral;          // (ncolumn) of x^2 over t, by the trapezoidal rule
    double* duration;          // (ncolumn) [s] over which the values are finite
    double* last;              // (ncolumn) values of the last sample
} cd_column_statistics;

bool cd_column_statistics_open(cd_column_statistics* statistics, int ncolumn); // false if memory is exhausted
void cd_column_statistics_free(cd_column_statistics* statistics);
// Add a sample (ncolumn); column 0 is the time.
void cd_column_statistics_add(cd_column_statistics* statistics, const double* value);
// Print a table of all columns but the first. Values that are round-off next to others of the same unit are 0.
void cd_column_statistics_print(const cd_column_statistics* statistics, const cd_column* column);
