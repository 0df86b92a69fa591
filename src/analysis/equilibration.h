// SPDX-License-Identifier: BSD-3-Clause
// Factors of rows and columns that make a matrix of bounds even: rows[i] E[i, j] columns[j] <= 1, and near 1 in some
// entry of every row and column. By them units do not matter, nor how large one part of a matrix is beside another.
#pragma once

// E (n x n, column major) >= 0. Rows and columns of zeros have the factor 1.
void cd_equilibrate(int n, const double* E, double* rows, double* columns);
