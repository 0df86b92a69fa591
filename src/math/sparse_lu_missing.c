// SPDX-License-Identifier: BSD-3-Clause
// Sparse LU factorization in a build without KLU: not available, so that Jacobians are dense.
#include "math/sparse_lu.h"

#include <stddef.h>

bool cd_sparse_lu_is_available(void) { return false; }

cd_sparse_lu* cd_sparse_lu_create(int n, int* start, int* row)
{
    (void)n, (void)start, (void)row;
    return NULL;
}

void cd_sparse_lu_destroy(cd_sparse_lu* lu) { (void)lu; }

bool cd_sparse_lu_factor(cd_sparse_lu* lu, double* value)
{
    (void)lu, (void)value;
    return false;
}

void cd_sparse_lu_solve(cd_sparse_lu* lu, double* b) { (void)lu, (void)b; }

double cd_sparse_lu_rcond(cd_sparse_lu* lu)
{
    (void)lu;
    return 0;
}
