// SPDX-License-Identifier: BSD-3-Clause
#include "math/orthonormal_basis.h"

#include "core/memory.h"
#include "math/dot_product.h"

#include <math.h>
#include <stdlib.h>

bool cd_orthonormal_basis_create(cd_orthonormal_basis* basis, int n)
{
    *basis = (cd_orthonormal_basis){.n = n, .vector = cd_allocate((size_t)n * (size_t)n + 1, sizeof(double))};
    return basis->vector != NULL;
}

void cd_orthonormal_basis_free(cd_orthonormal_basis* basis) { free(basis->vector); }

double cd_orthonormal_basis_add(cd_orthonormal_basis* basis, double* x, double tolerance)
{
    const int n = basis->n;
    for (int pass = 0; pass < 2; ++pass)
        for (int k = 0; k < basis->count; ++k) {
            const double* b    = basis->vector + k * n;
            const double  part = cd_dot(n, b, x);
            for (int i = 0; i < n; ++i) x[i] -= part * b[i];
        }
    const double remaining = sqrt(cd_norm_sq(n, x));
    if (remaining <= tolerance || basis->count == n) return remaining;
    for (int i = 0; i < n; ++i) basis->vector[basis->count * n + i] = x[i] / remaining;
    ++basis->count;
    return remaining;
}
