// SPDX-License-Identifier: BSD-3-Clause
// Equilibration of a matrix of bounds by row and column factors: rows[i] E[i, j] columns[j] <= 1, and close to 1 in
// at least one entry of every row and column. Results then depend neither on units nor on the relative magnitude of
// the blocks of the matrix.
#pragma once

// Compute the factors `rows` and `columns` (n) of E (n x n, column major), E >= 0. Rows and columns
// of zeros get the factor 1.
void cd_equilibrate(int n, const double* E, double* rows, double* columns);
