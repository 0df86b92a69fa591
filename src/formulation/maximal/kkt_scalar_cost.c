// SPDX-License-Identifier: BSD-3-Clause
// Cost of a scalar factorization on the true nonzeros in an order of blocks, for comparison with that of the dense
// kernels: ones and zeros of rows and inertias cost nothing.
//
//   multiplications = sum of c (c + 1) / 2,   c: entries of a column of L below its pivot
#include "formulation/formulation_tolerances.h"
#include "formulation/maximal/kkt_system.h"

#include <math.h>
#include <stdlib.h>

typedef struct scalar_graph {
    int (*edge)[2];
    int  nedge, capacity;
    int* first; // (nblock + 1) scalar rows of a block
} scalar_graph;

static bool add_edge(scalar_graph* s, int a, int b)
{
    if (!cd_array_grow((void**)&s->edge, &s->capacity, s->nedge, sizeof *s->edge)) return false;
    s->edge[s->nedge][0]   = a;
    s->edge[s->nedge++][1] = b;
    return true;
}

// An entry that is round-off relative to the others of its row counts as zero.
static bool is_nonzero(const cd_row_block* b, int i, int j)
{
    double largest = 0;
    for (int k = 0; k < b->nv; ++k) largest = fmax(largest, fabs(r_value(b->J[i * b->nv + k])));
    return fabs(r_value(b->J[i * b->nv + j])) > cd_zero_entry_ratio * largest;
}

// Couple the velocities of a penalized row.
static bool add_penalty_edges(scalar_graph* s, const cd_row_block* b, int i)
{
    for (int j = 0; j < b->nv; ++j)
        for (int k = 0; k < j && is_nonzero(b, i, j); ++k)
            if (is_nonzero(b, i, k) && !add_edge(s, b->v[j], b->v[k])) return false;
    return true;
}

static bool collect_edges(scalar_graph* s, int nbody, const cd_rows* rows, const bool (*product)[3],
                          const bool* is_penalized)
{
    for (int b = 0; product && b < nbody; ++b)
        for (int k = 0; k < 3; ++k)
            if (product[b][k] && !add_edge(s, 6 * b + (k == 2 ? 4 : 3), 6 * b + (k == 0 ? 4 : 5))) return false;
    for (int c = 0; c < rows->nblock; ++c) {
        const cd_row_block* b = &rows->block[c];
        for (int i = 0; is_penalized && is_penalized[c] && i < b->nrow; ++i)
            if (!add_penalty_edges(s, b, i)) return false;
        for (int i = 0; i < b->nrow; ++i)
            for (int j = 0; j < b->nv; ++j)
                if (is_nonzero(b, i, j) && !add_edge(s, s->first[nbody + c] + i, b->v[j])) return false;
    }
    return true;
}

bool cd_kkt_count_scalar_cost(int nbody, const cd_rows* rows, const bool (*product)[3], const bool* is_penalized,
                              const int* order, cd_kkt_scalar_cost* counts)
{
    const int               n = nbody + rows->nblock, nscalar = 6 * nbody + rows->nrow;
    scalar_graph            s         = {.first = cd_allocate((size_t)n + 1, sizeof *s.first)};
    int*                    unit_size = cd_allocate((size_t)nscalar, sizeof *unit_size);
    int*                    ordered   = cd_allocate((size_t)nscalar, sizeof *ordered);
    cd_block_factor_pattern L         = {0};
    bool                    good      = s.first && unit_size && ordered;
    *counts                           = (cd_kkt_scalar_cost){0};
    for (int b = 0; good && b < n; ++b) s.first[b + 1] = s.first[b] + (b < nbody ? 6 : rows->block[b - nbody].nrow);
    for (int k = 0, at = 0; good && k < n; ++k)
        for (int i = s.first[order[k]]; i < s.first[order[k] + 1]; ++i) {
            unit_size[i]  = 1;
            ordered[at++] = i;
        }
    good = good && collect_edges(&s, nbody, rows, product, is_penalized);
    if (good) {
        const cd_block_pattern pattern = {nscalar, unit_size, s.nedge, (const int(*)[2])s.edge};
        good                           = cd_block_factor_pattern_compute(&pattern, ordered, 1e300, &L);
    }
    for (int k = 0; good && k < nscalar; ++k) {
        const long c = L.start[k + 1] - L.start[k];
        counts->multiplications += c * (c + 1) / 2;
        counts->nonzeros += c;
    }
    cd_block_factor_pattern_release(&L);
    free(s.first), free(s.edge), free(unit_size), free(ordered);
    return good;
}
