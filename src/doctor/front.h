// SPDX-License-Identifier: BSD-3-Clause
// Orthogonal elimination in one dense front, matrices column by column.
#pragma once

// Householder reflections of A (rows x columns) that leave its first `lead` columns upper trapezoidal; columns of which
// nothing is left get no pivot. Returns the pivots: so many rows lead, the others are zero in those columns.
int cd_front_reflect(int rows, int columns, double* A, int lead, double* operations);

// The rows from `first` on are zero in the columns before `lead`. They become as few as say the same, from row `first`
// on; returns how many.
int cd_front_compress(int rows, int columns, int first, double* A, int lead, double* operations);

// Orthonormal `out` (6 - n) orthogonal to the n rows of `in`, which are independent.
void cd_front_complement(int n, double in[6][6], double out[6][6]);
