// SPDX-License-Identifier: BSD-3-Clause
// Orthonormal basis that is extended vector by vector: Gram-Schmidt orthogonalization, twice.
#pragma once

#include <stdbool.h>

typedef struct cd_orthonormal_basis {
    int     n, count;
    double* vector; // (n x n) orthonormal rows
} cd_orthonormal_basis;

bool cd_orthonormal_basis_create(cd_orthonormal_basis* basis, int n);
void cd_orthonormal_basis_free(cd_orthonormal_basis* basis);
// Orthogonalize x (n) against the basis and add it if its remaining norm exceeds `tolerance`; x is overwritten.
// Returns the remaining norm.
double cd_orthonormal_basis_add(cd_orthonormal_basis* basis, double* x, double tolerance);
