// SPDX-License-Identifier: BSD-3-Clause
// What a factorization by scalars on the true nonzeros would need in an order of blocks, beside what dense kernels
// execute: identities and zeros of rows and inertias are then no work.
//
//   multiplications = sum of c (c + 1) / 2,   c: entries of a column of L below its pivot
#include "formulation/flat_system.h"

#include <math.h>
#include <stdlib.h>

typedef struct scalars {
    int (*edge)[2];
    int  nedge, capacity;
    int* first; // (nblock + 1) scalar rows of a block
} scalars;

static bool add(scalars* s, int a, int b)
{
    if (!cd_grow((void**)&s->edge, &s->capacity, s->nedge, sizeof *s->edge)) return false;
    s->edge[s->nedge][0]   = a;
    s->edge[s->nedge++][1] = b;
    return true;
}

// An entry that is rounding beside the others of its row is none.
static bool is_entry(const cd_row_block* b, int i, int j)
{
    double largest = 0;
    for (int k = 0; k < b->nv; ++k) largest = fmax(largest, fabs(r_value(b->J[i * b->nv + k])));
    return fabs(r_value(b->J[i * b->nv + j])) > 1e-13 * largest;
}

// Velocities that a row feels meet each other where it leans.
static bool add_leaning(scalars* s, const cd_row_block* b, int i)
{
    for (int j = 0; j < b->nv; ++j)
        for (int k = 0; k < j && is_entry(b, i, j); ++k)
            if (is_entry(b, i, k) && !add(s, b->v[j], b->v[k])) return false;
    return true;
}

static bool collect(scalars* s, int nbody, const cd_rows* rows, const bool (*product)[3], const bool* leaning)
{
    for (int b = 0; product && b < nbody; ++b)
        for (int k = 0; k < 3; ++k)
            if (product[b][k] && !add(s, 6 * b + (k == 2 ? 4 : 3), 6 * b + (k == 0 ? 4 : 5))) return false;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; leaning && leaning[c] && i < b->nrow; ++i)
            if (!add_leaning(s, b, i)) return false;
        for (int i = 0; i < b->nrow; ++i)
            for (int j = 0; j < b->nv; ++j)
                if (is_entry(b, i, j) && !add(s, s->first[nbody + c] + i, b->v[j])) return false;
    }
    return true;
}

bool cd_flat_count(int nbody, const cd_rows* rows, const bool (*product)[3], const bool* leaning, const int* order,
                   cd_flat_counts* counts)
{
    const int        n = nbody + rows->nblock, nscalar = 6 * nbody + rows->nrow;
    scalars          s       = {.first = cd_allocate((size_t)n + 1, sizeof *s.first)};
    int*             one     = cd_allocate((size_t)nscalar, sizeof *one);
    int*             ordered = cd_allocate((size_t)nscalar, sizeof *ordered);
    cd_block_columns L       = {0};
    bool             good    = s.first && one && ordered;
    *counts                  = (cd_flat_counts){0};
    for (int b = 0; good && b < n; ++b) s.first[b + 1] = s.first[b] + (b < nbody ? 6 : rows->block[b - nbody].nrow);
    for (int k = 0, at = 0; good && k < n; ++k)
        for (int i = s.first[order[k]]; i < s.first[order[k] + 1]; ++i) {
            one[i]        = 1;
            ordered[at++] = i;
        }
    good = good && collect(&s, nbody, rows, product, leaning);
    if (good) {
        const cd_block_pattern pattern = {nscalar, one, s.nedge, (const int(*)[2])s.edge};
        good                           = cd_block_columns_of(&pattern, ordered, 1e300, &L);
    }
    for (int k = 0; good && k < nscalar; ++k) {
        const long c = L.start[k + 1] - L.start[k];
        counts->multiplications += c * (c + 1) / 2;
        counts->nonzeros += c;
    }
    cd_block_columns_release(&L);
    free(s.first), free(s.edge), free(one), free(ordered);
    return good;
}
