// SPDX-License-Identifier: BSD-3-Clause
// Rank and null space of a symmetric positive semidefinite matrix.
#pragma once

// A (n x n, row major, both triangles) is overwritten. The first `rank` indices of order (n) are rows that are
// independent. Row i of basis (n - rank rows of n) is a vector of the null space; the rows are orthonormal. A pivot is
// null up to `tolerance` times the largest diagonal entry. Returns the rank.
int cd_null_space(int n, double* A, double tolerance, int* order, double* basis);
