// SPDX-License-Identifier: BSD-3-Clause
#include "math/sparse_lu.h"
#include "math/math_tolerances.h"

#include "core/memory.h"

#include <klu.h>
#include <math.h>
#include <stdlib.h>

struct cd_sparse_lu {
    int           n;
    int *         start, *row;
    klu_common    common;
    klu_symbolic* symbolic;
    klu_numeric*  numeric;
};

bool cd_sparse_lu_is_available(void) { return true; }

cd_sparse_lu* cd_sparse_lu_create(int n, int* start, int* row)
{
    cd_sparse_lu* lu = cd_allocate(1, sizeof *lu);
    if (!lu) return NULL;
    lu->n     = n;
    lu->start = start;
    lu->row   = row;
    klu_defaults(&lu->common);
    lu->symbolic = klu_analyze(n, start, row, &lu->common);
    if (lu->symbolic && lu->symbolic->structural_rank == n) return lu;
    cd_sparse_lu_destroy(lu);
    return NULL;
}

void cd_sparse_lu_destroy(cd_sparse_lu* lu)
{
    if (!lu) return;
    if (lu->numeric) klu_free_numeric(&lu->numeric, &lu->common);
    if (lu->symbolic) klu_free_symbolic(&lu->symbolic, &lu->common);
    free(lu);
}

static bool is_finite(const cd_sparse_lu* lu, const double* value)
{
    double sum = 0;
    for (int i = 0; i < lu->start[lu->n]; ++i) sum += fabs(value[i]);
    return isfinite(sum);
}

bool cd_sparse_lu_factor(cd_sparse_lu* lu, double* value)
{
    if (!is_finite(lu, value)) return false;
    if (lu->numeric && klu_refactor(lu->start, lu->row, value, lu->symbolic, lu->numeric, &lu->common) &&
        lu->common.status == KLU_OK && klu_rgrowth(lu->start, lu->row, value, lu->symbolic, lu->numeric, &lu->common) &&
        lu->common.rgrowth > cd_min_reciprocal_growth)
        return true;
    if (lu->numeric) klu_free_numeric(&lu->numeric, &lu->common);
    lu->numeric = klu_factor(lu->start, lu->row, value, lu->symbolic, &lu->common);
    return lu->numeric && lu->common.status == KLU_OK;
}

void cd_sparse_lu_solve(cd_sparse_lu* lu, double* b) { klu_solve(lu->symbolic, lu->numeric, lu->n, 1, b, &lu->common); }

double cd_sparse_lu_rcond(cd_sparse_lu* lu)
{
    if (!lu->numeric || !klu_rcond(lu->symbolic, lu->numeric, &lu->common)) return 0;
    return lu->common.rcond;
}
